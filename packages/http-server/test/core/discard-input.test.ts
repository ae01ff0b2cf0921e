import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as iteration } from "node:timers/promises";
import { expect, test } from "vitest";
import { discardInput } from "../../src/core/discard-input.js";

/** A socket whose client sends bytes whenever it is read. */
function createSocket() {
  const calls: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    pause: () => calls.push("pause"),
    resume: () => calls.push("resume"),
    destroy: () => calls.push("destroy"),
    destroySoon: () => calls.push("destroySoon"),
  });
  discardInput(socket as unknown as Socket);
  expect(calls.splice(0)).toEqual(["resume"]);
  return {
    calls,
    receive: (bytes: number) => socket.emit("data", Buffer.alloc(bytes)),
    end: () => socket.emit("end"),
    close: () => socket.emit("close"),
  };
}

test("few sockets are read in each iteration, in turns", async () => {
  const sockets = Array.from({ length: 5 }, createSocket);
  for (const { receive, calls } of sockets) {
    receive(16_384);
    expect(calls.splice(0)).toEqual(["pause"]);
  }
  const resumed: number[][] = [];
  for (let count = 0; count < 5; count++) {
    await iteration();
    const now = sockets.flatMap(({ calls }, index) => (calls.includes("resume") ? [index] : []));
    resumed.push(now);
    for (const index of now) {
      sockets[index]?.receive(16_384);
      sockets[index]?.calls.splice(0);
    }
  }
  expect(resumed).toEqual([
    [0, 1],
    [2, 3],
    [0, 4],
    [1, 2],
    [0, 3],
  ]);
  for (const { close } of sockets) {
    close();
  }
});

test("a socket that receives little goes on", () => {
  const { calls, receive } = createSocket();
  receive(8_192);
  expect(calls).toEqual([]);
  receive(8_192);
  expect(calls).toEqual(["pause"]);
});

test("a socket that has closed is not read again", async () => {
  const { calls, receive, close } = createSocket();
  receive(16_384);
  close();
  await iteration();
  await iteration();
  expect(calls).toEqual(["pause"]);
});

test("a client that sends more than 1 MiB is cut off", () => {
  const { calls, receive } = createSocket();
  receive(1024 * 1024);
  receive(1);
  expect(calls).toEqual(["pause", "destroy"]);
});

test("the connection closes if the client has closed its half", () => {
  const calls: string[] = [];
  const socket = { readableEnded: true, destroySoon: () => calls.push("destroySoon") };
  discardInput(socket as unknown as Socket);
  expect(calls).toEqual(["destroySoon"]);
});

test("the connection closes with the client's half", () => {
  const { calls, end } = createSocket();
  end();
  expect(calls).toEqual(["destroySoon"]);
});
