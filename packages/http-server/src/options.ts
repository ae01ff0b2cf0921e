import type { ByteBudget } from "./core/byte-budget.js";
import type { FormatRejection, Rejection } from "./core/rejection.js";
import type { OptionNames } from "./known-options.js";
import type { RequestOrigin, ServerRequest } from "./request.js";

/** A certificate chain and its private key in PEM. */
export interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** A certificate and its key, which are reloaded when their files change. */
export interface TlsFiles {
  /** The latest valid pair. */
  readonly current: TlsPair;
  /** Calls `listener` with each new valid pair. */
  onChange(listener: (pair: TlsPair) => void): void;
}

/** Which connection is closed if there are too many: one that has no request, one in use, or the new one. */
export type DroppedConnection = "idle" | "in_use" | "new";

/** Timeouts and limits of a server. All times are in milliseconds. */
export interface ServerLimits {
  /** Time until the protocol of a connection is known, a handshake is complete, and a header section is complete. */
  readonly headersTimeout: number;
  /** Time until a request is complete, and in which the client must read part of a response. */
  readonly requestTimeout: number;
  /** Time that a connection may be open without a request. */
  readonly idleTimeout: number;
  /** Time until the client of a quiet HTTP/2 connection must acknowledge a PING, or close its half after a GOAWAY. */
  readonly pingTimeout: number;
  /** The maximum number of connections. */
  readonly maxConnections: number;
  /**
   * The maximum number of connections of one client: an IPv4 address or an IPv6 /64 network, except of this machine. Connections of a
   * gateway count only for a client in a header of the PROXY protocol. Undefined for none.
   */
  readonly maxConnectionsPerClient: number | undefined;
  /** The maximum number of concurrent requests on one HTTP/2 connection. */
  readonly maxConcurrentStreams: number;
  /** The maximum size of a header section in bytes: those of its names and values, and 32 for each field. */
  readonly maxHeaderBytes: number;
  /** The maximum number of fields of a header section. */
  readonly maxHeaderFields: number;
  /** Time during which open connections still accept requests after the first GOAWAY of a shutdown. */
  readonly linger: number;
  /**
   * The maximum number of bytes that all connections hold; the README of the package lists what counts. Connections without
   * requests take at most half of it. When three quarters of the rest are held, further requests of the connections that hold
   * the most are `isOverdrawn`. Beyond it, the connections that have held the most for the longest are closed.
   */
  readonly maxHeldBytes: number;
}

/** The defaults. */
export const DEFAULT_LIMITS: ServerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  idleTimeout: 65_000,
  pingTimeout: 10_000,
  maxConnections: 8_192,
  maxConnectionsPerClient: undefined,
  maxConcurrentStreams: 256,
  maxHeaderBytes: 16_384,
  maxHeaderFields: 100,
  maxHeldBytes: 128 * 1024 * 1024,
  linger: 300,
};

/** The HTTP methods that a server understands: a set, or an object whose content may change. */
export type HttpMethods = Pick<ReadonlySet<string>, "has" | typeof Symbol.iterator>;

/** Options of a server. */
export interface ServerOptions extends Partial<ServerLimits> {
  /** Called with each request, once its header section has been received. Must not throw. */
  readonly onRequest: (request: ServerRequest) => void;
  /** The certificate and its key. Default: none, which means cleartext. */
  readonly tls?: TlsFiles | undefined;
  /** The HTTP methods that the server understands; others get 501. Default: all but CONNECT. */
  readonly methods?: HttpMethods | undefined;
  /** Whether a peer is a gateway that may end TLS for this server, and so may ask for `https` in cleartext. Default: none. */
  readonly isGateway?: ((peerAddress: string) => boolean) | undefined;
  /**
   * Whether each connection of a peer begins with a header of the PROXY protocol, version 1 or 2, which has the address of the client.
   * Connections without a valid header are closed then. Other peers must not send one. Default: none.
   */
  readonly hasProxyHeader?: ((peerAddress: string) => boolean) | undefined;
  /** Whether a request is a stream, which may take longer than `requestTimeout`. Default: none. */
  readonly isOpenEnded?: ((target: string) => boolean) | undefined;
  /** Formats the responses to rejected requests. Default: plain text. */
  readonly formatRejection?: FormatRejection | undefined;
  /** Called for each request that is rejected before it reaches the handler. */
  readonly onReject?: ((rejection: Rejection, peerAddress: string) => void) | undefined;
  /**
   * Returns the address of the client for which a gateway has sent a request; undefined if it is not known. If there are too many, a
   * connection of a gateway counts for that client. Default: not known.
   */
  readonly forwardedClient?: ((request: RequestOrigin) => string | undefined) | undefined;
  /**
   * Called for each connection that is closed because there are too many, with its client: an IPv4 address or the first half of an IPv6
   * address; empty if it is not known.
   */
  readonly onConnectionDropped?: ((which: DroppedConnection, client: string) => void) | undefined;
}

/** The names of all options. */
export const SERVER_OPTIONS: OptionNames<ServerOptions> = {
  ...DEFAULT_LIMITS,
  onRequest: true,
  tls: true,
  methods: true,
  isGateway: true,
  hasProxyHeader: true,
  isOpenEnded: true,
  forwardedClient: true,
  formatRejection: true,
  onReject: true,
  onConnectionDropped: true,
};

type SharedLimits = Omit<
  ServerLimits,
  "maxConnections" | "maxConnectionsPerClient" | "linger" | "maxHeldBytes"
>;
type SharedOptions = "onRequest" | "isGateway" | "isOpenEnded" | "formatRejection" | "onReject";

/** What the connections of a server share. */
export type ConnectionOptions = SharedLimits & {
  [Name in SharedOptions]-?: NonNullable<ServerOptions[Name]>;
} & {
  readonly methods: HttpMethods | undefined;
  readonly budget: ByteBudget;
  /** Whether the server shuts down. */
  readonly isStopping: () => boolean;
  /** Connections that are still read after their last response. */
  readonly lingering: Set<object>;
};
