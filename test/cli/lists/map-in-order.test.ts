import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { mapInOrder } from "../../../src/cli/lists/map-in-order.js";

/** A source that counts its reads. */
function counted(length: number) {
  const state = { read: 0 };
  async function* source() {
    for (let index = 0; index < length; index++) {
      state.read++;
      yield index;
    }
  }
  return { state, source: source() };
}

test("yields results in the order of the source, whichever finishes first", async () => {
  const resolves: (() => void)[] = [];
  const results = mapInOrder(counted(4).source, 4, async (index) => {
    await new Promise<void>((resolve) => resolves.push(resolve));
    return index;
  });
  const first = results.next();
  for (const index of [2, 0, 3, 1]) {
    await turn();
    resolves[index]?.();
  }
  const all = [(await first).value];
  for await (const each of results) {
    all.push(each);
  }
  expect(all).toEqual([0, 1, 2, 3]);
});

test.each([1, 3])("runs at most %i calls at once, and reads no further", async (limit) => {
  const { state, source } = counted(100);
  let running = 0;
  let most = 0;
  const results = mapInOrder(source, limit, async (index) => {
    running++;
    most = Math.max(most, running);
    await turn();
    running--;
    return index;
  });
  let taken = 0;
  for await (const index of results) {
    expect(index).toBe(taken++);
    await turn();
    await turn();
    expect(state.read - taken).toBeLessThanOrEqual(limit);
  }
  expect([taken, most]).toEqual([100, limit]);
});

test("yields a result while the source is waiting", async () => {
  async function* source() {
    yield 1;
    await new Promise(() => {});
  }
  const results = mapInOrder(source(), 4, (value) => value);
  expect(await results.next()).toEqual({ done: false, value: 1 });
});

test("throws a failure in its turn, and the failure of the source", async () => {
  const results = mapInOrder(counted(3).source, 3, (index) => {
    if (index === 1) {
      throw new Error("one");
    }
    return index;
  });
  expect(await results.next()).toEqual({ done: false, value: 0 });
  await expect(results.next()).rejects.toThrow("one");

  async function* broken() {
    yield 0;
    throw new Error("source");
  }
  const others = mapInOrder(broken(), 3, (index) => index);
  expect(await others.next()).toEqual({ done: false, value: 0 });
  await expect(others.next()).rejects.toThrow("source");
});
