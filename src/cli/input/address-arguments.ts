import { addressIn } from "../../text/address-in.js";
import { addressBits, lastAddress, networkOf, readAddress } from "../../text/ip-address.js";

/** The host of a link. */
const HOST = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]+)/i;

/**
 * Returns the addresses that an argument means: the first and the last one of a network, and that of a link or before a port. Any other
 * text stays as it is.
 */
export function addressesOf(argument: string): readonly string[] {
  const text = argument.trim();
  const [, start = text, length] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(text) ?? [];
  const address = readAddress(start);
  if (address === undefined || length === undefined) {
    return [address === undefined ? (addressIn(HOST.exec(text)?.[1] ?? text) ?? argument) : argument];
  }
  // An IPv4-mapped IPv6 address is read as IPv4.
  const prefixLength = Number(length) - (address.family === 4 && start.includes(":") ? 96 : 0);
  if (prefixLength < 0 || prefixLength > addressBits(address.family)) {
    return [argument];
  }
  const [first = start] = networkOf(address, prefixLength).split("/");
  return [...new Set([first, lastAddress(address, prefixLength).text])];
}
