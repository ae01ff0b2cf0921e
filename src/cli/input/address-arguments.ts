import { addressIn } from "../../text/address-in.js";
import { readAddress, readNetwork } from "../../text/ip-address.js";

/** The host of a link. */
const HOST = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]+)/i;

/**
 * Returns the addresses that an argument means: the first and the last one of a network, and that of a link or before a port. Any other
 * text stays as it is.
 */
export function addressesOf(argument: string): readonly string[] {
  const text = argument.trim();
  const network = readNetwork(text);
  if (network !== undefined) {
    return [...new Set([network.first, network.last])];
  }
  return [readAddress(text) === undefined ? (addressIn(HOST.exec(text)?.[1] ?? text) ?? argument) : argument];
}
