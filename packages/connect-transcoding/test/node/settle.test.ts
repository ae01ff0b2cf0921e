import { expect, test } from "vitest";
import { settle } from "../../src/node/unary.js";

const ERROR = new Error("x");

/** What was told, in order; `here` marks the return of settle. */
async function told(run: () => unknown, succeed: (value: unknown) => void | Promise<void> = () => {}) {
  const events: unknown[] = [];
  settle(
    run,
    (value) => {
      events.push(["ok", value]);
      return succeed(value);
    },
    (thrown) => events.push(["failed", thrown]),
  );
  events.push("here");
  await new Promise((resolve) => setImmediate(resolve));
  return events;
}

const fail = (): never => {
  throw ERROR;
};

test.each<[string, () => unknown, unknown[]]>([
  ["a value, at once", () => 1, [["ok", 1], "here"]],
  ["what is thrown, at once", fail, [["failed", ERROR], "here"]],
  ["a promise's value", async () => 1, ["here", ["ok", 1]]],
  ["a promise's failure", async () => fail(), ["here", ["failed", ERROR]]],
])("tells of %s", async (_name, run, events) => {
  expect(await told(run)).toEqual(events);
});

test("tells of what telling of a value throws", async () => {
  expect(await told(() => 1, fail)).toEqual([["ok", 1], ["failed", ERROR], "here"]);
  expect(await told(async () => 1, fail)).toEqual(["here", ["ok", 1], ["failed", ERROR]]);
  expect(
    await told(
      () => 1,
      async () => fail(),
    ),
  ).toEqual([["ok", 1], "here", ["failed", ERROR]]);
  expect(
    await told(
      async () => 1,
      async () => fail(),
    ),
  ).toEqual(["here", ["ok", 1], ["failed", ERROR]]);
});
