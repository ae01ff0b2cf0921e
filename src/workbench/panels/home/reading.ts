import { meantAddress } from "../../../text/address-in.js";
import { type AddressNetwork, readAddress, readNetwork } from "../../../text/ip-address.js";
import { type InputKind, IP_ADDRESS, kindOfInput, MAC_ADDRESS } from "../../../text/recognize-input.js";
import { type PastedList, severalInputs } from "../../list/pasted-list.js";
import { placeContent } from "../barcode/contents.js";

/** What a text is taken for, on the home and in the panel of addresses. */
export type Reading =
  /** The text is without characters that nobody sees, but for a text of no special form. */
  | { readonly kind: InputKind; readonly text: string }
  | { readonly kind: "list"; readonly list: PastedList }
  | { readonly kind: "network"; readonly network: AddressNetwork }
  /** Coordinates, as written, and their `geo:` URI. */
  | { readonly kind: "place"; readonly latitude: string; readonly longitude: string; readonly uri: string }
  /** Something of networks that nothing is known of, and why. */
  | { readonly kind: "note"; readonly what: string; readonly note: string };

const NO_NETWORK =
  "This is no network. Write an IP address, a slash and the length of the prefix: 0 to 32 for IPv4, such as 8.8.8.0/24, or 0 to 128 for IPv6.";

const MAC_NOTE =
  "This is the address of a network card. It is known only in its own network, and has no place. A place belongs to an IP address, such as 8.8.8.8.";

/** Two numbers of degrees, with decimals so that they are no other two numbers. */
const COORDINATES = /^(?:geo:)?([+-]?\d{1,2}\.\d+)°?\s*[,;\s]\s*([+-]?\d{1,3}\.\d+)°?$/i;

/** Returns what a text is taken for. */
export function readingOf(given: string): Reading {
  const text = given.replaceAll(/\p{Cf}/gu, "").trim();
  const kind = kindOfInput(text);
  if (kind !== "text") {
    return { kind, text };
  }
  const [, address = ""] = /^([\da-f.:]+)\/\d{1,3}$/i.exec(text) ?? [];
  if (IP_ADDRESS.test(address)) {
    const network = readNetwork(text);
    return network === undefined
      ? { kind: "note", what: "Network", note: NO_NETWORK }
      : { kind: "network", network };
  }
  if (MAC_ADDRESS.test(text)) {
    return { kind: "note", what: "MAC address", note: MAC_NOTE };
  }
  const [, latitude = "", longitude = ""] = COORDINATES.exec(text) ?? [];
  const place = placeContent({ latitude, longitude });
  if ("text" in place) {
    return { kind: "place", latitude, longitude, uri: place.text };
  }
  const list = severalInputs(text);
  return list === undefined ? { kind, text: given } : { kind: "list", list };
}

/** A link without its scheme: a domain, also with a port and a path. */
const BARE_LINK = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}(?::\d+)?(?:[/?#]\S*)?$/i;

/** Returns what was probably meant by a text of no other kind: a link, or the address in one or before a port; undefined if nothing is near. */
export function suggestionFor(given: string): string | undefined {
  const text = given.replaceAll(/\p{Cf}/gu, "").trim();
  const link = text.replace(/^\/\//, "");
  return BARE_LINK.test(link) ? `https://${link}` : meantAddress(text);
}

/** What the panel of addresses does with a text: looks up an address, a network or an operator, opens a list, or says why there is nothing to look up. */
export type AddressLookup =
  | { readonly value: string }
  | { readonly list: PastedList }
  | { readonly problem: string };

/** Returns what the panel of addresses does with a text. */
export function addressLookup(text: string): AddressLookup {
  const reading = readingOf(text);
  switch (reading.kind) {
    case "ip":
    case "asn":
      return { value: reading.text };
    case "network":
      return { value: reading.network.cidr };
    case "note":
      return { problem: reading.note };
    case "list":
      return { list: reading.list };
    default: {
      const meant = suggestionFor(text) ?? "";
      return readAddress(meant) === undefined
        ? { problem: HOST_NAME.test(text.trim()) ? NO_HOSTS : NO_ADDRESS }
        : { value: meant };
    }
  }
}

/** A name of a host, also in a link, or before a port. */
const HOST_NAME = /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/)?[a-z\d_-]+(?:\.[a-z\d_-]+)*\.[a-z]{2,}\.?(?:[:/?#]\S*)?$/i;

const NO_HOSTS =
  "Names of hosts are not looked up, only IP addresses. The command nslookup shows those of a name.";

const NO_ADDRESS =
  "This is no IP address. Write one such as 8.8.8.8 or 2001:4860:4860::8888, or a network such as 8.8.8.0/24.";
