/** What may be open to everybody while other requests take an API key. */
export type OpenArea = "docs" | "reflection" | "metrics";

/** How many requests a caller may make in a time. */
export interface RateLimit {
  /** Requests, at least one. */
  readonly limit: number;
  /** Whole seconds, from one to a day. */
  readonly window: number;
}

/** The settings of the service; `settings.ts` has how each is written, its default and its bounds. */
export interface Config {
  /** Where to listen: an IP address or a host name. */
  readonly host: string;
  /** The port to listen on; 0 lets the system choose. */
  readonly port: number;
  /** How callers reach the service, without a final slash; undefined: what each request says. */
  readonly publicBaseUrl: string | undefined;
  /** Addresses and CIDR blocks of proxies whose word on the caller's address is taken. */
  readonly trustedProxies: readonly string[];
  /** PEM file with the certificate and those between it and its root; undefined: cleartext. */
  readonly tlsCertFile: string | undefined;
  /** PEM file with the certificate's private key; undefined exactly when there is no certificate. */
  readonly tlsKeyFile: string | undefined;
  /** What to do with request parameters that no method on the path knows. */
  readonly unknownParameters: "reject" | "ignore";
  /** Origins whose pages may read answers, as browsers send them; or `*` alone for all. */
  readonly corsOrigins: readonly string[];
  /** MMDB files with locations; undefined: those that come with the service. */
  readonly geoIpCityFiles: readonly string[] | undefined;
  /** MMDB files with autonomous systems; undefined: the one that comes with the service. */
  readonly geoIpAsnFiles: readonly string[] | undefined;
  /** File with the hashes of API keys; undefined: everybody may ask. */
  readonly apiKeysFile: string | undefined;
  /** What takes no API key when the rest does. */
  readonly openAreas: readonly OpenArea[];
  /** The requests that one API key, or one address without a key, may make; undefined: any number. */
  readonly rateLimit: RateLimit | undefined;
  /** URL of the Redis or Valkey where replicas count together, maybe with a password; undefined: in memory. */
  readonly rateLimitStore: string | undefined;
  /** Milliseconds for the head of a request to arrive in; never more than `requestTimeout`. */
  readonly headersTimeout: number;
  /** Milliseconds for a whole request to arrive in. */
  readonly requestTimeout: number;
  /** Milliseconds that a connection may stay without a request. */
  readonly idleTimeout: number;
  /** Connections at once. */
  readonly maxConnections: number;
  /** Streams at once on one connection of HTTP/2. */
  readonly maxConcurrentStreams: number;
  /** The longest head of a request, in octets. */
  readonly maxHeaderBytes: number;
  /** The longest request body or message, in octets. */
  readonly maxRequestBytes: number;
  /** The least that is logged. */
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error" | "silent";
  /** Which requests get a line in the log. */
  readonly logRequests: "none" | "failed" | "all";
  /** Where spans go, the base of OTLP over HTTP; undefined: none are made. */
  readonly otlpEndpoint: URL | undefined;
  /** Processes that take requests. */
  readonly workers: number;
  /** Milliseconds that calls under way get to finish when the service stops. */
  readonly gracePeriod: number;
  /** Milliseconds for which it goes on taking connections after it was told to stop, while saying that it is not ready. */
  readonly stopDelay: number;
}
