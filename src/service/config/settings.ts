import type { Config } from "./config.js";
import { durationBetween } from "./duration.js";
import { RATE } from "./rate.js";
import type { Setting } from "./setting.js";
import { choice, numberBetween } from "./setting-value.js";
import {
  ADDRESS_BLOCKS,
  AREAS,
  BASE_URL,
  BASE_URL_TEXT,
  FILE,
  FILES,
  HOST,
  ORIGINS,
  REDIS_URL,
} from "./value-kinds.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const KIB = 1024;

const EMPTY = { value: Object.freeze([]), words: "none" } as const;

/** Every setting by its member of {@link Config}, in the order in which people are shown them. */
export const SETTINGS: { readonly [K in keyof Config]: Setting<Config[K]> } = {
  host: {
    name: "HOST",
    group: "Address",
    meaning: "the address or host name to listen on; `::` or `0.0.0.0` for all",
    value: HOST,
    default: { text: "127.0.0.1" },
  },
  port: {
    name: "PORT",
    group: "Address",
    meaning: "the port to listen on; `0` takes a free one",
    value: numberBetween(0, 65_535),
    default: { text: "8080" },
  },
  publicBaseUrl: {
    name: "PUBLIC_BASE_URL",
    group: "Address",
    meaning: "how callers reach the service, for the URLs in answers; may have a path",
    value: BASE_URL_TEXT,
    default: { value: undefined, words: "what each request says" },
  },
  trustedProxies: {
    name: "TRUSTED_PROXIES",
    group: "Address",
    meaning: "proxies whose word on the caller's address is taken",
    value: ADDRESS_BLOCKS,
    default: EMPTY,
  },
  tlsCertFile: {
    name: "TLS_CERT_FILE",
    group: "TLS",
    meaning: "PEM file with the certificate and its chain; read again when it changes",
    value: FILE,
    default: { value: undefined, words: "cleartext" },
  },
  tlsKeyFile: {
    name: "TLS_KEY_FILE",
    group: "TLS",
    meaning: "PEM file with the certificate's private key, likewise",
    value: FILE,
    default: { value: undefined, words: "cleartext" },
  },
  apiKeysFile: {
    name: "API_KEYS_FILE",
    group: "Access",
    meaning:
      "file with the hashes of API keys, one of which every request then needs; read again when it changes",
    value: FILE,
    default: { value: undefined, words: "no keys needed" },
  },
  openAreas: {
    name: "OPEN_AREAS",
    group: "Access",
    meaning: "what needs no API key when the rest does, besides health",
    value: AREAS,
    default: EMPTY,
  },
  corsOrigins: {
    name: "CORS_ORIGINS",
    group: "Access",
    meaning: "origins whose pages may read answers in browsers; `*` for all",
    value: ORIGINS,
    default: EMPTY,
  },
  rateLimit: {
    name: "RATE_LIMIT",
    group: "Rate limit",
    meaning: "how many requests an API key, or an address without one, may make in a time",
    value: RATE,
    default: { value: undefined, words: "no limit" },
  },
  rateLimitStore: {
    name: "RATE_LIMIT_STORE",
    group: "Rate limit",
    meaning: "Redis or Valkey in which replicas count together",
    value: REDIS_URL,
    default: { value: undefined, words: "in memory" },
  },
  // Time-outs are never off, and never so long that silent callers could hold connections for good. The lower bounds leave
  // callers on slow lines a chance.
  headersTimeout: {
    name: "HEADERS_TIMEOUT",
    group: "Connections",
    meaning: "how long the head of a request may take to arrive; at most as long as the whole request",
    value: durationBetween(100, 10 * MINUTE),
    default: { text: "10s" },
  },
  requestTimeout: {
    name: "REQUEST_TIMEOUT",
    group: "Connections",
    meaning: "how long a whole request may take to arrive",
    value: durationBetween(100, HOUR),
    default: { text: "30s" },
  },
  // A proxy in front must be the first to give up an idle connection, or it sends requests into closed ones: the common
  // proxies keep them for 60 seconds.
  idleTimeout: {
    name: "IDLE_TIMEOUT",
    group: "Connections",
    meaning: "how long a connection may be without a request; longer than a proxy in front keeps it",
    value: durationBetween(SECOND, HOUR),
    default: { text: "65s" },
  },
  // Linux lets no process have more than 1,048,576 files unless it is told otherwise (fs.nr_open).
  maxConnections: {
    name: "MAX_CONNECTIONS",
    group: "Connections",
    meaning: "connections at once, of each worker",
    value: numberBetween(1, 1_048_576),
    default: { text: "16384" },
  },
  // Each stream may hold a request of MAX_REQUEST_BYTES in memory. RFC 9113, section 6.5.2, advises against less than 100.
  maxConcurrentStreams: {
    name: "MAX_CONCURRENT_STREAMS",
    group: "Connections",
    meaning: "streams at once on a connection of HTTP/2; clients expect no less than 100",
    value: numberBetween(1, 65_536),
    default: { text: "256" },
  },
  // What browsers and proxies add by themselves takes up to 4 KiB. Parsers hold the whole head in memory.
  maxHeaderBytes: {
    name: "MAX_HEADER_BYTES",
    group: "Requests",
    meaning: "the longest head of a request, its path and query included",
    value: numberBetween(4 * KIB, 256 * KIB),
    default: { text: "16384" },
  },
  // No method but batches takes more than some 30 KB, and those that do say so; bodies are held in memory whole.
  maxRequestBytes: {
    name: "MAX_REQUEST_BYTES",
    group: "Requests",
    meaning: "the longest body or message of a request; batches may need more, and have it",
    value: numberBetween(KIB, KIB * KIB),
    default: { text: "65536" },
  },
  unknownParameters: {
    name: "UNKNOWN_PARAMETERS",
    group: "Requests",
    meaning: "what to do with request parameters that no method on the path knows",
    value: choice("WORD", ["reject", "ignore"]),
    default: { text: "reject" },
  },
  geoIpCityFiles: {
    name: "GEOIP_CITY_FILES",
    group: "Data",
    meaning: "MMDB files with locations: one for both IP versions, or one for each",
    value: FILES,
    default: { value: undefined, words: "DB-IP's, as installed" },
  },
  geoIpAsnFiles: {
    name: "GEOIP_ASN_FILES",
    group: "Data",
    meaning: "MMDB files with autonomous systems, likewise",
    value: FILES,
    default: { value: undefined, words: "as built on installation" },
  },
  logLevel: {
    name: "LOG_LEVEL",
    group: "Logs and traces",
    meaning: "the least that is logged",
    value: choice("LEVEL", ["trace", "debug", "info", "warn", "error", "silent"]),
    default: { text: "info" },
  },
  logRequests: {
    name: "LOG_REQUESTS",
    group: "Logs and traces",
    meaning: "which requests get a line in the log",
    value: choice("WORD", ["none", "failed", "all"]),
    default: { text: "none" },
  },
  otlpEndpoint: {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    group: "Logs and traces",
    meaning: "the base URL of an OpenTelemetry collector that takes spans over HTTP",
    value: BASE_URL,
    default: { value: undefined, words: "no spans" },
  },
  // Each worker reads the databases, 150 MB, and takes some 100 MB of its own; more workers than cores gain nothing.
  workers: {
    name: "WORKERS",
    group: "Process",
    meaning: "processes that take requests; no more than the machine has cores",
    value: numberBetween(1, 256),
    default: { text: "1" },
  },
  gracePeriod: {
    name: "GRACE_PERIOD",
    group: "Process",
    meaning: "how long calls under way get to finish when the service stops",
    value: durationBetween(0, HOUR),
    default: { text: "10s" },
  },
  // Load balancers look every few seconds whether a server is ready; ten minutes are enough for the slowest.
  stopDelay: {
    name: "STOP_DELAY",
    group: "Process",
    meaning:
      "how long it still takes connections after the signal to stop, while saying that it is not ready",
    value: durationBetween(0, 10 * MINUTE),
    default: { text: "0s" },
  },
};
