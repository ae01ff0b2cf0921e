import { turns } from "@utility-tools/http-server/portable";
import { expect, test } from "vitest";
import { Pace } from "../../../src/call/streams/pace.js";

const CLIENT = "192.0.2.1";

test("a stream waits for no turn of its client once its request is closed", async () => {
  let isBlocked = true;
  turns.resume(CLIENT, (until) => {
    while (performance.now() < until) {
      // Works.
    }
    return !isBlocked;
  });
  const listeners: (() => void)[] = [];
  const exchange = {
    clientAddress: CLIENT,
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
