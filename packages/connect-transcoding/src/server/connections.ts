import type { Socket } from "node:net";
import type { DroppedConnection } from "./transport-options.js";

/** What looks after one connection whose protocol is known. */
export interface ConnectionWatch {
  /** Looks at the connection, and ends it when one of its times is up. The time is in milliseconds. */
  look(now: number): void;
  /** Since when nobody has used it, as the latest look found; undefined where somebody has used it since, or does so now. */
  readonly idleSince: number | undefined;
}

/** All connections of a port. */
export interface Connections {
  /** Takes a new connection in; false when it had to be refused, for there are too many. */
  admit(socket: Socket): boolean;
  /** Hands a connection over to what looks after its protocol. `spoken` is what that is spoken over, with TLS or without. */
  watch(socket: Socket, watch: ConnectionWatch, spoken: Socket): void;
  /** Looks at each of them, and ends those that have said too little for too long. */
  sweep(): void;
  /** Cuts those that are so many milliseconds old and have said nothing beyond a TLS handshake. */
  destroySilent(age: number): void;
  /** Cuts all of them. */
  destroyAll(): void;
  /** How many there are. */
  readonly size: number;
}

/** What bounds connections. */
export interface ConnectionsOptions {
  readonly maxConnections: number;
  /** Milliseconds that a connection may take until its protocol is known. */
  readonly silenceTimeout: number;
  readonly onConnectionDropped: (which: DroppedConnection) => void;
  /** The time, in milliseconds from any point. */
  readonly now: () => number;
}

interface Connection {
  readonly socket: Socket;
  readonly openedAt: number;
  watch: ConnectionWatch | undefined;
  /** What its protocol is spoken over, once that is known. */
  spoken: Socket | undefined;
}

/** How often connections that may go are looked for at most, in milliseconds: going through all of them takes its time. */
const SEARCH_INTERVAL = 100;
/** How long a connection that was of use is left alone for by all means, in milliseconds: its next request may be on its way. */
const MIN_IDLE = 500;

/**
 * Makes the list of a port's connections. When it is full, a new one takes the place of the one that has been of no use for
 * longest: first of those that never said anything, then of those without a request under way. Where all are in use, the
 * new one is refused.
 */
export function createConnections(options: ConnectionsOptions): Connections {
  const { maxConnections, silenceTimeout, onConnectionDropped, now } = options;
  const connections = new Map<Socket, Connection>();
  /** Those that may go, the first to go at the end. */
  let dispensable: Connection[] = [];
  let searchedAt = Number.NEGATIVE_INFINITY;

  function look(time: number): void {
    for (const { socket, openedAt, watch } of connections.values()) {
      if (watch !== undefined) {
        watch.look(time);
      } else if (time - openedAt >= silenceTimeout) {
        socket.destroy();
      }
    }
  }

  function findDispensable(): void {
    const time = now();
    if (time - searchedAt < SEARCH_INTERVAL) {
      return;
    }
    searchedAt = time;
    look(time);
    const found = [...connections.values()].map((connection) => ({
      connection,
      isSilent: connection.watch === undefined,
      since: unusedSince(connection),
    }));
    dispensable = found
      .filter(({ isSilent, since }) => isSilent || time - since >= MIN_IDLE)
      .sort((a, b) => Number(a.isSilent) - Number(b.isSilent) || b.since - a.since)
      .map(({ connection }) => connection);
  }

  function makeRoom(): boolean {
    if (dispensable.length === 0) {
      findDispensable();
    }
    for (let least = dispensable.pop(); least !== undefined; least = dispensable.pop()) {
      // It may have gone or come into use since it was found.
      if (connections.has(least.socket) && Number.isFinite(unusedSince(least))) {
        least.socket.destroy();
        connections.delete(least.socket);
        return true;
      }
    }
    return false;
  }

  return {
    admit: (socket) => {
      if (connections.size >= maxConnections) {
        const hasRoom = makeRoom();
        onConnectionDropped(hasRoom ? "idle" : "new");
        if (!hasRoom) {
          socket.destroy();
          return false;
        }
      }
      connections.set(socket, { socket, openedAt: now(), watch: undefined, spoken: undefined });
      socket.once("close", () => connections.delete(socket));
      return true;
    },
    watch: (socket, watch, spoken) => {
      const connection = connections.get(socket);
      if (connection !== undefined) {
        connection.watch = watch;
        connection.spoken = spoken;
      }
    },
    sweep: () => look(now()),
    destroySilent: (age) => {
      const time = now();
      for (const { socket, openedAt, spoken } of connections.values()) {
        if ((spoken?.bytesRead ?? 0) === 0 && time - openedAt >= age) {
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

/** Since when a connection has been of no use; infinity while it is in use. */
function unusedSince({ watch, openedAt }: Connection): number {
  return watch === undefined ? openedAt : (watch.idleSince ?? Number.POSITIVE_INFINITY);
}
