import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach } from "vitest";
import { Http1Connection } from "../../src/http1/connection.js";
import type { ConnectionOptions } from "../../src/options.js";
import { connectionOptions } from "./connection-options.js";

/** A server for HTTP/1 in cleartext, whose timeouts expire when a test calls `check`. */
export interface TestServer {
  readonly port: number;
  /** The connections in the order in which they were accepted. */
  readonly connections: readonly Http1Connection[];
  /** The server's sockets in the same order. */
  readonly sockets: readonly Socket[];
  close(): void;
}

export type TestServerOptions = Partial<ConnectionOptions>;

/** Starts a server with timeouts of one second for heads, two for requests and three for idle connections. */
export async function startServer(options: TestServerOptions): Promise<TestServer> {
  const connections: Http1Connection[] = [];
  const sockets: Socket[] = [];
  const times = { headersTimeout: 1_000, requestTimeout: 2_000, idleTimeout: 3_000 };
  const shared = connectionOptions({ ...times, ...options });
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.push(socket);
    connections.push(new Http1Connection(socket, shared));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    sockets,
    close: () => {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  };
}

/** The server of one test, which closes after it. */
export interface TestServers {
  /** The server of the current test, once it has been started. */
  readonly server: TestServer | undefined;
  start(options: TestServerOptions): Promise<number>;
}

export function useServers(): TestServers {
  let server: TestServer | undefined;
  afterEach(() => server?.close());
  return {
    get server() {
      return server;
    },
    start: async (options) => {
      server = await startServer(options);
      return server.port;
    },
  };
}

export interface TestClient {
  readonly socket: Socket;
  /** Everything received so far, in ISO 8859-1. */
  readonly received: string;
  write(text: string | Uint8Array): void;
  /** Waits until everything received satisfies a condition; returns it. Rejects if the connection closes before. */
  until(condition: (received: string) => boolean): Promise<string>;
  /** Waits until the server has ended its half; returns everything received. */
  readonly ended: Promise<string>;
  /** Waits until the connection has closed. */
  readonly closed: Promise<void>;
}

export async function connectTo(port: number): Promise<TestClient> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
  let received = "";
  let check = (): void => {};
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    check();
  });
  socket.on("error", () => {});
  const ended = new Promise<string>((resolve) => {
    socket.on("end", () => resolve(received));
    socket.on("close", () => resolve(received));
  });
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return {
    socket,
    get received() {
      return received;
    },
    write: (text) => socket.write(typeof text === "string" ? Buffer.from(text, "latin1") : text),
    until: (condition) =>
      new Promise((resolve, reject) => {
        check = () => condition(received) && resolve(received);
        check();
        ended.then(() => reject(new Error(`The connection closed after ${JSON.stringify(received)}`)));
      }),
    ended,
    closed,
  };
}

/** Sends bytes in pieces, closes this half, and returns everything that the server sends. */
export async function exchange(port: number, ...pieces: readonly (string | Uint8Array)[]): Promise<string> {
  const client = await connectTo(port);
  for (const piece of pieces) {
    client.write(piece);
    await turns(2);
  }
  client.socket.end();
  const received = await client.ended;
  client.socket.destroy();
  return received;
}

/**
 * Sends bytes in pieces, and returns what the server sends once `isComplete` holds. The client keeps its half open until then: the
 * last response to one that has closed it says `close`.
 */
export async function exchangeUntil(
  port: number,
  isComplete: (received: string) => boolean,
  ...pieces: readonly (string | Uint8Array)[]
): Promise<string> {
  const client = await connectTo(port);
  for (const piece of pieces) {
    client.write(piece);
    await turns(2);
  }
  const received = await client.until(isComplete);
  client.socket.destroy();
  return received;
}

/** Waits for some turns of the event loop, in which a piece usually arrives on its own. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Replaces the date, which differs. */
export function withoutDate(received: string): string {
  return received.replaceAll(/\r\ndate: [^\r]*GMT\r\n/gi, "\r\n");
}
