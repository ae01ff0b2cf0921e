import { isIPv4 } from "node:net";
import { networkOf, readAddress } from "../../text/ip-address.js";
import { isLoopbackHost } from "./addresses.js";
import type { Config } from "./config.js";

/**
 * Returns sentences about settings that are valid and probably not what the operator wants.
 *
 * @param cores the number of processor cores that this process may use
 */
export function settingWarnings(config: Config, cores: number): string[] {
  const { host, apiKeysFile, workers, trustedProxies } = config;
  return [
    ...warningIf(
      !isLoopbackHost(host) && apiKeysFile === undefined,
      `HOST is ${host}, and API_KEYS_FILE is not set: every client that can reach the service can use it`,
    ),
    ...trustedProxies.flatMap(proxyWarnings),
    ...warningIf(
      workers > cores,
      `WORKERS is ${workers}, and there are ${cores} processor cores: more workers take memory and bring no benefit`,
    ),
  ];
}

function warningIf(isWrong: boolean, warning: string): string[] {
  return isWrong ? [warning] : [];
}

function proxyWarnings(block: string): string[] {
  const [text = "", prefix] = block.split("/");
  const address = readAddress(text);
  if (prefix === undefined || address === undefined) {
    return [];
  }
  if (Number(prefix) === 0) {
    return [`TRUSTED_PROXIES has ${block}: every client can claim any address, and evade limits by address`];
  }
  // An IPv4-mapped IPv6 address is read as IPv4.
  const length = Number(prefix) - (address.family === 4 && !isIPv4(text) ? 96 : 0);
  const network = length < 0 ? undefined : networkOf(address, length);
  return warningIf(
    network !== undefined && network !== `${address.text}/${length}`,
    `TRUSTED_PROXIES has ${block}, which means all of ${network}`,
  );
}
