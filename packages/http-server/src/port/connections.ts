import type { Socket } from "node:net";
import { clientQueue } from "../core/turns.js";
import type { DroppedConnection } from "../options.js";

/** A connection whose protocol is known. */
export interface ServedConnection {
  /** Closes the connection if a timeout has expired. `now` is in milliseconds. */
  check(now: number): void;
  /** Since when the connection is idle, as of the latest check; undefined if it has been used since. */
  readonly idleSince: number | undefined;
  /** Whether the last response has been sent, and only the client's half is open. */
  readonly isLingering: boolean;
  /**
   * Does the next step of a graceful shutdown each time it is called. Requests are still served until `isLate`; then the
   * connection closes as soon as it has none.
   */
  shutDown(now: number, isLate: boolean): void;
  destroy(): void;
}

/** Limits of connections. */
export interface ConnectionsOptions {
  readonly maxConnections: number;
  /** Milliseconds until the protocol of a connection must be known. */
  readonly silenceTimeout: number;
  /** Reserves memory for a connection. Returns false if there is not enough. */
  readonly reserve: () => boolean;
  readonly release: () => void;
  readonly onConnectionDropped: (which: DroppedConnection) => void;
  /** Returns the time in milliseconds, from any origin. */
  readonly now: () => number;
}

interface Connection {
  readonly socket: Socket;
  readonly client: string;
  readonly openedAt: number;
  served: ServedConnection | undefined;
}

/** The minimum interval of searches for idle connections in milliseconds, because a search visits all connections. */
const SEARCH_INTERVAL = 100;
/** Minimum time for which an idle connection is kept, in milliseconds: its next request may be in transit. */
const MIN_IDLE = 500;
/** The share of the connections that a client with most of them leaves to be replaced by those of other clients. */
const LEFT_FOR_OTHERS = 1 / 256;

/**
 * The connections of a port. If there are too many, a new connection replaces another one: first one that lingers after its last
 * response, then one without a request, of the client with the most connections the one that has been idle longest. A client does
 * not replace connections of clients with fewer. If there is none, the new connection is closed.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #connections = new Map<Socket, Connection>();
  /** The number of connections by client: IPv4 address or IPv6 /64 network. */
  readonly #clients = new Map<string, number>();
  /** Connections that may be replaced; the next one is last. */
  #candidates: Connection[] = [];
  #searchedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Adds a new connection. Closes it and returns false if there are too many. */
  add(socket: Socket): boolean {
    const client = clientQueue(socket.remoteAddress ?? "");
    if (!this.#makeRoom(client)) {
      socket.destroy();
      return false;
    }
    const connection: Connection = { socket, client, openedAt: this.#options.now(), served: undefined };
    this.#connections.set(socket, connection);
    this.#clients.set(client, this.#countOf(client) + 1);
    socket.once("close", () => this.#remove(connection));
    return true;
  }

  /** Sets what serves a connection. */
  serve(socket: Socket, served: ServedConnection): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) {
      served.destroy();
    } else {
      connection.served = served;
    }
  }

  /** Checks the timeouts of every connection. */
  sweep(): void {
    const now = this.#options.now();
    // Otherwise they would stay in memory until the next search.
    this.#candidates = this.#candidates.filter(({ socket }) => this.#connections.has(socket));
    for (const { socket, openedAt, served } of this.#connections.values()) {
      if (served !== undefined) {
        served.check(now);
      } else if (now - openedAt >= this.#options.silenceTimeout) {
        socket.destroy();
      }
    }
  }

  /** Does the next step of a graceful shutdown. Connections without a protocol are closed once `isLate`. */
  shutDown(isLate: boolean): void {
    const now = this.#options.now();
    for (const { socket, served } of this.#connections.values()) {
      if (served !== undefined) {
        served.shutDown(now, isLate);
      } else if (isLate) {
        socket.destroy();
      }
    }
  }

  destroyAll(): void {
    for (const socket of this.#connections.keys()) {
      socket.destroy();
    }
  }

  #countOf(client: string): number {
    return this.#clients.get(client) ?? 0;
  }

  #remove({ socket, client }: Connection): void {
    if (this.#connections.delete(socket)) {
      this.#options.release();
      const count = this.#countOf(client) - 1;
      if (count === 0) {
        this.#clients.delete(client);
      } else {
        this.#clients.set(client, count);
      }
    }
  }

  #makeRoom(client: string): boolean {
    const { maxConnections, reserve, onConnectionDropped } = this.#options;
    if (this.size < maxConnections && reserve()) {
      return true;
    }
    const hasRoom = this.#replaceOne(client) && reserve();
    onConnectionDropped(hasRoom ? "idle" : "new");
    return hasRoom;
  }

  /** Closes a connection to make room for one of a client. Returns false if none can be closed. */
  #replaceOne(client: string): boolean {
    const own = this.#countOf(client);
    const left = this.#isMost(own) ? Math.floor(LEFT_FOR_OTHERS * this.#options.maxConnections) : 0;
    if (this.#candidates.length <= left) {
      this.#findCandidates();
    }
    while (this.#candidates.length > left) {
      const next = this.#candidates.pop() as Connection;
      const since = idleSince(next);
      // It may have closed or received a request since it was found.
      if (this.#connections.has(next.socket) && since !== undefined) {
        if (!this.#canReplace(next, since, own)) {
          this.#candidates.push(next);
          return false;
        }
        next.socket.destroy();
        this.#remove(next);
        return true;
      }
    }
    return false;
  }

  #findCandidates(): void {
    const time = this.#options.now();
    if (time - this.#searchedAt < SEARCH_INTERVAL) {
      return;
    }
    this.#searchedAt = time;
    this.sweep();
    this.#candidates = [...this.#connections.values()]
      .map((connection) => ({
        connection,
        // Lingering connections come last, whichever client they are of.
        ofClient: isLingering(connection) ? Number.MAX_SAFE_INTEGER : this.#countOf(connection.client),
        since: idleSince(connection),
      }))
      .filter(({ since }) => since !== undefined)
      .sort((a, b) => a.ofClient - b.ofClient || (b.since ?? 0) - (a.since ?? 0))
      .map(({ connection }) => connection);
  }

  /** Whether a client with `own` connections may replace one that is not in use. */
  #canReplace(connection: Connection, since: number, own: number): boolean {
    const others = this.#countOf(connection.client);
    return (
      isLingering(connection) ||
      (others > own && this.#isMost(others)) ||
      (others >= own && this.#options.now() - since >= MIN_IDLE)
    );
  }

  #isMost(count: number): boolean {
    return count > this.#options.maxConnections / 2;
  }
}

function isLingering({ served }: Connection): boolean {
  return served?.isLingering === true;
}

/** Since when a connection is idle or lingers; undefined while it is in use. */
function idleSince(connection: Connection): number | undefined {
  const { served, openedAt } = connection;
  return served === undefined || isLingering(connection) ? openedAt : served.idleSince;
}
