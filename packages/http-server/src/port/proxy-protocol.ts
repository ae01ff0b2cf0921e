import { isIP } from "node:net";
import { plainAddress } from "../core/turns.js";

export interface ProxyHeader {
  /** The length of the header in bytes. */
  readonly length: number;
  /** The address of the client; undefined for a connection of the proxy itself, such as a health check. */
  readonly address: string | undefined;
}

/** The first bytes of version 2. */
const SIGNATURE = Buffer.from("0d0a0d0a000d0a515549540a", "hex");
const FIXED_LENGTH = 16;
/** The maximum length of version 1, with its line end. */
const MAX_TEXT = 107;
/** More than the addresses and the extensions of load balancers take, in bytes. */
const MAX_BINARY = 4_096;

/** The protocols of version 2, and the length of their addresses: unknown, then TCP and UDP over IPv4, IPv6 and Unix sockets. */
const ADDRESS_LENGTHS: ReadonlyMap<number | undefined, number> = new Map([
  [0x00, 0],
  [0x11, 12],
  [0x12, 12],
  [0x21, 36],
  [0x22, 36],
  [0x31, 216],
  [0x32, 216],
]);
const TCP4 = 0x11;
const TCP6 = 0x21;

/** A port in decimal without leading zeros. */
const PORT = /^(?:0|[1-9]\d{0,4})$/;

/**
 * Reads the header of the PROXY protocol, version 1 or 2, at the beginning of a connection. The rest of the bytes is what the client sends.
 * A header without an address that can be used, such as one of UDP, leaves the address of the connection.
 * https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt
 *
 * @returns `incomplete` if more bytes are needed, `invalid` for anything else than a header
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader | "incomplete" | "invalid" {
  const start = bytes.subarray(0, SIGNATURE.length);
  if (start.equals(SIGNATURE.subarray(0, start.length))) {
    return start.length < SIGNATURE.length || bytes.length < FIXED_LENGTH ? "incomplete" : readBinary(bytes);
  }
  return readText(bytes);
}

function readBinary(bytes: Buffer): ProxyHeader | "incomplete" | "invalid" {
  const [command = 0, family] = bytes.subarray(SIGNATURE.length);
  const length = FIXED_LENGTH + bytes.readUInt16BE(FIXED_LENGTH - 2);
  // Version 2, and the commands LOCAL (0) and PROXY (1).
  if ((command !== 0x20 && command !== 0x21) || length > MAX_BINARY) {
    return "invalid";
  }
  if (bytes.length < length) {
    return "incomplete";
  }
  const content = bytes.subarray(FIXED_LENGTH, length);
  if (command === 0x20) {
    // The proxy itself: the rest of the header is ignored.
    return { length, address: undefined };
  }
  const addressLength = ADDRESS_LENGTHS.get(family);
  if (addressLength === undefined || !hasExtensions(content, addressLength)) {
    return "invalid";
  }
  if (family !== TCP4 && family !== TCP6) {
    return { length, address: undefined };
  }
  const address = family === TCP4 ? content.subarray(0, 4).join(".") : plainAddress(groupsOf(content));
  return { length, address };
}

/** Whether the addresses, and extensions of a type, a length and a value each, are the whole content. */
function hasExtensions(content: Buffer, addressLength: number): boolean {
  let at = addressLength;
  while (at + 3 <= content.length) {
    at += 3 + content.readUInt16BE(at + 1);
  }
  return at === content.length;
}

/** The text of the first 16 bytes as an IPv6 address. */
function groupsOf(bytes: Buffer): string {
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16)).join(":");
}

function readText(bytes: Buffer): ProxyHeader | "incomplete" | "invalid" {
  const text = bytes.toString("latin1", 0, MAX_TEXT);
  const end = text.indexOf("\r\n");
  if (end < 0) {
    return "PROXY ".startsWith(text.slice(0, 6)) && bytes.length < MAX_TEXT ? "incomplete" : "invalid";
  }
  const [name, protocol, address = "", destination = "", ...ports] = text.slice(0, end).split(" ");
  const length = end + 2;
  if (name !== "PROXY" || (protocol !== "TCP4" && protocol !== "TCP6" && protocol !== "UNKNOWN")) {
    return "invalid";
  }
  if (protocol === "UNKNOWN") {
    return { length, address: undefined };
  }
  // nginx sends a destination of another family, if it differs from that of its client. An address with a zone is valid for Node alone.
  const isValid =
    isIP(address) === (protocol === "TCP4" ? 4 : 6) &&
    isIP(destination) !== 0 &&
    !`${address}${destination}`.includes("%");
  const arePorts = ports.length === 2 && ports.every((port) => PORT.test(port) && Number(port) <= 65_535);
  return isValid && arePorts ? { length, address: plainAddress(address) } : "invalid";
}
