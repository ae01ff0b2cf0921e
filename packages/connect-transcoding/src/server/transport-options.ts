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
  /** Stops watching the files. */
  stop(): void;
}

/** Timeouts and limits of connections. All times are in milliseconds. */
export interface TransportOptions {
  /** The certificate and its key. Default: none, which means cleartext. */
  readonly tls?: TlsFiles | undefined;
  /** Time until the protocol of a connection is known, a handshake is complete, and a header section is complete. */
  readonly headersTimeout: number;
  /** Time until a request is complete, and in which the client must read part of a response. */
  readonly requestTimeout: number;
  /** Time that a connection may be open without a request. */
  readonly idleTimeout: number;
  /** Time until the client of a quiet HTTP/2 connection must acknowledge a PING. */
  readonly pingTimeout: number;
  /** The maximum number of connections. */
  readonly maxConnections: number;
  /** The maximum number of concurrent requests on one HTTP/2 connection. */
  readonly maxConcurrentStreams: number;
  /** The maximum length of a header section in bytes. */
  readonly maxHeaderBytes: number;
  /** Time during which open connections still accept requests after the first GOAWAY of a shutdown. */
  readonly linger: number;
  /**
   * The maximum number of bytes that all connections hold: open requests, and responses that clients do not read.
   * From three quarters of it, further requests of the connections that hold the most wait, and are rejected with
   * `RESOURCE_EXHAUSTED` (503) after a second. Beyond it, the connections that have held the most for the longest are closed.
   */
  readonly maxHeldBytes: number;
  /** The HTTP/2 server: `one-port` or `node:http2`. Default: `own`. */
  readonly http2: "own" | "node";
  /** Whether the request with this target is a stream of messages, which may take longer than `requestTimeout`. */
  readonly isOpenEnded: (target: string) => boolean;
  /** Called for each connection that is closed because there are too many: an idle one, or the new one. */
  readonly onConnectionDropped: (which: DroppedConnection) => void;
  /** Called for each malformed request over HTTP/1.1, with the status of the response and the address of the client. */
  readonly onUnreadRequest: (status: UnreadStatus, peerAddress: string) => void;
}

/** The status for a malformed request, for incomplete headers, and for headers that are too long. */
export type UnreadStatus = 400 | 408 | 431;

/** Which connection is closed if there are too many: an idle one, or the new one. */
export type DroppedConnection = "idle" | "new";

/** The defaults. */
export const DEFAULT_TRANSPORT: TransportOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  idleTimeout: 65_000,
  pingTimeout: 10_000,
  maxConnections: 16_384,
  maxConcurrentStreams: 256,
  maxHeaderBytes: 16_384,
  maxHeldBytes: 128 * 1024 * 1024,
  http2: "own",
  linger: 300,
  isOpenEnded: () => false,
  onConnectionDropped: () => {},
  onUnreadRequest: () => {},
};

const LONGEST_SWEEP_INTERVAL = 2_000;
const SHORTEST_SWEEP_INTERVAL = 10;

/**
 * The interval of the checks of connections in milliseconds. A timeout takes effect that much later, and requests need no
 * timers of their own.
 */
export function sweepInterval(options: TransportOptions): number {
  const { headersTimeout, requestTimeout, idleTimeout, pingTimeout } = options;
  const shortest = Math.min(headersTimeout, requestTimeout, idleTimeout, pingTimeout);
  return Math.round(Math.min(Math.max(shortest / 8, SHORTEST_SWEEP_INTERVAL), LONGEST_SWEEP_INTERVAL));
}
