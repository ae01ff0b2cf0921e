import type { IncomingHttpHeaders } from "node:http2";

/** A certificate, with those between it and its root, and its private key, in PEM. */
export interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** A certificate and its key that are read again when their files change. */
export interface TlsFiles {
  /** The latest pair that was good. */
  readonly current: TlsPair;
  /** Has a listener told of each good pair that comes after the current one. */
  onChange(listener: (pair: TlsPair) => void): void;
  /** Looks after the files no longer. */
  stop(): void;
}

/** What the port does with connections, whatever is said over them. All times are in milliseconds. */
export interface TransportOptions {
  /** The certificate and its key; without them the port speaks cleartext. */
  readonly tls?: TlsFiles | undefined;
  /** How long a connection may take to say what it speaks, a handshake to end, and a header section to be complete. */
  readonly headersTimeout: number;
  /** How long a request may take to come in, and how long its caller may leave an answer lying without taking any of it. */
  readonly requestTimeout: number;
  /** How long a connection may be open without a request. */
  readonly idleTimeout: number;
  /** How long the other end of a silent HTTP/2 connection may take to answer a PING. */
  readonly pingTimeout: number;
  /** How many connections there may be. */
  readonly maxConnections: number;
  /** How many requests there may be at once on one HTTP/2 connection. */
  readonly maxConcurrentStreams: number;
  /** The longest header section, in octets. */
  readonly maxHeaderBytes: number;
  /** How long requests are still taken on open connections after their callers were told that the server stops. */
  readonly linger: number;
  /** Whether a request is a stream of messages that may go on for longer than the time that requests have to come in. */
  readonly isOpenEnded: (headers: IncomingHttpHeaders) => boolean;
  /** Is told of each connection that went because there were too many: one that nobody used, or the new one. */
  readonly onConnectionDropped: (which: DroppedConnection) => void;
  /** Is told of what came over HTTP/1.1 in the place of a request: with the status of its answer, and who sent it. */
  readonly onUnreadRequest: (status: UnreadStatus, peerAddress: string) => void;
}

/** What is answered to no request, to headers that do not end, and to those that are too long. */
export type UnreadStatus = 400 | 408 | 431;

/** Which connection had to go when there were too many: one that was silent or idle, or the one that had just come. */
export type DroppedConnection = "idle" | "new";

/** What holds where nothing else is said. */
export const DEFAULT_TRANSPORT: TransportOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  idleTimeout: 65_000,
  pingTimeout: 10_000,
  maxConnections: 16_384,
  maxConcurrentStreams: 256,
  maxHeaderBytes: 16_384,
  linger: 300,
  isOpenEnded: () => false,
  onConnectionDropped: () => {},
  onUnreadRequest: () => {},
};

const LONGEST_SWEEP_INTERVAL = 2_000;
const SHORTEST_SWEEP_INTERVAL = 10;

/**
 * How often connections are looked at, in milliseconds. A time-out is noticed that much late, and costs requests no timers
 * of their own.
 */
export function sweepInterval(options: TransportOptions): number {
  const { headersTimeout, requestTimeout, idleTimeout, pingTimeout } = options;
  const shortest = Math.min(headersTimeout, requestTimeout, idleTimeout, pingTimeout);
  return Math.round(Math.min(Math.max(shortest / 8, SHORTEST_SWEEP_INTERVAL), LONGEST_SWEEP_INTERVAL));
}
