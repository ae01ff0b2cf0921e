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
