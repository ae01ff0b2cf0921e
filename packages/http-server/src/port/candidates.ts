import type { Socket } from "node:net";
import { type Network, Networks } from "./networks.js";
import { type ConnectionStage, type ServedConnection, Stage } from "./stage.js";

export interface Connection {
  readonly socket: Socket;
  readonly openedAt: number;
  /** The network of the client; undefined for a connection of a proxy while its client is not known. */
  network: string | undefined;
  /** Whether it is a connection of a proxy, whose requests are of other clients. */
  isProxied: boolean;
  /** Whether it is one of this machine beyond the limit. */
  isSpare: boolean;
  served: ServedConnection | undefined;
  /** The traffic at the latest sweep, and since when it is unchanged. */
  traffic: number;
  quietSince: number;
}

/** A connection that can be closed, and how far it had advanced when it was found. */
export interface Candidate {
  readonly connection: Connection;
  readonly stage: ConnectionStage;
  /** Since when it is idle; since when it is open if it is in use. */
  readonly since: number;
}

interface Ranking {
  readonly at: number;
  /** The first to be closed is last. */
  readonly candidates: Candidate[];
  /** Whether none could be closed when the order was new: a new one would not help. */
  isFutile: boolean;
}

/** The minimum interval of searches for idle connections in milliseconds, because a search visits all connections. */
const SEARCH_INTERVAL = 100;
/** The interval as a multiple of the duration of the latest search. */
const SEARCH_PAUSE = 20;
/** Milliseconds for which the order of a network's connections is used, unless all of them are closed before. */
const RANKING_AGE = 1_000;
/** Minimum time for which an idle connection is kept, in milliseconds: its next request may be in transit. */
const MIN_IDLE = 500;
/** Milliseconds without data after which a stream counts as one without traffic. */
const MIN_QUIET = 1_000;
/** The share of the connections from which a network loses those in use before others lose idle ones. */
const LARGE_SHARE = 1 / 8;

/** What {@link Candidates} needs to know. */
export interface CandidatesOptions {
  /** All open connections, also those that were not added. */
  readonly connections: () => Iterable<Connection>;
  readonly now: () => number;
  /** Returns the network of the client for which a proxy uses a connection now; undefined if it is not known. */
  readonly networkOf: (connection: Connection) => string | undefined;
  /** Checks the timeouts of every connection. */
  readonly check: () => void;
}

/**
 * Chooses the connection that is closed if there are too many. The cost of a choice does not depend on the number of connections: the
 * connections of a network are put in order once a second, or when all of the previous order are closed.
 */
export class Candidates {
  readonly #options: CandidatesOptions;
  readonly #networks = new Networks<Connection>();
  readonly #proxied = new Set<Connection>();
  readonly #rankings = new Map<Network<Connection>, Ranking>();
  #idle: Candidate[] = [];
  #nextSearch = Number.NEGATIVE_INFINITY;
  #assignedAt = Number.NEGATIVE_INFINITY;

  constructor(options: CandidatesOptions) {
    this.#options = options;
  }

  /** The number of connections of a client network. */
  sizeOf(network: string): number {
    return this.#networks.get(network)?.members.size ?? 0;
  }

  add(connection: Connection): void {
    if (connection.isProxied) {
      this.#proxied.add(connection);
    }
    if (connection.network !== undefined) {
      this.#networks.add(connection.network, connection);
    }
  }

  delete(connection: Connection): void {
    this.#proxied.delete(connection);
    if (connection.network !== undefined) {
      this.#networks.delete(connection.network, connection);
    }
  }

  /** Forgets what has been found, which would keep closed connections in memory. */
  clear(): void {
    this.#rankings.clear();
    this.#idle = this.#idle.filter(({ connection }) => this.#isOpen(connection));
  }

  /**
   * Returns the connection that a new one of a network replaces; undefined if there is none. A network of many connections loses those in
   * use before others lose idle ones.
   *
   * @param own the number of connections of the network of the new one
   * @param total the number of all connections
   */
  next(own: number, total: number): Candidate | undefined {
    this.#assignProxied();
    const { largest } = this.#networks;
    const size = largest?.members.size ?? 0;
    // With one connection less, it must not have fewer than the other network.
    const least = largest !== undefined && size > own + 1 ? this.leastAdvanced(largest.name) : undefined;
    return size > LARGE_SHARE * total && least !== undefined ? least : (this.#longestIdle(own) ?? least);
  }

  /** Returns the connection of a network that has advanced the least, of several the oldest. */
  leastAdvanced(name: string): Candidate | undefined {
    const network = this.#networks.get(name);
    if (network === undefined) {
      return undefined;
    }
    const ranking = this.#rankings.get(network);
    const isFresh = ranking !== undefined && this.#options.now() - ranking.at < RANKING_AGE;
    const first = isFresh ? this.#firstOf(ranking, network) : undefined;
    if (first !== undefined || (isFresh && ranking.isFutile)) {
      return first;
    }
    // If all of them are closed or have advanced, others may have come.
    const renewed = this.#rank(network);
    const found = this.#firstOf(renewed, network);
    renewed.isFutile = found === undefined;
    return found;
  }

  /** The first connection in an order that still is of the network, and has not advanced since. Removes the others before it. */
  #firstOf({ candidates }: Ranking, network: Network<Connection>): Candidate | undefined {
    for (let next = candidates.at(-1); next !== undefined; next = candidates.at(-1)) {
      const { connection, stage } = next;
      const isMember = network.members.has(connection) && this.#isFor(connection, network.name);
      if (isMember && this.#candidateOf(connection).stage <= stage) {
        return next;
      }
      candidates.pop();
    }
    return undefined;
  }

  /** Whether a connection that counts for a network is used for it now: a proxy may use it for other clients. */
  #isFor(connection: Connection, name: string): boolean {
    return !connection.isProxied || this.#options.networkOf(connection) === name;
  }

  /** Whether an idle connection can be closed: its next request may be in transit, but not for long. */
  isLongIdle({ stage, since }: Candidate): boolean {
    return stage === Stage.LINGERING || (stage === Stage.IDLE && this.#options.now() - since >= MIN_IDLE);
  }

  /** Puts the connections of a network in order. */
  #rank(network: Network<Connection>): Ranking {
    // Of connections that are as old, the one that was added first comes last.
    const candidates = [...network.members].reverse().map((connection) => this.#candidateOf(connection));
    candidates.sort((a, b) => b.stage - a.stage || b.since - a.since);
    const ranking = { at: this.#options.now(), candidates, isFutile: false };
    this.#rankings.set(network, ranking);
    return ranking;
  }

  #candidateOf(connection: Connection): Candidate {
    const { served, openedAt, quietSince } = connection;
    const now = this.#options.now();
    const current = served === undefined ? Stage.IDLE : served.stage;
    const stage = current === Stage.STREAM && now - quietSince < MIN_QUIET ? Stage.ACTIVE : current;
    const since = stage === Stage.IDLE && served !== undefined ? (served.idleSince ?? now) : openedAt;
    return { connection, stage, since };
  }

  #isOpen(connection: Connection): boolean {
    const { network } = connection;
    const members = network === undefined ? this.#proxied : this.#networks.get(network)?.members;
    return members?.has(connection) === true;
  }

  /** Counts each connection of a proxy for the client of its requests now. */
  #assignProxied(): void {
    const now = this.#options.now();
    if (now - this.#assignedAt < RANKING_AGE) {
      return;
    }
    this.#assignedAt = now;
    for (const connection of this.#proxied) {
      const network = this.#options.networkOf(connection);
      if (network !== connection.network) {
        this.delete(connection);
        connection.network = network;
        this.add(connection);
      }
    }
  }

  /** The number of connections with which a connection counts: of its client, or of all proxies if that is not known. */
  #sizeAround({ network }: Connection): number {
    return network === undefined ? this.#proxied.size : this.sizeOf(network);
  }

  /** Returns an idle connection of a network with at least `own` connections. */
  #longestIdle(own: number): Candidate | undefined {
    if (this.#idle.length === 0) {
      this.#findIdle();
    }
    for (;;) {
      const found = this.#idle.at(-1);
      if (found === undefined) {
        return undefined;
      }
      const { connection, stage, since } = this.#candidateOf(found.connection);
      // It may have closed or received a request since it was found.
      if (this.#isOpen(connection) && stage <= found.stage && since === found.since) {
        return stage === Stage.LINGERING || this.#sizeAround(connection) >= own ? found : undefined;
      }
      this.#idle.pop();
    }
  }

  #findIdle(): void {
    const { now, connections, check } = this.#options;
    const time = now();
    if (time < this.#nextSearch) {
      return;
    }
    check();
    this.#idle = [...connections()]
      .filter(({ isSpare }) => !isSpare)
      .map((connection) => this.#candidateOf(connection))
      .filter((candidate) => this.isLongIdle(candidate))
      .map((candidate) => ({ ...candidate, size: this.#sizeAround(candidate.connection) }))
      // Lingering connections come last, whichever client they are of.
      .sort((a, b) => b.stage - a.stage || a.size - b.size || b.since - a.since);
    this.#nextSearch = time + Math.max(SEARCH_INTERVAL, SEARCH_PAUSE * (now() - time));
  }
}
