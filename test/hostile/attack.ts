/** What an attack has to do with. */
export interface AttackTools {
  readonly port: number;
  /** Until when it goes on, as `performance.now()` tells. */
  readonly until: number;
}

/** One way to do harm. */
export interface Attack {
  readonly name: string;
  /** Whether it is meant for a port with TLS. */
  readonly tls?: boolean;
  /** How many connections it has at most at a time. */
  readonly connections: number;
  /** Resolves when it is over; errors of connections are no errors of its own. */
  readonly run: (tools: AttackTools, connections: number) => Promise<void>;
}
