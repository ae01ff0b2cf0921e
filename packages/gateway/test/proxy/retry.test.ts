import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { notBegun } from "../../src/grpc/unavailable.js";
import { createRetryBudget, type RetryBudget, withRetries } from "../../src/proxy/retry.js";

// A call is repeated after 0.2 and 1 second.

const CALL = { isOver: () => false, remaining: () => undefined };

/** Calls a function that fails with each of the errors in turn. Returns its result and how often it was called. */
async function callWith(errors: Error[], isIdempotent = true, call = CALL, budget = createRetryBudget()) {
  let count = 0;
  const send = async () => {
    const error = errors[count++];
    if (error !== undefined) {
      throw error;
    }
    return "done";
  };
  const result = await withRetries(send, call, isIdempotent, budget).catch(({ code }) => code);
  return { result, count };
}

const unavailable = () => new ConnectError("down", Code.Unavailable);
const pushedBack = (milliseconds: string) =>
  new ConnectError("busy", Code.Unavailable, { "grpc-retry-pushback-ms": milliseconds });

test.concurrent.each<[string, Error[], boolean, string | Code, number]>([
  ["a success", [], true, "done", 1],
  ["two failures", [unavailable(), unavailable()], true, "done", 3],
  ["three failures", [unavailable(), unavailable(), unavailable()], true, Code.Unavailable, 3],
  ["another error", [new ConnectError("no", Code.Internal)], true, Code.Internal, 1],
  ["a call with side effects", [unavailable()], false, Code.Unavailable, 1],
  ["a call with side effects that has not begun", [notBegun("closed")], false, "done", 2],
  // https://github.com/grpc/proposal/blob/master/A6-client-retries.md#pushback
  ["a pushback", [pushedBack("0"), pushedBack("1")], true, "done", 3],
  [
    "a pushback after the last try",
    [pushedBack("0"), pushedBack("0"), pushedBack("0")],
    true,
    Code.Unavailable,
    3,
  ],
  ["a pushback that forbids another try", [pushedBack("-1")], true, Code.Unavailable, 1],
  ["a pushback that is malformed", [pushedBack("1s")], true, Code.Unavailable, 1],
  ["a pushback that is long", [pushedBack("10001")], true, Code.Unavailable, 1],
])("%s", async (_what, errors, isIdempotent, result, count) => {
  expect(await callWith(errors, isIdempotent)).toEqual({ result, count });
});

test.concurrent("a call that is over, or whose deadline is too near, is not repeated", async () => {
  const failed = { result: Code.Unavailable, count: 1 };
  expect(await callWith([unavailable()], true, { ...CALL, isOver: () => true })).toEqual(failed);
  expect(
    await callWith([unavailable()], true, { isOver: () => false, remaining: () => 100 } as never),
  ).toEqual(failed);
});

test.concurrent("an upstream that keeps failing gets no retries, until ten times as many calls have succeeded", async () => {
  const budget: RetryBudget = createRetryBudget();
  const fail = () => callWith([unavailable(), unavailable(), unavailable()], true, CALL, budget);
  // Three attempts of each take more than half of 1,000 tokens.
  await Promise.all(Array.from({ length: 250 }, fail));
  expect(await fail()).toMatchObject({ count: 1 });
  for (let call = 0; call < 2_515; call++) {
    expect(await callWith([], true, CALL, budget)).toEqual({ result: "done", count: 1 });
  }
  expect(await fail()).toMatchObject({ count: 2 });
});
