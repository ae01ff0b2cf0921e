import { createQueue, turns } from "@utility-tools/http-server/portable";
import { expect, test } from "vitest";
import { Pace } from "../../../src/call/streams/pace.js";

const CLIENT = "192.0.2.1";

test("a stream waits for no turn of its client once its request is closed", async () => {
  let isBlocked = true;
  // It has used more than the others.
  const queue = { ...createQueue(CLIENT), used: 1_000, usedAt: performance.now() };
  // More slices of other queues than the test takes.
  for (let count = 0; count < 100; count++) {
    turns.resume(createQueue(CLIENT), (until) => {
      while (isBlocked && performance.now() < until) {
        // Works.
      }
      return !isBlocked;
    });
  }
  const listeners: (() => void)[] = [];
  const exchange = {
    queue,
    isClosed: false,
    onClose: (listener: () => void) => void listeners.push(listener),
  };
  try {
    const pace = new Pace(exchange);
    let hasTurn = false;
    void pace.wait()?.then(() => {
      hasTurn = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(hasTurn).toBe(false);
    exchange.isClosed = true;
    for (const listener of listeners) {
      listener();
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect([hasTurn, pace.wait()]).toEqual([true, undefined]);
  } finally {
    isBlocked = false;
  }
});
