import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ShownError } from "../../../../src/workbench/kit/service/errors.js";
import { type BatchJob, runBatches, splitBatches } from "../../../../src/workbench/list/work/run-batches.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const INPUTS = Array.from({ length: 25 }, (_, index) => `input ${index}`);

const ERROR = {
  code: "INTERNAL",
  message: "",
  reason: "",
  metadata: {},
  violations: [],
  retryAfter: undefined,
};
const LIMITED: ShownError = { ...ERROR, code: "RESOURCE_EXHAUSTED", reason: "RATE_LIMIT_EXCEEDED" };

/** Runs a job that sends batches of 10. `fail` returns the error of a request by its number, which starts with 1. */
async function start(
  fail: (request: number, inputs: readonly string[]) => ShownError | undefined,
  controller = new AbortController(),
) {
  const results = new Map<string, string>();
  const sizes: number[] = [];
  const delays: number[] = [];
  let [active, mostActive] = [0, 0];
  const job: BatchJob<string> = {
    inputs: INPUTS,
    maxItems: 10,
    signal: controller.signal,
    async send(inputs) {
      sizes.push(inputs.length);
      const failure = fail(sizes.length, inputs);
      mostActive = Math.max(mostActive, ++active);
      await Promise.resolve();
      active--;
      controller.signal.throwIfAborted();
      return failure === undefined
        ? { ok: true, value: inputs.map((input) => `result of ${input}`) }
        : { ok: false, failure };
    },
    onResults(inputs, values) {
      for (const [index, input] of inputs.entries()) {
        results.set(input, values[index] ?? "");
      }
    },
    onWait: (delay) => delays.push(delay),
  };
  const end = runBatches(job);
  await vi.runAllTimersAsync();
  return { error: await end, results, sizes, delays, mostActive };
}

const ALL = new Map(INPUTS.map((input) => [input, `result of ${input}`]));

describe("runBatches", () => {
  test("sends all inputs, two batches at a time", async () => {
    const { error, results, sizes, delays, mostActive } = await start(() => undefined);
    expect({ error, sizes, delays, mostActive }).toEqual({
      error: undefined,
      sizes: [10, 10, 5],
      delays: [],
      mostActive: 2,
    });
    expect(results).toEqual(ALL);
  });

  test("waits as long as the service asks", async () => {
    const limited = { ...LIMITED, retryAfter: 42_000 };
    const { error, results, delays } = await start((request) => (request === 2 ? limited : undefined));
    expect({ error, delays }).toEqual({ error: undefined, delays: [42_000] });
    expect(results).toEqual(ALL);
  });

  test("waits without end for a rate limit", async () => {
    const { error, results, delays } = await start((request) => (request <= 30 ? LIMITED : undefined));
    expect({ error, delays }).toEqual({ error: undefined, delays: Array(30).fill(1_000) });
    expect(results).toEqual(ALL);
  });

  test.each([
    [
      "the rate limit",
      {
        code: "INVALID_ARGUMENT",
        violations: [{ field: "ip_addresses", reason: "TOO_MANY_ITEMS", description: "" }],
      },
    ],
    ["the size of requests", { code: "RESOURCE_EXHAUSTED" }],
  ])("sends smaller batches if %s allows fewer items", async (_, part) => {
    const { error, results, sizes } = await start((_request, inputs) =>
      inputs.length > 4 ? { ...ERROR, ...part } : undefined,
    );
    expect(error).toBeUndefined();
    expect(results).toEqual(ALL);
    expect(Math.max(...sizes.slice(-6))).toBeLessThanOrEqual(4);
  });

  test("retries when the service does not respond, with growing delays, and then stops", async () => {
    const down = { ...ERROR, code: "UNAVAILABLE" };
    const { error, results, delays } = await start((request) => (request === 1 ? undefined : down));
    expect(error).toBe(down);
    expect(results.size).toBe(10);
    expect([...new Set(delays)]).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  test.each(["UNAUTHENTICATED", "INTERNAL", "INVALID_ARGUMENT"])("stops at %s", async (code) => {
    const failure = { ...ERROR, code };
    const { error, delays } = await start((request) => (request === 2 ? failure : undefined));
    expect({ error, delays }).toEqual({ error: failure, delays: [] });
  });

  test("stops while it waits", async () => {
    const controller = new AbortController();
    const limited = { ...LIMITED, retryAfter: 3_600_000 };
    setTimeout(() => controller.abort(), 5_000);
    const { error, sizes } = await start(() => limited, controller);
    expect({ error, sizes }).toEqual({ error: undefined, sizes: [10, 10] });
  });
});

test("splitBatches limits the bytes of a batch", () => {
  expect(splitBatches([], 10)).toEqual([]);
  // 300 bytes each in UTF-8
  const batches = splitBatches(Array(1_000).fill("ü".repeat(150)), 1_000);
  expect(batches.map(({ length }) => length)).toEqual([194, 194, 194, 194, 194, 30]);
});
