import type { RequestOrigin } from "../request.js";

/** How far a connection has advanced. If there are too many, those with a lower number are closed first. */
export const Stage = {
  /** The last response has been sent, and only the client's half is open. */
  LINGERING: 0,
  /** There is no request: the TLS handshake or the preface is incomplete, or the connection waits for its next request. */
  IDLE: 1,
  /** The head of a request is incomplete. */
  HEAD: 2,
  /** The body of a request is incomplete. */
  BODY: 3,
  /** The client has to read a response. */
  UNREAD: 4,
  /** A response has begun, and neither side sends anything. */
  STREAM: 5,
  /** A request is being handled. */
  ACTIVE: 6,
} as const;

export type ConnectionStage = (typeof Stage)[keyof typeof Stage];

/** A connection whose protocol is known. */
export interface ServedConnection {
  /** Closes the connection if a timeout has expired. `now` is in milliseconds. */
  check(now: number): void;
  /** Since when the connection is idle, as of the latest check; undefined if it has been used since. */
  readonly idleSince: number | undefined;
  /** How far its most advanced request is. */
  readonly stage: ConnectionStage;
  /** The number of bytes that have been received and sent. */
  readonly traffic: number;
  readonly openRequests: readonly RequestOrigin[];
  /**
   * Does the next step of a graceful shutdown each time it is called. Requests are still served until `isLate`; then the
   * connection closes as soon as it has none.
   */
  shutDown(now: number, isLate: boolean): void;
  destroy(): void;
}
