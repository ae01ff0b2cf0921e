import fc from "fast-check";
import { expect, test } from "vitest";
import { StreamTable } from "../../../src/http2/streams/stream-table.js";

/** IDs of which many have the same last bits. */
const anyId = fc.oneof(
  fc.integer({ min: 0, max: 30 }).map((index) => 2 * index + 1),
  fc.integer({ min: 0, max: 2000 }).map((index) => 2 * index + 1),
  fc.integer({ min: 0, max: 20 }).map((index) => 2048 * index + 1),
  fc.integer({ min: 0, max: 2 ** 31 - 1 }),
);

test("is a map from IDs", () => {
  const step = fc.record({ id: anyId, isAdded: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 2000, size: "max" }), (steps) => {
      const table = new StreamTable<{ readonly id: number }>();
      const map = new Map<number, { readonly id: number }>();
      for (const { id, isAdded } of steps) {
        if (isAdded && !map.has(id)) {
          const stream = { id };
          table.add(stream);
          map.set(id, stream);
        } else if (!isAdded) {
          table.delete(id);
          map.delete(id);
        }
        // An `expect` for each of some 200,000 steps takes seconds.
        if (table.get(id) !== map.get(id)) {
          expect(table.get(id)).toEqual(map.get(id));
        }
      }
      expect([...map].filter(([id, stream]) => table.get(id) !== stream)).toEqual([]);
      const byId = (one: { readonly id: number }, other: { readonly id: number }) => one.id - other.id;
      expect(table.values().toSorted(byId)).toEqual([...map.values()].toSorted(byId));
    }),
    { numRuns: 200 },
  );
});

test("keeps a stream that stays open while 100,000 others come and go", () => {
  const table = new StreamTable<{ readonly id: number }>();
  const [first, second] = [{ id: 1 }, { id: 1 + 2048 }];
  table.add(first);
  table.add(second);
  for (let id = 3; id < 200_000; id += 2) {
    if (id !== second.id) {
      table.add({ id });
      table.delete(id);
    }
  }
  expect(table.values()).toEqual([first, second]);
  table.delete(1);
  expect(table.get(second.id)).toBe(second);
});

test("a snapshot of its streams may be walked while they are removed", () => {
  const table = new StreamTable<{ readonly id: number }>();
  for (let id = 1; id < 4000; id += 2) {
    table.add({ id });
  }
  for (const { id } of table.values()) {
    table.delete(id);
  }
  expect(table.values()).toEqual([]);
});
