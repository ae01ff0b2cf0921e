import type { Socket } from "node:net";
import type { DroppedConnection } from "./transport-options.js";

/** Enforces the timeouts of one connection whose protocol is known. */
export interface ConnectionWatch {
  /** Closes the connection if a timeout has expired. `now` is in milliseconds. */
  check(now: number): void;
  /** Since when the connection is idle, as of the latest check; undefined if it has been used since. */
  readonly idleSince: number | undefined;
}

/** All connections of a port. */
export interface Connections {
  /** Adds a new connection. Closes it and returns false if there are too many. */
  add(socket: Socket): boolean;
  /** Sets the watch of a connection. `httpSocket` carries HTTP: the TLS socket, or the connection itself. */
  watch(socket: Socket, watch: ConnectionWatch, httpSocket: Socket): void;
  /** Checks every connection. */
  sweep(): void;
  /** Closes connections of at least `age` milliseconds that have sent nothing beyond a TLS handshake. */
  destroySilent(age: number): void;
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
  readonly onConnectionDropped: (which: DroppedConnection) => void;
  /** Returns the time in milliseconds, from any origin. */
  readonly now: () => number;
}

interface Connection {
  readonly socket: Socket;
  readonly openedAt: number;
  watch: ConnectionWatch | undefined;
  /** The socket that carries HTTP, once the protocol is known. */
  httpSocket: Socket | undefined;
}

/** The minimum interval of searches for idle connections in milliseconds, because a search visits all connections. */
const SEARCH_INTERVAL = 100;
/** Minimum time for which an idle connection is kept, in milliseconds: its next request may be in transit. */
const MIN_IDLE = 500;

/**
 * Creates the list of a port's connections. If it is full, a new connection replaces the one that has been idle longest:
 * first one that has never sent anything, then one without a request. If none is idle, the new connection is closed.
 */
export function createConnections(options: ConnectionsOptions): Connections {
  const { maxConnections, silenceTimeout, onConnectionDropped, now } = options;
  const connections = new Map<Socket, Connection>();
  /** Idle connections; the next to close is last. */
  let idle: Connection[] = [];
  let searchedAt = Number.NEGATIVE_INFINITY;

  function check(time: number): void {
    for (const { socket, openedAt, watch } of connections.values()) {
      if (watch !== undefined) {
        watch.check(time);
      } else if (time - openedAt >= silenceTimeout) {
        socket.destroy();
      }
    }
  }

  function findIdle(): void {
    const time = now();
    if (time - searchedAt < SEARCH_INTERVAL) {
      return;
    }
    searchedAt = time;
    check(time);
    const found = [...connections.values()].map((connection) => ({
      connection,
      isSilent: connection.watch === undefined,
      since: idleSinceOf(connection),
    }));
    idle = found
      .filter(({ isSilent, since }) => isSilent || time - since >= MIN_IDLE)
      .sort((a, b) => Number(a.isSilent) - Number(b.isSilent) || b.since - a.since)
      .map(({ connection }) => connection);
  }

  function closeIdle(): boolean {
    if (idle.length === 0) {
      findIdle();
    }
    for (let next = idle.pop(); next !== undefined; next = idle.pop()) {
      // It may have closed or received a request since it was found.
      if (connections.has(next.socket) && Number.isFinite(idleSinceOf(next))) {
        next.socket.destroy();
        connections.delete(next.socket);
        return true;
      }
    }
    return false;
  }

  return {
    add: (socket) => {
      if (connections.size >= maxConnections) {
        const hasRoom = closeIdle();
        onConnectionDropped(hasRoom ? "idle" : "new");
        if (!hasRoom) {
          socket.destroy();
          return false;
        }
      }
      connections.set(socket, { socket, openedAt: now(), watch: undefined, httpSocket: undefined });
      socket.once("close", () => connections.delete(socket));
      return true;
    },
    watch: (socket, watch, httpSocket) => {
      const connection = connections.get(socket);
      if (connection !== undefined) {
        connection.watch = watch;
        connection.httpSocket = httpSocket;
      }
    },
    sweep: () => check(now()),
    destroySilent: (age) => {
      const time = now();
      for (const { socket, openedAt, httpSocket } of connections.values()) {
        if ((httpSocket?.bytesRead ?? 0) === 0 && time - openedAt >= age) {
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
function idleSinceOf({ watch, openedAt }: Connection): number {
  return watch === undefined ? openedAt : (watch.idleSince ?? Number.POSITIVE_INFINITY);
}
