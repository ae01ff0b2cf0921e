import { type IpAddress, readAddress, readNetwork } from "./ip-address.js";

/**
 * Returns the address in a text that is meant as one: with a port, brackets, a zone, spaces around it, or as a network. Undefined for
 * every other text. An address with a prefix length that is not the first one of its network can be a mistake.
 */
export function addressIn(text: string): string | undefined {
  const trimmed = text.trim();
  if (/\s/.test(trimmed)) {
    return undefined;
  }
  const [, address = "", length] = /^([^/]+)\/(\d{1,3})$/.exec(trimmed) ?? [];
  if (length !== undefined) {
    const network = readNetwork(trimmed);
    return network !== undefined && network.first === readAddress(address)?.text ? address : undefined;
  }
  const [, bracketed] = /^\[([^\]]+)\](?:%[\w.-]+)?(?::\d{1,5})?$/.exec(trimmed) ?? [];
  return readWord(bracketed ?? trimmed)?.text;
}

/** What stands between the slashes of a link: a user, and the host with its port. The scheme can be missing. */
const AUTHORITY = /^(?:[a-z][a-z\d+.-]*:)?\/\/(?:[^/?#@]*@)?([^/?#]+)/i;

/** Returns the address that a text means: as {@link addressIn}, or as the host of a link. */
export function meantAddress(text: string): string | undefined {
  return addressIn(AUTHORITY.exec(text)?.[1] ?? text);
}

interface ReadWord {
  readonly text: string;
  readonly address: IpAddress;
  readonly hasPort: boolean;
}

/** Reads a word that begins with an address: only a zone, a port and punctuation may follow. */
export function readWord(word: string): ReadWord | undefined {
  const result = (text: string, hasPort: boolean): ReadWord | undefined => {
    const address = readAddress(text);
    return address && { text, address, hasPort };
  };
  const whole = result(word, false);
  if (whole !== undefined) {
    return whole;
  }
  const trimmed = word.replace(/^:(?!:)/, "").replace(/[.:-]{1,3}$/, "");
  const zone = trimmed.indexOf("%");
  const plain = zone === -1 ? trimmed : trimmed.slice(0, zone);
  const port = plain.lastIndexOf(":");
  const host = plain.slice(0, Math.max(0, port));
  return (
    result(plain, false) ??
    ((host.includes(".") || host === "::") && /^\d{1,5}$/.test(plain.slice(port + 1))
      ? result(host, true)
      : undefined)
  );
}

/**
 * Whether an address can be that of a host on the Internet. Addresses of documentation count as such, because examples of logs
 * have them.
 */
export function isPublic({ family, bytes }: IpAddress): boolean {
  const [a = 0, b = 0, c = 0] = bytes;
  if (family === 6) {
    return a >> 5 === 1;
  }
  return !(
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a > 223 ||
    (a === 100 && b >> 6 === 1) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >> 4 === 1) ||
    (a === 192 && b === 168) ||
    (a === 192 && b === 0 && c === 0) ||
    (a === 198 && b >> 1 === 9)
  );
}
