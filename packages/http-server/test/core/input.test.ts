import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setImmediate as iteration } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { Input, type InputHandler, type Stop } from "../../src/core/input.js";

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) {
    socket.destroy();
  }
});

/** What a handler does with the bytes it is called with: how many it consumes, and why it stops. */
type Step = (bytes: Buffer, until: number) => readonly [consumed: number, stop: Stop];

/** Opens a connection whose input a function handles. */
async function open(step: Step) {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", noDelay: true });
  const [socket] = (await once(server, "connection")) as [Socket];
  server.close();
  sockets.push(client, socket);
  const calls: string[] = [];
  const state = { ends: 0, budgetUpdates: 0 };
  const handler: InputHandler = {
    peerAddress: "192.0.2.1",
    handleInput: (bytes, until) => {
      calls.push(bytes.toString());
      const [consumed, stop] = step(bytes, until);
      input.stop = stop;
      return consumed;
    },
    endInput: () => {
      state.ends += 1;
    },
    updateBudget: () => {
      state.budgetUpdates += 1;
    },
  };
  const input = new Input(socket, handler);
  /** Sends bytes, and waits until the socket has read them. */
  const send = async (text: string | Buffer): Promise<void> => {
    const expected = socket.bytesRead + text.length;
    client.write(text);
    while (socket.bytesRead < expected) {
      await iteration();
    }
    await iteration();
  };
  return { input, socket, client, calls, state, send };
}

const all: Step = (bytes) => [bytes.length, "incomplete"];

test("passes on chunks that are handled completely, and keeps nothing", async () => {
  const { input, calls, send } = await open(all);
  await send("one");
  await send("two");
  expect(calls).toEqual(["one", "two"]);
  expect([input.rest, input.held, input.isWaiting]).toEqual([undefined, 0, false]);
});

test("joins what is incomplete with the next chunk", async () => {
  const { input, calls, send } = await open((bytes) => [
    bytes.includes(";") ? bytes.lastIndexOf(";") + 1 : 0,
    "incomplete",
  ]);
  await send("a;b");
  expect([input.rest?.toString(), input.held, input.isWaiting]).toEqual(["b", 1, false]);
  await send("c");
  await send("d;");
  expect(calls).toEqual(["a;b", "bc", "bcd;"]);
  expect(input.held).toBe(0);
});

test("the rest of a chunk does not retain the chunk", async () => {
  const { input, send } = await open((bytes) => [bytes.length - 10, "incomplete"]);
  await send(Buffer.alloc(10_000));
  expect([input.rest?.length, input.rest?.buffer.byteLength, input.held]).toEqual([10, 10, 10]);
});

test("waits while it is blocked, then continues with the same bytes", async () => {
  let isBlocked = true;
  const { input, calls, send } = await open((bytes) =>
    isBlocked ? [1, "blocked"] : [bytes.length, "incomplete"],
  );
  await send("abc");
  expect([input.rest?.toString(), input.isWaiting]).toEqual(["bc", true]);
  isBlocked = false;
  input.resume();
  expect(calls).toEqual(["abc", "bc"]);
  expect([input.rest, input.isWaiting]).toEqual([undefined, false]);
});

test("reads a bounded number of bytes while it is blocked, and the rest afterwards", async () => {
  let isBlocked = true;
  let handled = 0;
  const { input, socket, client } = await open((bytes) => {
    handled += isBlocked ? 0 : bytes.length;
    return isBlocked ? [0, "blocked"] : [bytes.length, "incomplete"];
  });
  client.write(Buffer.alloc(20_000_000));
  while (!socket.isPaused()) {
    await iteration();
  }
  for (let before = -1; before !== socket.bytesRead; ) {
    before = socket.bytesRead;
    for (let count = 0; count < 50; count++) {
      await iteration();
    }
  }
  expect(socket.bytesRead).toBeLessThan(1_000_000);
  expect(input.held).toBeGreaterThanOrEqual(socket.bytesRead);
  isBlocked = false;
  input.resume();
  await expect.poll(() => handled, { timeout: 20_000 }).toBe(20_000_000);
  expect(socket.isPaused()).toBe(false);
});

test("continues in a later turn when its time is over", async () => {
  let count = 0;
  const { input, calls, send } = await open((bytes) => {
    count += 1;
    return count <= 3 ? [1, "time"] : [bytes.length, "incomplete"];
  });
  await send("abcde");
  while (calls.length < 4) {
    await iteration();
  }
  expect(calls).toEqual(["abcde", "bcde", "cde", "de"]);
  expect(input.held).toBe(0);
});

test("does not continue by itself, or when it is resumed, while more bytes are needed", async () => {
  const { input, calls, send } = await open(() => [0, "incomplete"]);
  await send("abc");
  input.resume();
  await iteration();
  expect(calls).toEqual(["abc"]);
});

test.each<readonly [string, Stop, number]>([
  ["at once if nothing waits", "incomplete", 1],
  ["once what is blocked has been handled", "blocked", 0],
])("reports the end of the client's half %s", async (_name, stop, ends) => {
  let isBlocked = stop === "blocked";
  const { input, client, socket, state, send } = await open((bytes) =>
    isBlocked ? [0, "blocked"] : [bytes.length, "incomplete"],
  );
  await send("abc");
  client.end();
  // A paused socket reads the end later.
  if (!isBlocked) {
    await once(socket, "end");
  }
  expect(state.ends).toBe(ends);
  isBlocked = false;
  input.resume();
  await expect.poll(() => state.ends).toBe(1);
  expect(input.hasEnded).toBe(true);
});

test("reports the end behind an incomplete rest", async () => {
  const { input, client, state, send } = await open(() => [0, "incomplete"]);
  await send("abc");
  client.end();
  await expect.poll(() => state.ends).toBe(1);
  expect(input.rest?.toString()).toBe("abc");
});

test("discards the input once it is closed", async () => {
  const { input, client, calls, state, send } = await open(() => [0, "blocked"]);
  await send("abc");
  input.close();
  expect([input.rest, input.isWaiting]).toEqual([undefined, false]);
  input.resume();
  client.end("def");
  for (let count = 0; count < 20; count++) {
    await iteration();
  }
  expect([calls, state.ends]).toEqual([["abc"], 0]);
});
