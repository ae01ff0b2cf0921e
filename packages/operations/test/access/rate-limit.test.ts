import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, RetryInfoSchema } from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type LimitStore,
  limitKey,
  limitRate,
  memoryStore,
  type RateLimitDecision,
} from "../../src/access/rate-limit.js";
import type { RequestKind } from "../../src/request-kind.js";
import { accessRequest, reasonOf, rejectionOf } from "./access-request.js";

describe("memoryStore", () => {
  test("a window starts with its first request and ends after its duration", () => {
    const store = memoryStore(60);
    expect([0, 1, 59_999, 60_000, 60_001].map((after) => store.consume("a", 1_000 + after))).toEqual([
      { count: 1, resetMs: 60_000 },
      { count: 2, resetMs: 59_999 },
      { count: 3, resetMs: 1 },
      { count: 1, resetMs: 60_000 },
      { count: 2, resetMs: 59_999 },
    ]);
  });

  test("a request can count several times", () => {
    const store = memoryStore(60);
    expect([3, undefined, 5].map((cost) => store.consume("a", 0, cost).count)).toEqual([3, 4, 9]);
  });

  test("keys are counted separately", () => {
    const store = memoryStore(1);
    expect(["a", "b", "a"].map((key) => store.consume(key, 0).count)).toEqual([1, 1, 2]);
  });

  describe("a full store", () => {
    test("deletes the window that ends first", () => {
      const store = memoryStore(60, 3);
      for (const [index, key] of ["a", "b", "c", "a"].entries()) {
        store.consume(key, index);
      }
      // Replaces a, which was used last but has the oldest window.
      expect(store.consume("d", 10).count).toBe(1);
      expect(store.size).toBe(3);
      expect(["b", "c", "d"].map((key) => store.consume(key, 11).count)).toEqual([2, 2, 2]);
      expect(store.consume("a", 12).count).toBe(1);
    });

    test("does not delete a restarted window before older ones", () => {
      const store = memoryStore(1, 2);
      store.consume("a", 0);
      store.consume("b", 500);
      store.consume("a", 1_000);
      store.consume("c", 1_001);
      expect(store.consume("a", 1_002).count).toBe(2);
      expect(store.size).toBe(2);
    });
  });

  test("new windows delete expired ones", () => {
    const store = memoryStore(1);
    for (let index = 0; index < 1_000; index++) {
      store.consume(`old ${index}`, 0);
    }
    for (let index = 0; index < 999; index++) {
      store.consume(`new ${index}`, 1_000);
    }
    expect(store.size).toBe(999);
  });

  test("counts like a plain map while it has room", () => {
    const requests = fc.array(
      fc.record({ key: fc.constantFrom("a", "b", "c", "d"), wait: fc.nat({ max: 1_500 }) }),
    );
    fc.assert(
      fc.property(requests, (given) => {
        const store = memoryStore(1, 4);
        const windows = new Map<string, { count: number; end: number }>();
        let now = 0;
        for (const { key, wait } of given) {
          now += wait;
          const open = windows.get(key);
          const window = open === undefined || now >= open.end ? { count: 0, end: now + 1_000 } : open;
          window.count++;
          windows.set(key, window);
          expect(store.consume(key, now)).toEqual({ count: window.count, resetMs: window.end - now });
        }
        expect(store.size).toBeLessThanOrEqual(4);
      }),
    );
  });
});

describe("limitKey", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    // RFC 4291, section 2.5.5.2.
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:201", "192.0.2.1"],
    ["0:0:0:0:0:FFFF:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["::1", "::/64"],
    ["::", "::/64"],
    ["64:ff9b::192.0.2.1", "64:ff9b::/64"],
    ["::192.0.2.1", "::/64"],
    ["", "unknown"],
    ["192.0.2", "unknown"],
    ["[::1]", "unknown"],
    ["2001:db8::1::2", "unknown"],
    ["not an address", "unknown"],
  ])("address %j counts as %s", (clientAddress, key) => {
    expect(limitKey({ principal: undefined, clientAddress })).toBe(key);
  });

  test.each(["ci", "192.0.2.1", "unknown"])(
    "API key %j counts by its name, whatever the address",
    (principal) => {
      expect(limitKey({ principal, clientAddress: "192.0.2.1" })).toBe(`key:${principal}`);
    },
  );

  test("addresses share a key if they share a /64", () => {
    const group = fc.nat({ max: 0xffff });
    const address = fc.array(group, { minLength: 8, maxLength: 8 });
    const text = (groups: readonly number[]) => groups.map((value) => value.toString(16)).join(":");
    fc.assert(
      fc.property(address, address, (one, other) => {
        const keyOf = (groups: readonly number[]) =>
          limitKey({ principal: undefined, clientAddress: text(groups) });
        expect(keyOf([...one.slice(0, 4), ...other.slice(4)])).toBe(keyOf(one));
        expect(keyOf(one) === keyOf(other)).toBe(text(one.slice(0, 4)) === text(other.slice(0, 4)));
      }),
    );
  });

  test("a key does not depend on the notation of the address", () => {
    fc.assert(
      fc.property(fc.ipV6(), (clientAddress) => {
        const host = new URL(`http://[${clientAddress}]`).hostname.slice(1, -1);
        expect(limitKey({ principal: undefined, clientAddress })).toBe(
          limitKey({ principal: undefined, clientAddress: host }),
        );
      }),
    );
  });
});

describe("limitRate", () => {
  /** Creates a hook that allows two requests in ten seconds, with its clock. */
  function limiter() {
    const clock = { now: 5_000 };
    const decisions: RateLimitDecision[] = [];
    const { onRequest } = limitRate({
      limit: 2,
      window: 10,
      store: memoryStore(10),
      now: () => clock.now,
      onDecision: (decision) => decisions.push(decision),
    });
    const send = (given: Parameters<typeof accessRequest>[0] = {}) => {
      const request = accessRequest(given);
      const error = rejectionOf(onRequest, request);
      return { error, added: request.added };
    };
    return { clock, decisions, send };
  }

  test("responses have the limit, the remaining requests and the time to the end of the window", () => {
    const { clock, send, decisions } = limiter();
    expect(send()).toEqual({
      error: undefined,
      added: { "ratelimit-policy": '"default";q=2;w=10', ratelimit: '"default";r=1;t=10' },
    });
    clock.now += 1_001;
    expect(send().added.ratelimit).toBe('"default";r=0;t=9');
    clock.now += 8_998;
    const rejected = send();
    expect(reasonOf(rejected.error)).toBe("RATE_LIMIT_EXCEEDED");
    expect(rejected).toMatchObject({
      error: { code: Code.ResourceExhausted },
      added: { "ratelimit-policy": '"default";q=2;w=10', ratelimit: '"default";r=0;t=1', "retry-after": "1" },
    });
    clock.now += 1;
    expect(send()).toMatchObject({ error: undefined, added: { ratelimit: '"default";r=1;t=10' } });
    expect(decisions).toEqual(["allowed", "allowed", "refused", "allowed"]);
  });

  test("a rejection has the time to wait", () => {
    const { clock, send } = limiter();
    send();
    send();
    clock.now += 2_500.25;
    const { error, added } = send();
    expect(added["retry-after"]).toBe("8");
    expect(error?.rawMessage).toBe("too many requests; allowed: 2 in 10 s; try again in 8 s");
    expect(error?.findDetails(RetryInfoSchema)).toMatchObject([
      { retryDelay: { seconds: 7n, nanos: 500_000_000 } },
    ]);
    expect(error?.findDetails(ErrorInfoSchema)).toMatchObject([
      { reason: "RATE_LIMIT_EXCEEDED", metadata: { limit: "2", window: "10s" } },
    ]);
  });

  test.each<[RequestKind, boolean[]]>([
    ["service", [true, true, false]],
    ["docs", [true, true, false]],
    ["reflection", [true, true, false]],
    ["health", [true, true, true]],
    ["metrics", [true, true, true]],
  ])("requests of the kind %s are allowed: %j", (kind, allowed) => {
    const { send } = limiter();
    expect(allowed.map(() => send({ kind }).error === undefined)).toEqual(allowed);
  });

  test("requests that are not counted get no headers and no decision", () => {
    const { send, decisions } = limiter();
    expect(send({ kind: "health" }).added).toEqual({});
    expect(decisions).toEqual([]);
  });

  test("a store can be asynchronous", async () => {
    const { onRequest } = limitRate({
      limit: 1,
      window: 10,
      now: () => 0,
      store: { consume: async () => ({ count: 2, resetMs: 0.2 }) },
    });
    const request = accessRequest();
    const error = await Promise.resolve(onRequest(request)).catch(ConnectError.from);
    expect(reasonOf(error)).toBe("RATE_LIMIT_EXCEEDED");
    expect(error?.findDetails(RetryInfoSchema)).toMatchObject([
      { retryDelay: { seconds: 0n, nanos: 1_000_000 } },
    ]);
    expect(request.added).toMatchObject({ ratelimit: '"default";r=0;t=1', "retry-after": "1" });
  });

  describe("a request that counts several times", () => {
    /** Ten requests in ten seconds. */
    function limiterOfTen(store: LimitStore = memoryStore(10)) {
      const decisions: RateLimitDecision[] = [];
      const onDecision = (decision: RateLimitDecision) => decisions.push(decision);
      const limiter = limitRate({ limit: 10, window: 10, store, now: () => 0, onDecision });
      return { ...limiter, decisions };
    }

    test("is counted at its start and when its cost is known", () => {
      const { onRequest, quotaOf, decisions } = limiterOfTen();
      const request = accessRequest();
      expect(onRequest(request)).toBeUndefined();
      expect(request.added.ratelimit).toBe('"default";r=9;t=10');
      expect(quotaOf(request).limit).toBe(10);
      expect(quotaOf(request).charge(9)).toBeUndefined();
      expect(request.added).toEqual({
        "ratelimit-policy": '"default";q=10;w=10',
        ratelimit: '"default";r=0;t=10',
      });
      expect(decisions).toEqual(["allowed", "allowed"]);
    });

    test("is rejected like any other, and uses up the limit", () => {
      const { onRequest, quotaOf, decisions } = limiterOfTen();
      const request = accessRequest();
      onRequest(request);
      const error = rejectionOf(() => quotaOf(request).charge(10), request);
      expect(error?.rawMessage).toBe("too many requests; allowed: 10 in 10 s; try again in 10 s");
      expect([error?.code, reasonOf(error)]).toEqual([Code.ResourceExhausted, "RATE_LIMIT_EXCEEDED"]);
      expect(error?.metadata.get("retry-after")).toBe("10");
      expect(error?.findDetails(RetryInfoSchema)).toMatchObject([{ retryDelay: { seconds: 10n } }]);
      expect(request.added.ratelimit).toBe('"default";r=0;t=10');
      expect(reasonOf(rejectionOf(onRequest, accessRequest()))).toBe("RATE_LIMIT_EXCEEDED");
      expect(decisions).toEqual(["allowed", "refused", "refused"]);
    });

    test("is not counted again for nothing, or if it is a health check", () => {
      const { onRequest, quotaOf, decisions } = limiterOfTen();
      const request = accessRequest();
      onRequest(request);
      quotaOf(request).charge(0);
      quotaOf(accessRequest({ kind: "health" })).charge(100);
      expect(decisions).toEqual(["allowed"]);
      expect(request.added.ratelimit).toBe('"default";r=9;t=10');
    });

    test("can be counted by an asynchronous store, with one command", async () => {
      const consumed: unknown[] = [];
      const store: LimitStore = {
        consume: async (key, _, cost) => {
          consumed.push([key, cost]);
          return { count: 11, resetMs: 10_000 };
        },
      };
      const { quotaOf } = limiterOfTen(store);
      const charged = Promise.resolve(quotaOf(accessRequest()).charge(5));
      expect(reasonOf(await charged.catch((error: unknown) => error))).toBe("RATE_LIMIT_EXCEEDED");
      expect(consumed).toEqual([["192.0.2.1", 5]]);
    });
  });
});
