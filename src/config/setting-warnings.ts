import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { isInBlocks } from "connect-transcoding-operations/settings/addresses";
import { formatRate } from "connect-transcoding-operations/settings/values";
import { networkOf, readAddress } from "../text/ip-address.js";
import { isLoopbackHost } from "./addresses.js";
import { MAX_BATCH_ITEMS } from "./batch-limit.js";
import type { Config } from "./config.js";

/** Files that a process has open besides its connections. */
const OTHER_FILES = 64;

/**
 * Returns sentences about settings that are valid and probably not what the operator wants. Each begins with the name of a setting.
 *
 * @param cores the number of processor cores that this process may use
 * @param openFiles the number of files that it may open
 */
export function settingWarnings(
  config: Config,
  cores: number,
  openFiles = Number.POSITIVE_INFINITY,
): string[] {
  const { host, apiKeysFile, workers, trustedProxies, maxConnections, maxConnectionsPerClient } = config;
  return [
    ...warningIf(
      !isLoopbackHost(host) && apiKeysFile === undefined,
      `HOST is ${host}, and API_KEYS_FILE is not set: every client that can reach the service can use it`,
    ),
    ...trustedProxies.flatMap(proxyWarnings),
    ...rateLimitWarnings(config),
    ...warningIf(
      maxConnectionsPerClient !== undefined && maxConnectionsPerClient >= maxConnections,
      `MAX_CONNECTIONS_PER_CLIENT is ${maxConnectionsPerClient}, and MAX_CONNECTIONS is ${maxConnections}: it has no effect`,
    ),
    ...warningIf(
      maxConnections + OTHER_FILES > openFiles,
      `MAX_CONNECTIONS is ${maxConnections}, and the process can open ${openFiles} files (ulimit -n): it cannot accept as many connections`,
    ),
    ...warningIf(
      workers > cores,
      `WORKERS is ${workers}, and there are ${cores} processor cores: more workers take memory and bring no benefit`,
    ),
    ...requestLogWarnings(config),
  ];
}

/** Returns the number of files that this process may open (proc_pid_limits(5)); infinite if unknown or unlimited. */
export function maxOpenFiles(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function warningIf(isWrong: boolean, warning: string): string[] {
  return isWrong ? [warning] : [];
}

function rateLimitWarnings({ rateLimit, rateLimitStore, rateLimitBlock, workers }: Config): string[] {
  if (rateLimit === undefined) {
    return [];
  }
  const { limit } = rateLimit;
  const rate = `RATE_LIMIT is ${formatRate(rateLimit)}`;
  return [
    ...warningIf(
      rateLimitStore === undefined && workers > 1,
      `${rate}, and each of ${workers} WORKERS counts by itself: a client can send up to ${workers} times ` +
        "as much. RATE_LIMIT_STORE lets them share the limit",
    ),
    ...warningIf(
      limit < MAX_BATCH_ITEMS,
      `${rate}: a batch that has more items is rejected, and ${MAX_BATCH_ITEMS} are allowed otherwise`,
    ),
    ...warningIf(
      rateLimitBlock > 1 && rateLimitBlock >= limit,
      `RATE_LIMIT_BLOCK is ${rateLimitBlock}, and ${rate}: one process takes all requests of a client, and the others reject it`,
    ),
  ];
}

/** Lines about requests have the level `info`, except for failures of the service itself, which have `error`. */
function requestLogWarnings({ logRequests, logLevel }: Config): string[] {
  return warningIf(
    logRequests !== "none" && ["warn", "error", "silent"].includes(logLevel),
    `LOG_REQUESTS is ${logRequests}, and LOG_LEVEL is ${logLevel}: ` +
      (logLevel === "silent"
        ? "no request is logged"
        : "only requests with a failure of the service are logged"),
  );
}

function proxyWarnings(block: string): string[] {
  const [text = "", prefix] = block.split("/");
  const address = readAddress(text);
  if (prefix === undefined || address === undefined) {
    return [];
  }
  // An IPv4-mapped IPv6 address is read as IPv4.
  const length = Number(prefix) - (address.family === 4 && !isIPv4(text) ? 96 : 0);
  if (length < SHORTEST_PREFIX[address.family] && !isLocal(address.text, length)) {
    const who = Number(prefix) === 0 ? "every client" : "every client in this large block";
    return [`TRUSTED_PROXIES has ${block}: ${who} can claim any address, and evade limits by address`];
  }
  const network = length < 0 ? undefined : networkOf(address, length);
  return warningIf(
    network !== undefined && network !== `${address.text}/${length}`,
    `TRUSTED_PROXIES has ${block}, which means all of ${network}`,
  );
}

/** Blocks with shorter prefixes have clients besides proxies. Private networks of IPv4 have at least 8 bits. */
const SHORTEST_PREFIX = { 4: 8, 6: 16 };

/** The shorter prefixes for which no public address exists: unique local and link-local addresses (RFC 4193; RFC 4291, section 2.5.6). */
const LOCAL_BLOCKS = [
  { block: "fc00::/7", length: 7 },
  { block: "fe80::/10", length: 10 },
];

/** Whether all addresses of a block are local. */
function isLocal(address: string, length: number): boolean {
  return LOCAL_BLOCKS.some((local) => length >= local.length && isInBlocks([local.block], address));
}
