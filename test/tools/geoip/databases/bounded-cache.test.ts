import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundedCache } from "../../../../src/tools/geoip/databases/bounded-cache.js";

describe("a bounded cache", () => {
  it("gives what was set last under a key", () => {
    const cache = boundedCache<number, string>(4);
    expect(cache.get(1)).toBeUndefined();
    cache.set(1, "a");
    cache.set(1, "b");
    cache.set(2, "c");
    expect([cache.get(1), cache.get(2), cache.get(3)]).toEqual(["b", "c", undefined]);
  });

  it("forgets what was not used for longest", () => {
    const cache = boundedCache<number, number>(4);
    for (let key = 1; key <= 6; key++) {
      cache.set(key, key);
      cache.get(1);
    }
    expect([1, 2, 3, 4, 5, 6].map((key) => cache.get(key))).toEqual([
      1,
      undefined,
      undefined,
      undefined,
      5,
      6,
    ]);
  });

  it("keeps something also under the smallest limit", () => {
    const cache = boundedCache<number, string>(0);
    cache.set(1, "a");
    expect(cache.get(1)).toBe("a");
  });

  it("never has more than its limit, never a wrong value, and always what was used last", () => {
    const step = fc.record({ key: fc.nat(12), isSet: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 9 }), fc.array(step, { maxLength: 80 }), (limit, steps) => {
        const cache = boundedCache<number, number>(limit);
        const values = new Map<number, number>();
        let used: number[] = [];
        for (const [index, { key, isSet }] of steps.entries()) {
          const wasUsedLately = used.slice(-Math.floor(limit / 2)).includes(key);
          if (isSet) {
            cache.set(key, index);
            values.set(key, index);
          } else {
            const found = cache.get(key);
            expect(found === undefined ? !wasUsedLately : found === values.get(key)).toBe(true);
            if (found === undefined) {
              continue;
            }
          }
          used = [...used.filter((other) => other !== key), key];
        }
        const all = Array.from({ length: 13 }, (_, key) => cache.get(key));
        expect(all.filter((value) => value !== undefined).length).toBeLessThanOrEqual(limit);
      }),
      { seed: 1, numRuns: 3_000 },
    );
  });
});
