import type { Rate } from "connect-transcoding-operations/settings/values";

/** An area that can be open without an API key while the API requires one. */
export type OpenArea = "docs" | "reflection" | "metrics";

/** The settings of the service. `settings.ts` has the notation, default and bounds of each. */
export interface Config {
  /** The IP address or host name to listen on. */
  readonly host: string;
  /** The port to listen on; 0 lets the system choose. */
  readonly port: number;
  /** The URL of the service as clients see it, without a final slash; undefined: derived from each request. */
  readonly publicBaseUrl: string | undefined;
  /** Addresses and CIDR blocks of the proxies whose forwarding headers are honored. */
  readonly trustedProxies: readonly string[];
  /** The header in which these proxies send the address of the client, in lower case. */
  readonly clientAddressHeader: string;
  /** Whether connections of these proxies begin with a header of the PROXY protocol. */
  readonly proxyProtocol: "off" | "required";
  /** PEM file with the certificate chain; undefined: cleartext. */
  readonly tlsCertFile: string | undefined;
  /** PEM file with the private key of the certificate; undefined if and only if there is no certificate. */
  readonly tlsKeyFile: string | undefined;
  /** The handling of unknown request parameters. */
  readonly unknownParameters: "reject" | "ignore";
  /** Origins whose pages may read responses, or `*` alone for all. */
  readonly corsOrigins: readonly string[];
  /** Whether the page and the API reference are served. */
  readonly webPage: "on" | "off";
  /** Whether agents can use the tools at `/mcp`. */
  readonly mcp: "on" | "off";
  /** MMDB files with locations; undefined: the one in `dataDir`, or those of the installation. */
  readonly geoIpCityFiles: readonly string[] | undefined;
  /** MMDB files with autonomous systems; undefined: the one in `dataDir`, or that of the installation. */
  readonly geoIpAsnFiles: readonly string[] | undefined;
  /** The folder of downloaded data files. It may not exist. */
  readonly dataDir: string;
  /** File with the hashes of API keys; undefined: no key is required. */
  readonly apiKeysFile: string | undefined;
  /** Whether there is a metric of the requests of each API key. */
  readonly apiKeyMetrics: "on" | "off";
  /** Areas that require no API key. */
  readonly openAreas: readonly OpenArea[];
  /** The requests allowed per API key, or per client address without a key; undefined: unlimited. */
  readonly rateLimit: Rate | undefined;
  /** URL of the Redis or Valkey that shares the counters of replicas, possibly with a password; undefined: in memory. */
  readonly rateLimitStore: string | undefined;
  /** The number of requests that a process takes from the shared store at once. */
  readonly rateLimitBlock: number;
  /** Milliseconds in which the head of a request must arrive; never more than `requestTimeout`. */
  readonly headersTimeout: number;
  /** Milliseconds in which a whole request must arrive. */
  readonly requestTimeout: number;
  /** Maximum idle time of a connection, in milliseconds. */
  readonly idleTimeout: number;
  /** The limit of concurrent connections. */
  readonly maxConnections: number;
  /** The limit of concurrent connections of one client address; undefined: none. */
  readonly maxConnectionsPerClient: number | undefined;
  /** The limit of concurrent streams per HTTP/2 connection. */
  readonly maxConcurrentStreams: number;
  /** The limit of bytes that connections hold: incomplete bodies, and responses that clients do not read. */
  readonly maxHeldBytes: number;
  /** The limit of a request's head, in bytes. */
  readonly maxHeaderBytes: number;
  /** The limit of header fields of a request. */
  readonly maxHeaderFields: number;
  /** The limit of a request's body or message, in bytes. */
  readonly maxRequestBytes: number;
  /** The lowest level that is logged. */
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error" | "silent";
  /** Whether a terminal gets a banner in place of the lines about the start; `json` writes JSON only. */
  readonly logFormat: "auto" | "json";
  /** The requests that are logged. */
  readonly logRequests: "none" | "failed" | "all";
  /** Whether the log and spans have the addresses of clients. */
  readonly logAddresses: "on" | "off";
  /** The base URL of the OTLP/HTTP collector for spans; undefined: no tracing. */
  readonly otlpEndpoint: URL | undefined;
  /** The URL that receives spans, as it is; undefined: derived from `otlpEndpoint`. */
  readonly otlpTracesEndpoint: URL | undefined;
  /** The number of processes that handle requests. */
  readonly workers: number;
  /** Milliseconds in which calls in progress may finish on shutdown. */
  readonly gracePeriod: number;
  /** Milliseconds after the shutdown signal for which connections are still accepted while the service reports not ready. */
  readonly stopDelay: number;
}
