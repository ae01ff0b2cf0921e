import { createContextValues, createHandlerContext } from "@connectrpc/connect";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test, vi } from "vitest";
import { clientAddressKey, runInTurns } from "../../src/index.js";

function contextOf(clientAddress: string, requestSignal?: AbortSignal) {
  return createHandlerContext({
    service: ShelfService,
    method: ShelfService.method.getBook,
    protocolName: "connect",
    requestMethod: "POST",
    url: "https://shelf.example/",
    contextValues: createContextValues().set(clientAddressKey, clientAddress),
    ...(requestSignal && { requestSignal }),
  });
}

/** Steps of a millisecond each. */
function* steps(count: number, onStep: (step: number) => void = () => {}) {
  for (let step = 1; step <= count; step++) {
    const end = performance.now() + 1;
    while (performance.now() < end) {
      // Works.
    }
    onStep(step);
    yield;
  }
  return count;
}

describe("runInTurns", () => {
  test("returns the result of short work at once", async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(runInTurns(contextOf("192.0.2.1"), () => steps(0))).toBe(0);
  });

  test("does the work of several clients in turns", async () => {
    const order: string[] = [];
    const run = (client: string, count: number) =>
      runInTurns(contextOf(client), () => steps(count, (step) => order.push(`${client} ${step}`)));
    const results = await Promise.all([run("192.0.2.1", 40), run("192.0.2.2", 5)]);
    expect(results).toEqual([40, 5]);
    expect(order).toHaveLength(45);
    expect(order.indexOf("192.0.2.2 5")).toBeLessThan(order.indexOf("192.0.2.1 30"));
  });

  test("passes on what a step throws, at once and later", async () => {
    const bug = new TypeError("unexpected");
    const failing = (after: number) =>
      function* () {
        yield* steps(after);
        throw bug;
      };
    for (const after of [0, 20]) {
      await expect(async () => runInTurns(contextOf("192.0.2.1"), failing(after))).rejects.toBe(bug);
    }
  });

  test("stops when the call has ended", async () => {
    const controller = new AbortController();
    let last = 0;
    const context = contextOf("192.0.2.1", controller.signal);
    const checks = vi.spyOn(context.signal, "throwIfAborted");
    const result = runInTurns(context, () =>
      steps(1000, (step) => {
        last = step;
      }),
    );
    const reason = new Error("the client has disconnected");
    controller.abort(reason);
    await expect(result).rejects.toBe(reason);
    expect(last).toBeLessThan(10);
    checks.mockClear();
    await runInTurns(contextOf("192.0.2.2"), () => steps(20));
    expect(checks).not.toHaveBeenCalled();
  });
});
