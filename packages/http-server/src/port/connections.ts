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
  /** Closes the connection at once. */
  destroy(): void;
}

/** All connections of a port. */
export interface Connections {
  /** Adds a new connection. Closes it and returns false if there are too many. */
  add(socket: Socket): boolean;
  /** Sets what serves a connection. */
  serve(socket: Socket, served: ServedConnection): void;
  /** Checks the timeouts of every connection. */
  sweep(): void;
  /** Does the next step of a graceful shutdown. Connections without a protocol are closed once `isLate`. */
  shutDown(isLate: boolean): void;
  /** Closes all connections. */
  destroyAll(): void;
  /** The number of connections. */
  readonly size: number;
}

/** Limits of connections. */
export interface ConnectionsOptions {
  readonly maxConnections: number;
  /** Milliseconds until the protocol of a connection must be known. */
  readonly silenceTimeout: number;
  /** Reserves memory for a connection. Returns false if there is not enough. */
  readonly reserve: () => boolean;
  /** Releases that memory. */
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
 * Creates the list of a port's connections. If it is full, a new connection replaces another one: first one that lingers after
 * its last response, then one without a request, of the client with the most connections the one that has been idle longest.
 * A client does not replace connections of clients with fewer. If there is none, the new connection is closed.
 */
export function createConnections(options: ConnectionsOptions): Connections {
  const { maxConnections, silenceTimeout, reserve, release, onConnectionDropped, now } = options;
  const connections = new Map<Socket, Connection>();
  /** The number of connections by client: IPv4 address or IPv6 /64 network. */
  const clients = new Map<string, number>();
  /** Connections that may be replaced; the next one is last. */
  let candidates: Connection[] = [];
  let searchedAt = Number.NEGATIVE_INFINITY;

  function check(time: number): void {
    for (const { socket, openedAt, served } of connections.values()) {
      if (served !== undefined) {
        served.check(time);
      } else if (time - openedAt >= silenceTimeout) {
        socket.destroy();
      }
    }
  }

  function remove(connection: Connection): void {
    if (connections.delete(connection.socket)) {
      release();
      const count = (clients.get(connection.client) ?? 1) - 1;
      if (count === 0) {
        clients.delete(connection.client);
      } else {
        clients.set(connection.client, count);
      }
    }
  }

  function findCandidates(): void {
    const time = now();
    if (time - searchedAt < SEARCH_INTERVAL) {
      return;
    }
    searchedAt = time;
    check(time);
    candidates = [...connections.values()]
      .map((connection) => ({
        connection,
        isLingering: connection.served?.isLingering === true,
        ofClient: clients.get(connection.client) ?? 0,
        since: idleSinceOf(connection),
      }))
      .filter(({ isLingering, since }) => isLingering || Number.isFinite(since))
      .sort(
        (a, b) =>
          Number(a.isLingering) - Number(b.isLingering) || a.ofClient - b.ofClient || b.since - a.since,
      )
      .map(({ connection }) => connection);
  }

  function hasMost(count: number): boolean {
    return count > maxConnections / 2;
  }

  /** Closes a connection to make room for one of a client. Returns false if none can be closed. */
  function replaceOne(client: string): boolean {
    const own = clients.get(client) ?? 0;
    const left = hasMost(own) ? Math.floor(LEFT_FOR_OTHERS * maxConnections) : 0;
    if (candidates.length <= left) {
      findCandidates();
    }
    while (candidates.length > left) {
      const next = candidates.pop() as Connection;
      const isLingering = next.served?.isLingering === true;
      const since = idleSinceOf(next);
      // It may have closed or received a request since it was found.
      if (connections.has(next.socket) && (isLingering || Number.isFinite(since))) {
        if (!isLingering && !canReplace(next, since, own)) {
          candidates.push(next);
          return false;
        }
        next.socket.destroy();
        remove(next);
        return true;
      }
    }
    return false;
  }

  /** Whether a client with `own` connections may replace an idle one. */
  function canReplace({ client }: Connection, since: number, own: number): boolean {
    const others = clients.get(client) ?? 0;
    return others > own && hasMost(others) ? true : others >= own && now() - since >= MIN_IDLE;
  }

  function makeRoom(client: string): boolean {
    if (connections.size < maxConnections && reserve()) {
      return true;
    }
    const hasRoom = replaceOne(client) && reserve();
    onConnectionDropped(hasRoom ? "idle" : "new");
    return hasRoom;
  }

  return {
    add: (socket) => {
      const client = clientQueue(socket.remoteAddress ?? "");
      if (!makeRoom(client)) {
        socket.destroy();
        return false;
      }
      const connection: Connection = { socket, client, openedAt: now(), served: undefined };
      connections.set(socket, connection);
      clients.set(client, (clients.get(client) ?? 0) + 1);
      socket.once("close", () => remove(connection));
      return true;
    },
    serve: (socket, served) => {
      const connection = connections.get(socket);
      if (connection === undefined) {
        served.destroy();
      } else {
        connection.served = served;
      }
    },
    sweep: () => check(now()),
    shutDown: (isLate) => {
      const time = now();
      for (const { socket, served } of connections.values()) {
        if (served !== undefined) {
          served.shutDown(time, isLate);
        } else if (isLate) {
          socket.destroy();
        }
      }
    },
    destroyAll: () => {
      for (const socket of connections.keys()) {
        socket.destroy();
      }
    },
    get size() {
      return connections.size;
    },
  };
}

/** Since when a connection is idle; infinity while it is in use. */
function idleSinceOf({ served, openedAt }: Connection): number {
  return served === undefined ? openedAt : (served.idleSince ?? Number.POSITIVE_INFINITY);
}
