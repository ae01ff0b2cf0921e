import { isIP, isIPv4 } from "node:net";

/** The header of a connection. */
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

/** The families of version 2: TCP over IPv4 and IPv6. */
const TCP4 = 0x11;
const TCP6 = 0x21;

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
  const addresses = bytes.subarray(FIXED_LENGTH, length);
  if (command === 0x20 || (family !== TCP4 && family !== TCP6)) {
    return { length, address: undefined };
  }
  if (addresses.length < (family === TCP4 ? 12 : 36)) {
    return "invalid";
  }
  return { length, address: family === TCP4 ? addresses.subarray(0, 4).join(".") : groupsOf(addresses) };
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
  const isValid = [address, destination].every((each) =>
    isIP(each) === 0 ? false : isIPv4(each) === (protocol === "TCP4"),
  );
  return isValid && ports.length === 2 && ports.every((port) => /^\d{1,5}$/.test(port))
    ? { length, address }
    : "invalid";
}
