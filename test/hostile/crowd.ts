import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { AttackTools } from "./attack.js";

/** Whether the attack is over. */
function isOver({ until }: AttackTools): boolean {
  return performance.now() >= until;
}

/** Connects, and resolves when connected or refused. What goes wrong with the connection later is to be expected. */
function open({ port }: AttackTools): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    socket.on("error", () => {});
    socket.once("connect", () => resolve(socket));
    socket.once("close", () => resolve(socket));
  });
}

/** Waits until a connection is gone, or the attack is over. */
export async function untilGone(socket: Socket, tools: AttackTools): Promise<void> {
  while (!socket.closed && !isOver(tools)) {
    await wait(100);
  }
}

/** Writes one of some pieces every so often, until the connection is gone or the attack is over. */
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

/** Writes as much as the connection takes, until it is gone or the attack is over. */
export async function pour(socket: Socket, tools: AttackTools, piece: Uint8Array | string): Promise<void> {
  while (!socket.closed && !isOver(tools)) {
    if (!socket.write(piece)) {
      await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), untilGone(socket, tools)]);
    }
    await wait(1);
  }
}

/** Has so many callers do the same until the attack is over: each on a connection of its own, and on a new one when it went. */
export async function crowd(
  count: number,
  tools: AttackTools,
  act: (socket: Socket) => Promise<unknown>,
): Promise<void> {
  const caller = async (): Promise<void> => {
    while (!isOver(tools)) {
      const socket = await open(tools);
      await act(socket);
      socket.destroy();
      // Whoever is refused asks again in a moment.
      await wait(20);
    }
  };
  const callers: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    callers.push(caller());
    if (index % 100 === 99) {
      await wait(20);
    }
  }
  await Promise.all(callers);
}
