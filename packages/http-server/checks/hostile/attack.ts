import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectTls } from "node:tls";

/** Parameters of a running attack. */
export interface AttackTools {
  readonly port: number;
  /** The end time (`performance.now`). */
  readonly until: number;
}

export type Alpn = "h2" | "http/1.1";

/** What a client does with its connection. */
export type Act = (socket: Socket, tools: AttackTools) => Promise<unknown>;

/** An attack: many clients that do the same. Closed connections are replaced until it is over. */
export interface Attack {
  readonly name: string;
  /** The maximum number of concurrent connections. */
  readonly connections: number;
  /** What each client sends first. It is created when the attack starts. */
  readonly first?: () => Uint8Array | string;
  /** What it does after that. Default: it waits until it is disconnected. */
  readonly act?: Act;
  /** Whether it reads what the server sends. Default: true. */
  readonly reads?: boolean;
  /** Whether it takes more connections than there are, of a server with few. */
  readonly takesAll?: boolean;
  /** Whether it needs a TLS port. */
  readonly tls?: boolean;
  /** The protocol that its clients negotiate over TLS. Undefined for bytes as they are. */
  readonly alpn?: Alpn | undefined;
  /** Whether the short form is without it. */
  readonly isOnlyInFull?: boolean;
}

function isOver({ until }: AttackTools): boolean {
  return performance.now() >= until;
}

/** Resolves when the connection is established or rejected. Later errors are expected. */
function open(port: number, alpn: Alpn | undefined): Promise<Socket> {
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
export const untilGone: Act = async (socket, tools) => {
  while (!socket.closed && !isOver(tools)) {
    await wait(100);
  }
};

/** Waits for some milliseconds, or until the connection is closed. */
export const forMilliseconds =
  (milliseconds: number): Act =>
  (socket, tools) =>
    Promise.race([wait(milliseconds), untilGone(socket, tools)]);

/** Writes a small piece at intervals until the connection is closed or the attack is over. The pieces are created for each client. */
export const drip =
  (pieces: () => () => Uint8Array | string): Act =>
  async (socket, tools) => {
    const piece = pieces();
    while (!socket.closed && !isOver(tools)) {
      socket.write(piece());
      await wait(200);
    }
  };

/** Pieces that are always the same. */
export const always = (piece: Uint8Array | string) => () => () => piece;

/** Writes as much as the connection accepts until it is closed or the attack is over. The piece is created for each client. */
export const pour =
  (pieces: () => () => Uint8Array | string): Act =>
  async (socket, tools) => {
    const piece = pieces();
    while (!socket.closed && !isOver(tools)) {
      if (!socket.write(piece())) {
        await Promise.race([
          new Promise((resolve) => socket.once("drain", resolve)),
          untilGone(socket, tools),
        ]);
      }
      await wait(1);
    }
  };

/** An attack whose clients send some bytes first, and then act. */
export function attack(
  name: string,
  connections: number,
  first: () => Uint8Array | string,
  act: Act = untilGone,
  options: Partial<Attack> = {},
): Attack {
  return { name, connections, first, act, ...options };
}

/** Runs an attack with `count` clients until it is over. Then their connections stay open until the process ends. */
export async function runAttack(attack: Attack, count: number, tools: AttackTools): Promise<void> {
  const { first = () => "", act = untilGone, reads = true, alpn } = attack;
  const bytes = Buffer.from(first());
  const client = async (): Promise<void> => {
    while (!isOver(tools)) {
      const socket = await open(tools.port, alpn);
      if (reads) {
        socket.resume();
      } else {
        socket.pause();
      }
      socket.write(bytes);
      await act(socket, tools);
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
    if (index % (alpn === undefined ? 100 : 10) === 0) {
      await wait(20);
    }
  }
  await Promise.all(clients);
}
