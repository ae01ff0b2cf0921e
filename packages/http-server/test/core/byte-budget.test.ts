import { expect, test } from "vitest";
import { ByteBudget } from "../../src/core/byte-budget.js";

/** A budget of 100 bytes with a clock, and connections that note their eviction. */
function createCase() {
  const clock = { now: 0 };
  const budget = new ByteBudget(100, () => clock.now);
  const evicted: string[] = [];
  const holder = (name: string) => ({
    evict: () => {
      evicted.push(name);
    },
  });
  return { clock, budget, evicted, holder };
}

test("adds up what connections hold", () => {
  const { budget, holder, evicted } = createCase();
  const [a, b] = [holder("a"), holder("b")];
  const steps = [
    [a, 40, 40],
    [b, 60, 100],
    [a, 10, 70],
    [a, 0, 60],
    [b, 0, 0],
    [b, 0, 0],
  ] as const;
  for (const [of, bytes, used] of steps) {
    budget.set(of, bytes);
    expect(budget.used).toBe(used);
  }
  expect(evicted).toEqual([]);
});

test("closes the connection that holds the most", () => {
  const { budget, holder, evicted } = createCase();
  for (const [name, bytes] of [
    ["a", 20],
    ["b", 50],
    ["c", 31],
  ] as const) {
    budget.set(holder(name), bytes);
  }
  expect(evicted).toEqual(["b"]);
  expect(budget.used).toBe(51);
});

test("closes the connection that has held bytes for long rather than one that has just begun", () => {
  const { budget, holder, evicted, clock } = createCase();
  const old = holder("old");
  budget.set(old, 20);
  clock.now = 1000;
  budget.set(old, 21);
  budget.set(holder("new"), 80);
  expect(evicted).toEqual(["old"]);
});

test("the time begins anew when a connection holds nothing", () => {
  const { budget, holder, evicted, clock } = createCase();
  const one = holder("one");
  budget.set(one, 20);
  clock.now = 1000;
  budget.set(one, 0);
  budget.set(one, 21);
  budget.set(holder("other"), 80);
  expect(evicted).toEqual(["other"]);
});

test("closes as many as it takes, also the one that exceeds the limit by itself", () => {
  const { budget, holder, evicted } = createCase();
  for (const name of ["a", "b", "c"]) {
    budget.set(holder(name), 30);
  }
  budget.set(holder("d"), 500);
  expect(evicted).toEqual(["d"]);
  const e = holder("e");
  budget.set(e, 10);
  budget.set(e, 100);
  expect(evicted).toEqual(["d", "e"]);
  expect(budget.used).toBe(90);
});

test("a connection may report its end while it is closed", () => {
  const budget = new ByteBudget(100, () => 0);
  const one = { evict: () => budget.set(one, 0) };
  budget.set(one, 101);
  expect(budget.used).toBe(0);
});

test("overdrawn are the connections that hold their share or more, once bytes are scarce", () => {
  const { budget, holder } = createCase();
  const [much, little, none] = [holder("much"), holder("little"), holder("none")];
  const overdrawn = () => [much, little, none].map((each) => budget.isOverdrawn(each));
  budget.set(little, 10);
  budget.set(much, 64);
  expect(overdrawn()).toEqual([false, false, false]);
  budget.set(much, 65);
  expect(overdrawn()).toEqual([true, false, false]);
  budget.set(little, 35);
  budget.set(much, 40);
  expect(overdrawn()).toEqual([true, false, false]);
  budget.set(little, 40);
  expect(overdrawn()).toEqual([true, true, false]);
  budget.set(much, 0);
  expect(overdrawn()).toEqual([false, false, false]);
});

test("connections reserve at most half of the limit", () => {
  const { budget } = createCase();
  expect([budget.reserve(30), budget.reserve(20), budget.reserve(1)]).toEqual([true, true, false]);
  expect(budget.used).toBe(50);
  budget.release(20);
  expect([budget.used, budget.reserve(10), budget.used]).toEqual([30, true, 40]);
});

test("what is reserved leaves less for requests", () => {
  const { budget, holder, evicted } = createCase();
  const [one, other] = [holder("one"), holder("other")];
  budget.reserve(40);
  budget.set(one, 44);
  expect(budget.isOverdrawn(one)).toBe(false);
  budget.set(one, 45);
  expect(budget.isOverdrawn(one)).toBe(true);
  budget.set(other, 15);
  expect([budget.used, evicted]).toEqual([100, []]);
  budget.set(other, 16);
  expect([budget.used, evicted]).toEqual([56, ["one"]]);
});

test("a reservation closes no connection, but the next request does", () => {
  const { budget, holder, evicted } = createCase();
  const one = holder("one");
  budget.set(one, 90);
  expect(budget.reserve(20)).toBe(true);
  expect(evicted).toEqual([]);
  budget.set(one, 91);
  expect(evicted).toEqual(["one"]);
});
