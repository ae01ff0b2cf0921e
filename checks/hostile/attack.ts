import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectTls } from "node:tls";

/** Parameters of a running attack. */
export interface AttackTools {
  readonly port: number;
  /** The end time (`performance.now`). */
  readonly until: number;
  /** The protocol to negotiate over TLS. Undefined for bytes as they are. */
  readonly alpn?: Alpn | undefined;
}

export type Alpn = "h2" | "http/1.1";

/** An attack. */
export interface Attack {
  readonly name: string;
  /** Whether it needs a TLS port. */
  readonly tls?: boolean;
  /** The protocol that its clients negotiate over TLS. Undefined for bytes as they are. */
  readonly alpn?: Alpn | undefined;
  /** Whether the short form is without it. */
  readonly isOnlyInFull?: boolean;
  /** The maximum number of concurrent connections. */
  readonly connections: number;
  /** Resolves when the attack is over. Connection errors do not reject. */
  readonly run: (tools: AttackTools, connections: number) => Promise<void>;
}

/** Returns whether the attack is over. */
function isOver({ until }: AttackTools): boolean {
  return performance.now() >= until;
}

/** Resolves when the connection is established or rejected. Later errors are expected. */
function open({ port, alpn }: AttackTools): Promise<Socket> {
  return new Promise((resolve) => {
    const address = { port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true };
    const socket =
      alpn === undefined
        ? connect(address)
        : connectTls({ ...address, ALPNProtocols: [alpn], rejectUnauthorized: false });
    socket.on("error", () => {});
    socket.once(alpn === undefined ? "connect" : "secureConnect", () => resolve(socket));
    socket.once("close", () => resolve(socket));
  });
}

/** Waits until the connection is closed or the attack is over. */
export async function untilGone(socket: Socket, tools: AttackTools): Promise<void> {
  while (!socket.closed && !isOver(tools)) {
    await wait(100);
  }
}

/** Writes a small piece at intervals until the connection is closed or the attack is over. */
export async function drip(
  socket: Socket,
  tools: AttackTools,
  piece: () => Uint8Array | string,
): Promise<void> {
  while (!socket.closed && !isOver(tools)) {
    socket.write(piece());
    await wait(200);
  }
}

/** Writes as much as the connection accepts until it is closed or the attack is over. */
export async function pour(socket: Socket, tools: AttackTools, piece: Uint8Array | string): Promise<void> {
  while (!socket.closed && !isOver(tools)) {
    if (!socket.write(piece)) {
      await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), untilGone(socket, tools)]);
    }
    await wait(1);
  }
}

/**
 * Runs `act` in parallel on `count` connections. Closed connections are replaced until the attack is over. Then the others
 * stay open until the process ends.
 */
export async function crowd(
  count: number,
  tools: AttackTools,
  act: (socket: Socket) => Promise<unknown>,
): Promise<void> {
  const client = async (): Promise<void> => {
    while (!isOver(tools)) {
      const socket = await open(tools);
      await act(socket);
      if (isOver(tools)) {
        return;
      }
      socket.destroy();
      // Wait before reconnecting, in case the connection was rejected.
      await wait(20);
    }
  };
  const clients: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    clients.push(client());
    // A handshake costs both sides about a millisecond.
    if (index % (tools.alpn === undefined ? 100 : 10) === 0) {
      await wait(20);
    }
  }
  await Promise.all(clients);
}
