import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../../src/service/access/memory-store.js";

test("a window begins with its first request and ends after its time", () => {
  const store = memoryStore(60);
  expect([0, 1, 59_999, 60_000, 60_001].map((after) => store.consume("a", 1_000 + after))).toEqual([
    { count: 1, resetMs: 60_000 },
    { count: 2, resetMs: 59_999 },
    { count: 3, resetMs: 1 },
    { count: 1, resetMs: 60_000 },
    { count: 2, resetMs: 59_999 },
  ]);
});

test("keys count for themselves", () => {
  const store = memoryStore(1);
  expect(["a", "b", "a"].map((key) => store.consume(key, 0).count)).toEqual([1, 1, 2]);
});

describe("a full store", () => {
  test("forgets the window that ends first", () => {
    const store = memoryStore(60, 3);
    for (const [index, key] of ["a", "b", "c", "a"].entries()) {
      store.consume(key, index);
    }
    // In place of a, which has been used last, but whose window is the oldest.
    expect(store.consume("d", 10).count).toBe(1);
    expect(store.size).toBe(3);
    expect(["b", "c", "d"].map((key) => store.consume(key, 11).count)).toEqual([2, 2, 2]);
    expect(store.consume("a", 12).count).toBe(1);
  });

  test("does not forget a window that was begun again before those of others", () => {
    const store = memoryStore(1, 2);
    store.consume("a", 0);
    store.consume("b", 500);
    store.consume("a", 1_000);
    store.consume("c", 1_001);
    expect(store.consume("a", 1_002).count).toBe(2);
    expect(store.size).toBe(2);
  });
});

test("windows that have ended are cleared away as others begin", () => {
  const store = memoryStore(1);
  for (let index = 0; index < 1_000; index++) {
    store.consume(`old ${index}`, 0);
  }
  for (let index = 0; index < 999; index++) {
    store.consume(`new ${index}`, 1_000);
  }
  expect(store.size).toBe(999);
});

test("counts as a plain map does, as long as there is room", () => {
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
