import { addressBits, lastAddress, networkOf, readAddress } from "../../../text/ip-address.js";
import { type InputKind, IP_ADDRESS, kindOfInput, MAC_ADDRESS } from "../../../text/recognize-input.js";
import { type PastedList, severalInputs } from "../../list/pasted-list.js";

/** What a text on the home is taken for. */
export type Reading =
  | { readonly kind: InputKind | "mac" }
  | { readonly kind: "list"; readonly list: PastedList }
  /** The number of an autonomous system. */
  | { readonly kind: "system"; readonly number: number }
  /** Undefined if the address or the length of the prefix is not valid. */
  | { readonly kind: "network"; readonly network: AddressNetwork | undefined };

/** A network of IP addresses. */
export interface AddressNetwork {
  /** In CIDR notation: `8.8.8.0/24`. */
  readonly cidr: string;
  /** The first and the last address. */
  readonly first: string;
  readonly last: string;
  /** The number of addresses, in words. */
  readonly size: string;
  readonly prefixLength: number;
}

/** Returns what a text without white space around it is taken for. */
export function readingOf(text: string): Reading {
  const kind = kindOfInput(text);
  if (kind !== "text") {
    return { kind };
  }
  const [, address = "", length] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(text) ?? [];
  if (length !== undefined && IP_ADDRESS.test(address)) {
    return { kind: "network", network: networkAt(address, Number(length)) };
  }
  const [, number] = /^asn?\s?(\d{1,10})$/i.exec(text) ?? [];
  if (number !== undefined) {
    return { kind: "system", number: Number(number) };
  }
  if (MAC_ADDRESS.test(text)) {
    return { kind: "mac" };
  }
  const list = severalInputs(text);
  return list === undefined ? { kind } : { kind: "list", list };
}

/** Returns the network of an address; undefined if one of the two is not valid. The address need not be its first one. */
function networkAt(text: string, length: number): AddressNetwork | undefined {
  const address = readAddress(text);
  // An IPv4-mapped IPv6 address is read as IPv4.
  const prefixLength = address?.family === 4 && text.includes(":") ? length - 96 : length;
  if (address === undefined || prefixLength < 0 || prefixLength > addressBits(address.family)) {
    return undefined;
  }
  const cidr = networkOf(address, prefixLength);
  const hostBits = addressBits(address.family) - prefixLength;
  const size = hostBits <= 32 ? (2 ** hostBits).toLocaleString("en") : `2^${hostBits}`;
  const [first = ""] = cidr.split("/");
  return { cidr, first, last: lastAddress(address, prefixLength).text, size, prefixLength };
}

/** A link without its scheme: a domain, also with a port and a path. */
const BARE_LINK = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}(?::\d+)?(?:[/?#]\S*)?$/i;

/** An address with a port. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+)):\d{1,5}$/i;

/** Returns what was probably meant by a text of no other kind: a link, or the address before a port; undefined if nothing is near. */
export function suggestionFor(text: string): string | undefined {
  const [, bracketed, plain = ""] = WITH_PORT.exec(text) ?? [];
  return BARE_LINK.test(text) ? `https://${text}` : readAddress(bracketed ?? plain)?.text;
}
