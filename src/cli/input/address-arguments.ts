import { meantAddress } from "../../text/address-in.js";
import { readAddress, readNetwork } from "../../text/ip-address.js";

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
  return [readAddress(text) === undefined ? (meantAddress(text) ?? argument) : argument];
}
