import { describe, expect, test } from "vitest";
import { settle } from "../../src/call/settle.js";

const EXCEPTION = new TypeError("x is not a function");

describe("settle", () => {
  /** The calls of `succeed` and `fail`, in order; `returned` marks the return of settle. */
  async function callsOf(run: () => unknown, succeed: (value: unknown) => void | Promise<void> = () => {}) {
    const calls: unknown[] = [];
    settle(
      run,
      (value) => {
        calls.push(["succeed", value]);
        return succeed(value);
      },
      (thrown) => calls.push(["fail", thrown]),
    );
    calls.push("returned");
    await new Promise((resolve) => setImmediate(resolve));
    return calls;
  }

  const fail = (): never => {
    throw EXCEPTION;
  };

  test.each<[string, () => unknown, unknown[]]>([
    ["a value, synchronously", () => 1, [["succeed", 1], "returned"]],
    ["an exception, synchronously", fail, [["fail", EXCEPTION], "returned"]],
    ["the value of a promise", async () => 1, ["returned", ["succeed", 1]]],
    ["the rejection of a promise", async () => fail(), ["returned", ["fail", EXCEPTION]]],
  ])("passes on %s", async (_name, run, calls) => {
    expect(await callsOf(run)).toEqual(calls);
  });

  test("calls `fail` with what `succeed` throws", async () => {
    expect(await callsOf(() => 1, fail)).toEqual([["succeed", 1], ["fail", EXCEPTION], "returned"]);
    expect(await callsOf(async () => 1, fail)).toEqual(["returned", ["succeed", 1], ["fail", EXCEPTION]]);
    const failLater = async () => fail();
    expect(await callsOf(() => 1, failLater)).toEqual([["succeed", 1], "returned", ["fail", EXCEPTION]]);
    expect(await callsOf(async () => 1, failLater)).toEqual([
      "returned",
      ["succeed", 1],
      ["fail", EXCEPTION],
    ]);
  });
});
