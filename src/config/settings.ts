import { join } from "node:path";
import {
  AREAS,
  choice,
  durationBetween,
  FILE,
  FILES,
  FOLDER,
  HEADER_NAME,
  RATE,
  type SettingValue,
  wholeNumber,
} from "connect-transcoding-operations/settings/values";
import { PACKAGE_FOLDER } from "../installed-package.js";
import { ADDRESS_BLOCKS, BASE_URL, BASE_URL_TEXT, HOST, ORIGINS, REDIS_URL } from "./addresses.js";
import type { Config } from "./config.js";

/** The groups of settings in documents and help, in this order. */
export const GROUPS = [
  "Address",
  "TLS",
  "Access",
  "Rate limit",
  "Connections",
  "Requests",
  "Data",
  "Logs and traces",
  "Process",
] as const;

/** A default: a text that is parsed like any other, or a value that has no notation. */
export type Default<T> = { readonly text: string } | { readonly value: T; readonly words: string };

/** One setting: its name, group, documentation, notation and default. */
export interface Setting<T> {
  /** The environment variable. */
  readonly name: string;
  readonly group: (typeof GROUPS)[number];
  /** One sentence without a capital and a full stop; may have Markdown's code spans. */
  readonly meaning: string;
  readonly value: SettingValue<Exclude<T, undefined>>;
  readonly default: Default<T>;
}

/** Returns the flag of a setting: `--rate-limit` for RATE_LIMIT. */
export function settingFlag({ name }: Pick<Setting<unknown>, "name">): string {
  return `--${name.toLowerCase().replaceAll("_", "-")}`;
}

/** Returns the default value of a setting. Throws an Error if the text of the default is not allowed. */
export function defaultOf<T>({ name, value, default: byDefault }: Setting<T>): T {
  if ("value" in byDefault) {
    return byDefault.value;
  }
  const parsed = value.parse(byDefault.text);
  if (parsed === undefined) {
    throw new Error(`the default of ${name} is not allowed`);
  }
  return parsed;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const KIB = 1024;

const EMPTY = { value: Object.freeze([]), words: "none" } as const;

/** Every setting by its member of {@link Config}, in the order of documents and help. */
export const SETTINGS: { readonly [K in keyof Config]: Setting<Config[K]> } = {
  host: {
    name: "HOST",
    group: "Address",
    meaning: "the address to listen on; `::` or `0.0.0.0` for all",
    value: HOST,
    default: { text: "127.0.0.1" },
  },
  port: {
    name: "PORT",
    group: "Address",
    meaning: "the port to listen on; `0` takes a free one",
    value: wholeNumber(0, 65_535),
    default: { text: "8080" },
  },
  publicBaseUrl: {
    name: "PUBLIC_BASE_URL",
    group: "Address",
    meaning: "the URL that clients use, for URLs in responses; may have a path",
    value: BASE_URL_TEXT,
    default: { value: undefined, words: "derived from each request" },
  },
  trustedProxies: {
    name: "TRUSTED_PROXIES",
    group: "Address",
    meaning: "proxies whose forwarding headers are honored, and which may end TLS for HTTP/2",
    value: ADDRESS_BLOCKS,
    default: EMPTY,
  },
  clientAddressHeader: {
    name: "CLIENT_ADDRESS_HEADER",
    group: "Address",
    meaning: "the header in which `TRUSTED_PROXIES` send the address of the client",
    value: HEADER_NAME,
    default: { text: "x-forwarded-for" },
  },
  proxyProtocol: {
    name: "PROXY_PROTOCOL",
    group: "Address",
    meaning: "whether connections of `TRUSTED_PROXIES` begin with a PROXY protocol header, version 1 or 2",
    value: choice("WORD", ["off", "required"]),
    default: { text: "off" },
  },
  tlsCertFile: {
    name: "TLS_CERT_FILE",
    group: "TLS",
    meaning: "PEM file with the certificate chain; reloaded when it changes",
    value: FILE,
    default: { value: undefined, words: "cleartext" },
  },
  tlsKeyFile: {
    name: "TLS_KEY_FILE",
    group: "TLS",
    meaning: "PEM file with its private key; reloaded when it changes",
    value: FILE,
    default: { value: undefined, words: "cleartext" },
  },
  apiKeysFile: {
    name: "API_KEYS_FILE",
    group: "Access",
    meaning: "API-key hashes; when set, every request needs a valid key; reloaded when it changes",
    value: FILE,
    default: { value: undefined, words: "no keys needed" },
  },
  apiKeyMetrics: {
    name: "API_KEY_METRICS",
    group: "Access",
    meaning: "whether a metric counts the requests of each API key, of at most 1,000 names",
    value: choice("WORD", ["on", "off"]),
    default: { text: "off" },
  },
  openAreas: {
    name: "OPEN_AREAS",
    group: "Access",
    meaning:
      "areas that require no API key, besides health checks; `reflection` includes `grpc.health.v1.Health/List`",
    value: AREAS,
    default: EMPTY,
  },
  corsOrigins: {
    name: "CORS_ORIGINS",
    group: "Access",
    meaning: "origins whose pages may read responses; `*` for all",
    value: ORIGINS,
    default: EMPTY,
  },
  webPage: {
    name: "WEB_PAGE",
    group: "Access",
    meaning: "whether the web page at `/` and the API reference at `/docs` are served",
    value: choice("WORD", ["on", "off"]),
    default: { text: "on" },
  },
  mcp: {
    name: "MCP",
    group: "Access",
    meaning: "whether agents can use the tools at `/mcp`, by the Model Context Protocol",
    value: choice("WORD", ["on", "off"]),
    default: { text: "on" },
  },
  rateLimit: {
    name: "RATE_LIMIT",
    group: "Rate limit",
    meaning: "requests per API key or client address; each item of a batch counts",
    value: RATE,
    default: { value: undefined, words: "no limit" },
  },
  rateLimitStore: {
    name: "RATE_LIMIT_STORE",
    group: "Rate limit",
    meaning: "Redis or Valkey that shares the counters of all replicas",
    value: REDIS_URL,
    default: { value: undefined, words: "in memory" },
  },
  rateLimitBlock: {
    name: "RATE_LIMIT_BLOCK",
    group: "Rate limit",
    meaning: "requests of a client that a process takes from the store at once",
    value: wholeNumber(1, 1_000_000),
    default: { text: "1" },
  },
  // Timeouts cannot be disabled, so that silent clients cannot hold connections forever. The lower bounds leave slow
  // clients enough time.
  headersTimeout: {
    name: "HEADERS_TIMEOUT",
    group: "Connections",
    meaning: "time in which the head of a request must arrive; at most `REQUEST_TIMEOUT`",
    value: durationBetween(100, 10 * MINUTE),
    default: { text: "10s" },
  },
  requestTimeout: {
    name: "REQUEST_TIMEOUT",
    group: "Connections",
    meaning: "time in which a whole request must arrive",
    value: durationBetween(100, HOUR),
    default: { text: "30s" },
  },
  // A proxy must close an idle connection first, or it sends requests into closed ones. Common proxies keep idle connections
  // for 60 seconds.
  idleTimeout: {
    name: "IDLE_TIMEOUT",
    group: "Connections",
    meaning: "time for which a connection may be idle; must exceed that of a proxy in front",
    value: durationBetween(SECOND, HOUR),
    default: { text: "65s" },
  },
  // Linux's default limit of open files per process (fs.nr_open).
  maxConnections: {
    name: "MAX_CONNECTIONS",
    group: "Connections",
    meaning: "concurrent connections per worker",
    value: wholeNumber(1, 1_048_576),
    default: { text: "8192" },
  },
  maxConnectionsPerClient: {
    name: "MAX_CONNECTIONS_PER_CLIENT",
    group: "Connections",
    meaning:
      "concurrent connections per client address and worker; not of this machine, and not of `TRUSTED_PROXIES`",
    value: wholeNumber(1, 1_048_576),
    default: {
      value: undefined,
      words: "no limit; when all places are taken, the client with the most loses one",
    },
  },
  // Each stream may hold a request of MAX_REQUEST_BYTES in memory. RFC 9113, section 6.5.2, advises against less than 100.
  maxConcurrentStreams: {
    name: "MAX_CONCURRENT_STREAMS",
    group: "Connections",
    meaning: "concurrent streams per HTTP/2 connection; clients expect at least 100",
    value: wholeNumber(1, 65_536),
    default: { text: "256" },
  },
  // A response may have 6 MB, and each connection at least one.
  maxHeldBytes: {
    name: "MAX_HELD_BYTES",
    group: "Connections",
    meaning: "bytes of memory that all connections of a worker hold",
    value: wholeNumber(16 * KIB * KIB, 64 * KIB * KIB * KIB),
    default: { text: "134217728" },
  },
  // Browsers and proxies add up to 4 KiB by themselves. Parsers hold the whole head in memory.
  maxHeaderBytes: {
    name: "MAX_HEADER_BYTES",
    group: "Requests",
    meaning: "bytes of path, query and header fields, with 32 more for each field",
    value: wholeNumber(4 * KIB, 256 * KIB),
    default: { text: "16384" },
  },
  // Envoy's default. A field takes more memory than its bytes.
  maxHeaderFields: {
    name: "MAX_HEADER_FIELDS",
    group: "Requests",
    meaning: "header fields of a request",
    value: wholeNumber(20, 10_000),
    default: { text: "100" },
  },
  // Only batches need more than about 30 KB, and they declare their own limit. Bodies are held in memory.
  maxRequestBytes: {
    name: "MAX_REQUEST_BYTES",
    group: "Requests",
    meaning: "bytes of a request's body or message; batch methods have a limit of their own",
    value: wholeNumber(KIB, KIB * KIB),
    default: { text: "65536" },
  },
  unknownParameters: {
    name: "UNKNOWN_PARAMETERS",
    group: "Requests",
    meaning: "whether requests with unknown parameters are rejected",
    value: choice("WORD", ["reject", "ignore"]),
    default: { text: "reject" },
  },
  geoIpCityFiles: {
    name: "GEOIP_CITY_FILES",
    group: "Data",
    meaning: "MMDB files with locations: one for both IP versions, or one for each",
    value: FILES,
    default: { value: undefined, words: "the file in `DATA_DIR`, or DB-IP City Lite as installed" },
  },
  geoIpAsnFiles: {
    name: "GEOIP_ASN_FILES",
    group: "Data",
    meaning: "MMDB files with autonomous systems: one for both IP versions, or one for each",
    value: FILES,
    default: { value: undefined, words: "the file in `DATA_DIR`, or origin-asn as installed" },
  },
  dataDir: {
    name: "DATA_DIR",
    group: "Data",
    meaning: "folder of the files that `update-data` downloads; they replace the installed ones",
    value: FOLDER,
    default: { value: join(PACKAGE_FOLDER, "data", "updates"), words: "data/updates of the installation" },
  },
  logLevel: {
    name: "LOG_LEVEL",
    group: "Logs and traces",
    meaning: "the lowest level that is logged",
    value: choice("LEVEL", ["trace", "debug", "info", "warn", "error", "silent"]),
    default: { text: "info" },
  },
  logFormat: {
    name: "LOG_FORMAT",
    group: "Logs and traces",
    meaning: "whether a terminal gets text about the start; the log is JSON lines",
    value: choice("WORD", ["auto", "json"]),
    default: { text: "auto" },
  },
  logRequests: {
    name: "LOG_REQUESTS",
    group: "Logs and traces",
    meaning: "the requests that are logged",
    value: choice("WORD", ["none", "failed", "all"]),
    default: { text: "none" },
  },
  logAddresses: {
    name: "LOG_ADDRESSES",
    group: "Logs and traces",
    meaning: "whether the log and spans have client addresses",
    value: choice("WORD", ["on", "off"]),
    default: { text: "on" },
  },
  otlpEndpoint: {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    group: "Logs and traces",
    meaning: "the base URL of an OpenTelemetry collector that receives spans over HTTP",
    value: BASE_URL,
    default: { value: undefined, words: "no spans" },
  },
  otlpTracesEndpoint: {
    name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    group: "Logs and traces",
    meaning: "the whole URL that receives spans over HTTP; takes precedence",
    value: BASE_URL,
    default: { value: undefined, words: "`/v1/traces` below `OTEL_EXPORTER_OTLP_ENDPOINT`" },
  },
  // Each worker loads the data once more. More workers than cores bring no benefit.
  workers: {
    name: "WORKERS",
    group: "Process",
    meaning: "processes that handle requests; at most one per core",
    value: wholeNumber(1, 256),
    default: { text: "1" },
  },
  gracePeriod: {
    name: "GRACE_PERIOD",
    group: "Process",
    meaning: "time in which calls in progress may finish on shutdown",
    value: durationBetween(0, HOUR),
    default: { text: "10s" },
  },
  // Load balancers check readiness every few seconds; ten minutes are enough for the slowest.
  stopDelay: {
    name: "STOP_DELAY",
    group: "Process",
    meaning: "time after the shutdown signal for which it accepts connections and reports not ready",
    value: durationBetween(0, 10 * MINUTE),
    default: { text: "0s" },
  },
};
