import { Gauge, Registry } from "prom-client";
import { expect, test } from "vitest";
import { metricsWriter } from "../../../src/service/telemetry/cluster-metrics.js";

/** A writer of one metric, which is the number of times that it was collected. Fails while the number is negative. */
function writer() {
  const registry = new Registry();
  const state = { collected: 0 };
  new Gauge({
    name: "collected",
    help: "x",
    registers: [registry],
    collect() {
      state.collected++;
      if (state.collected < 0) {
        throw new Error("cannot be collected");
      }
      this.set(state.collected);
    },
  });
  return { state, write: metricsWriter(registry) };
}

test("concurrent calls get the same text, and later ones get a new one", async () => {
  const { write } = writer();
  const texts = await Promise.all([write(), write(), write()]);
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).toContain("collected 1\n");
  expect(await write()).toContain("collected 2\n");
});

test("a failure is not kept", async () => {
  const { state, write } = writer();
  state.collected = -2;
  const failed = await Promise.allSettled([write(), write()]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await write()).toContain("collected 0\n");
});
