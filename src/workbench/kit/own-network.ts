import { isPublic } from "../../text/address-in.js";
import { readAddress } from "../../text/ip-address.js";

/**
 * Returns where the client is as the host of the URL tells: on the same computer, or on a private network, where its own address has no
 * place. The page does not ask the service for it then: browsers report the response in the console. Undefined for every other host.
 */
export function ownNetwork(hostname: string): "computer" | "network" | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const address = readAddress(host);
  if (/^(.*\.)?localhost$/.test(host) || address?.text === "::1" || address?.bytes[0] === 127) {
    return "computer";
  }
  return address === undefined || isPublic(address) ? undefined : "network";
}

/** What is said of it. */
export const OWN_NETWORKS = {
  computer: "You are on the same computer as this service.",
  network: "You are on a private network.",
} as const;
