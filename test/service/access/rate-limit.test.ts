import { Code } from "@connectrpc/connect";
import type { Area } from "connect-transcoding";
import { errorDetails } from "connect-transcoding";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../../src/service/access/memory-store.js";
import { limitRate, type RateLimitDecision } from "../../../src/service/access/rate-limit.js";
import { atOnce, incomingRequest } from "./request.js";

/** The rule with a limit of two requests in ten seconds, and the time of its clock. */
function limiter() {
  const clock = { now: 5_000 };
  const decisions: RateLimitDecision[] = [];
  const rule = limitRate({
    limit: 2,
    window: 10,
    store: memoryStore(10),
    now: () => clock.now,
    onDecision: (decision) => decisions.push(decision),
  });
  const ask = (given: Parameters<typeof incomingRequest>[0] = {}) => {
    const request = incomingRequest(given);
    const error = atOnce(rule(request));
    return { error, added: request.added };
  };
  return { clock, decisions, ask };
}

test("answers say the limit, what remains of it and when it is whole again", () => {
  const { clock, ask, decisions } = limiter();
  expect(ask()).toEqual({
    error: undefined,
    added: { "ratelimit-policy": '"default";q=2;w=10', ratelimit: '"default";r=1;t=10' },
  });
  clock.now += 1_001;
  expect(ask().added.ratelimit).toBe('"default";r=0;t=9');
  clock.now += 8_998;
  expect(ask()).toMatchObject({
    error: { code: Code.ResourceExhausted, reason: "RATE_LIMIT_EXCEEDED" },
    added: { "ratelimit-policy": '"default";q=2;w=10', ratelimit: '"default";r=0;t=1', "retry-after": "1" },
  });
  clock.now += 1;
  expect(ask()).toMatchObject({ error: undefined, added: { ratelimit: '"default";r=1;t=10' } });
  expect(decisions).toEqual(["allowed", "allowed", "refused", "allowed"]);
});

test("who asks too much is told when to come back", () => {
  const { clock, ask } = limiter();
  ask();
  ask();
  clock.now += 2_500.25;
  const { error, added } = ask();
  expect(added["retry-after"]).toBe("8");
  expect(error?.message).toBe("too many requests; allowed: 2 in 10 s; try again in 8 s");
  expect(error && errorDetails(error).map(({ desc, value }) => [desc.typeName, value])).toEqual([
    ["google.rpc.RetryInfo", { retryDelay: expect.objectContaining({ seconds: 7n, nanos: 500_000_000 }) }],
    [
      "google.rpc.ErrorInfo",
      { reason: "RATE_LIMIT_EXCEEDED", domain: "utilitytools", metadata: { limit: "2", window: "10s" } },
    ],
  ]);
});

describe("limits are for", () => {
  const isAllowed = (ask: ReturnType<typeof limiter>["ask"], given: Parameters<typeof incomingRequest>[0]) =>
    ask(given).error === undefined;

  test("addresses", () => {
    const { ask } = limiter();
    const from = (callerAddress: string) => isAllowed(ask, { callerAddress });
    expect(["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1", "192.0.2.2"].map(from)).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"].map(from)).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  test("API keys, wherever they come from", () => {
    const { ask } = limiter();
    const from = (principal: string | undefined, callerAddress: string) =>
      isAllowed(ask, { principal, callerAddress });
    expect([from("a", "192.0.2.1"), from("a", "192.0.2.2"), from("a", "192.0.2.3")]).toEqual([
      true,
      true,
      false,
    ]);
    expect([from("b", "192.0.2.1"), from(undefined, "192.0.2.1")]).toEqual([true, true]);
  });

  test.each([
    ["service", [true, true, false]],
    ["docs", [true, true, false]],
    ["reflection", [true, true, false]],
    ["health", [true, true, true]],
    ["metrics", [true, true, true]],
  ] as [Area, boolean[]][])("%s: %j", (area, allowed) => {
    const { ask } = limiter();
    expect(allowed.map(() => isAllowed(ask, { area }))).toEqual(allowed);
  });
});

test("what is not counted has no headers and is no decision", () => {
  const { ask, decisions } = limiter();
  expect(ask({ area: "health" }).added).toEqual({});
  expect(decisions).toEqual([]);
});

test("a store may take its time", async () => {
  const rule = limitRate({
    limit: 1,
    window: 10,
    now: () => 0,
    store: { consume: async () => ({ count: 2, resetMs: 0.2 }) },
  });
  const request = incomingRequest();
  expect(await rule(request)).toMatchObject({ reason: "RATE_LIMIT_EXCEEDED", retryAfter: 1 });
  expect(request.added).toMatchObject({ ratelimit: '"default";r=0;t=1', "retry-after": "1" });
});
