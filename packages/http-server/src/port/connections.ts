import type { Socket } from "node:net";
import { clientQueue, isLoopback } from "../core/turns.js";
import type { DroppedConnection } from "../options.js";
import type { RequestOrigin } from "../request.js";
import { Candidates, type Connection } from "./candidates.js";
import { type ConnectionStage, type ServedConnection, Stage } from "./stage.js";

export interface ConnectionsOptions {
  readonly maxConnections: number;
  /** The limit for one client network; undefined for none. */
  readonly maxConnectionsPerClient: number | undefined;
  /** Milliseconds until the protocol of a connection must be known. */
  readonly silenceTimeout: number;
  /** Reserves memory for a connection. Returns false if there is not enough, unless `isForced`. */
  readonly reserve: (isForced: boolean) => boolean;
  readonly release: () => void;
  /** Whether a peer is a proxy, whose requests are of other clients. */
  readonly isGateway: (peerAddress: string) => boolean;
  /** Returns the address of the client for which a proxy has sent a request; undefined if it is not known. */
  readonly forwardedClient: (request: RequestOrigin) => string | undefined;
  /** Called with the client network of the connection that is closed, empty if it is not known. */
  readonly onConnectionDropped: (which: DroppedConnection, network: string) => void;
  /** Returns the time in milliseconds, from any origin. */
  readonly now: () => number;
}

/** Milliseconds in which a busy client sends the first bytes on a new connection. */
const MAX_FIRST_BYTE = 2_000;
/** The number of places beyond the limit for clients of this machine: its health checks must work while all places are taken. */
const SPARE_PLACES = 16;

/**
 * The connections of a port. If there are too many, a new connection replaces one of the client network with the most, the least advanced
 * first, or an idle one of a network with at least as many. A network loses none in use to one that has more then. If none can be replaced,
 * the new connection is closed.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #connections = new Map<Socket, Connection>();
  readonly #candidates: Candidates;
  /** Connections of this machine beyond the limit. */
  readonly #spare = new Set<Connection>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#candidates = new Candidates({
      connections: () => this.#connections.values(),
      now: options.now,
      networkOf: (connection) => this.#forwardedNetwork(connection),
      check: () => this.#check(),
    });
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Adds a new connection. Closes it and returns false if there are too many. */
  add(socket: Socket): boolean {
    const address = socket.remoteAddress ?? "";
    const isProxied = this.#options.isGateway(address);
    const network = isProxied ? undefined : clientQueue(address);
    const canBeSpare = !isProxied && isLoopback(address);
    if (network !== undefined && !canBeSpare && !this.#hasShare(network)) {
      return this.#refuse(socket, network);
    }
    const isSpare = !this.#makeRoom(network);
    if (isSpare && !(canBeSpare && this.#makeSpareRoom())) {
      return this.#refuse(socket, network);
    }
    const openedAt = this.#options.now();
    const places = { network, isProxied, isSpare };
    const times = { openedAt, quietSince: openedAt };
    const connection: Connection = { socket, ...places, ...times, served: undefined, traffic: 0 };
    this.#connections.set(socket, connection);
    if (isSpare) {
      this.#spare.add(connection);
    } else {
      this.#candidates.add(connection);
    }
    socket.once("close", () => this.#remove(connection));
    return true;
  }

  /** Sets the address of the client that a proxy has sent at the beginning of a connection. Closes it if the client has too many. */
  setClient(socket: Socket, address: string): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || this.#options.isGateway(address)) {
      return;
    }
    const network = clientQueue(address);
    if (!this.#hasShare(network)) {
      this.#refuse(socket, network);
      return;
    }
    this.#candidates.delete(connection);
    connection.network = network;
    connection.isProxied = false;
    this.#candidates.add(connection);
  }

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
    this.#candidates.clear();
    this.#check();
  }

  #check(): void {
    const now = this.#options.now();
    for (const connection of this.#connections.values()) {
      const { socket, openedAt, served } = connection;
      if (served !== undefined) {
        served.check(now);
        if (served.traffic !== connection.traffic) {
          connection.traffic = served.traffic;
          connection.quietSince = now;
        }
      } else if (now - openedAt >= this.#options.silenceTimeout) {
        socket.destroy();
      }
    }
  }

  /** Does the next step of a graceful shutdown. Connections without a protocol are closed once `isLate`, unless they are new. */
  shutDown(isLate: boolean): void {
    const now = this.#options.now();
    for (const { socket, served, openedAt } of this.#connections.values()) {
      if (served !== undefined) {
        served.shutDown(now, isLate);
      } else if (isLate && now - openedAt >= MAX_FIRST_BYTE) {
        socket.destroy();
      }
    }
  }

  destroyAll(): void {
    for (const socket of this.#connections.keys()) {
      socket.destroy();
    }
  }

  #remove(connection: Connection): void {
    if (this.#connections.delete(connection.socket)) {
      this.#spare.delete(connection);
      this.#candidates.delete(connection);
      this.#options.release();
    }
  }

  #refuse(socket: Socket, network = ""): false {
    this.#options.onConnectionDropped("new", network);
    socket.destroy();
    return false;
  }

  #drop(connection: Connection, stage: ConnectionStage): void {
    this.#options.onConnectionDropped(stage <= Stage.IDLE ? "idle" : "in_use", connection.network ?? "");
    connection.socket.destroy();
    this.#remove(connection);
  }

  /** Whether a client network may have another connection. It replaces an idle one of its own if need be. */
  #hasShare(network: string): boolean {
    const { maxConnectionsPerClient = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#candidates.sizeOf(network) < maxConnectionsPerClient) {
      return true;
    }
    const least = this.#candidates.leastAdvanced(network);
    if (least === undefined || !this.#candidates.isLongIdle(least)) {
      return false;
    }
    this.#drop(least.connection, least.stage);
    return true;
  }

  /** Reserves a place for a connection, and closes another one if need be. Returns false if there is none. */
  #makeRoom(network: string | undefined): boolean {
    const { maxConnections, reserve } = this.#options;
    const used = this.size - this.#spare.size;
    if (used < maxConnections && reserve(false)) {
      return true;
    }
    // The client of a proxy may be one with few connections.
    const own = network === undefined ? 0 : this.#candidates.sizeOf(network);
    const next = this.#candidates.next(own, used);
    if (next === undefined) {
      return false;
    }
    this.#drop(next.connection, next.stage);
    return reserve(true);
  }

  /** Reserves a place beyond the limit. The connection that has had one for the longest leaves it, before requests in progress. */
  #makeSpareRoom(): boolean {
    if (this.#spare.size >= SPARE_PLACES) {
      const [oldest] = [...this.#spare].sort((a, b) => Number(isActive(a)) - Number(isActive(b)));
      if (oldest !== undefined) {
        this.#drop(oldest, oldest.served?.stage ?? Stage.IDLE);
      }
    }
    return this.#options.reserve(true);
  }

  /** The network of the client for which a proxy uses a connection; undefined if it uses it for none, or for several. */
  #forwardedNetwork({ served }: Connection): string | undefined {
    const networks = new Set(
      (served?.openRequests ?? []).map((request) => {
        const address = this.#options.forwardedClient(request);
        return address === undefined ? undefined : clientQueue(address);
      }),
    );
    const [network] = networks;
    return networks.size === 1 ? network : undefined;
  }
}

function isActive({ served }: Connection): boolean {
  return served?.stage === Stage.ACTIVE;
}
