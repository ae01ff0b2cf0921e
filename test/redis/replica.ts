import { memoryStore } from "../../src/service/access/memory-store.js";
import { limitRate, type RateLimit } from "../../src/service/access/rate-limit.js";
import { openSharedStore } from "../../src/service/access/shared-store.js";

/** What came of a request: `remaining` is what its answer says of the limit. */
export interface Answer {
  readonly outcome: "allowed" | "limited" | `failed: ${string}`;
  readonly remaining: number;
}

/** One of several that share a limit. */
export interface Replica {
  readonly name: string;
  /** Makes one request for one of the callers of this run. Never rejects. */
  ask(caller: number): Promise<Answer>;
  close(): Promise<void>;
}

/** What remains of a limit, by the header `RateLimit`; NaN without one. */
export function remainingIn(rateLimit: string | null | undefined): number {
  return Number(/^"default";r=(\d+);t=\d+$/.exec(rateLimit ?? "")?.[1] ?? Number.NaN);
}

/** A replica that is a store and the rule, without a server. */
export function ruleReplica(name: string, url: string, rateLimit: RateLimit): Replica {
  const store = openSharedStore({
    ...rateLimit,
    url,
    local: memoryStore(rateLimit.window),
    onState: (state, why) => console.log(`  ${name}: the store is ${state}: ${why}`),
  });
  if (!store.ok) {
    throw new Error(store.failure.description);
  }
  const rule = limitRate({ ...rateLimit, store: store.value, now: () => performance.now() });
  return {
    name,
    ask: async (caller) => {
      let rateLimitHeader: string | undefined;
      const error = await rule({
        area: "service",
        callerAddress: "127.0.0.1",
        principal: `caller-${caller}`,
        header: () => undefined,
        addHeader: (header, value) => {
          if (header === "ratelimit") {
            rateLimitHeader = value;
          }
        },
      });
      const outcome =
        error === undefined ? "allowed" : error.reason === "RATE_LIMIT_EXCEEDED" ? "limited" : "failed: rule";
      return { outcome, remaining: remainingIn(rateLimitHeader) };
    },
    close: async () => store.value.close(),
  };
}
