import { Code, ConnectError } from "@connectrpc/connect";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { describe, expect, test, vi } from "vitest";
import { cancelled, createError, reasonOf } from "../../src/errors/errors.js";
import { createToError, settle } from "../../src/protocols/unary.js";

const EXCEPTION = new TypeError("x is not a function");
const METHOD = Health.method.check;

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

describe("an exception of a call", () => {
  test("that is a ConnectError stays, and gets the domain", () => {
    const onError = vi.fn();
    const toError = createToError("library.example", onError);
    const error = createError({ code: Code.NotFound, reason: "NO_BOOK", message: "there is no such book" });
    const plain = new ConnectError("gone", Code.Canceled);
    expect(toError(error, { method: METHOD })).toBe(error);
    expect(error.details).toMatchObject([{ value: { reason: "NO_BOOK", domain: "library.example" } }]);
    expect([toError(plain, { method: METHOD }), plain.details]).toEqual([plain, []]);
    expect(toError(error, { method: METHOD, endReason: cancelled() })).toBe(error);
    expect(onError).not.toHaveBeenCalled();
  });

  test("that is unexpected becomes INTERNAL without its text, and is reported once with its method", () => {
    const onError = vi.fn();
    const error = createToError("", onError)(EXCEPTION, { method: METHOD });
    expect(error).toMatchObject({ code: Code.Internal, rawMessage: "internal error" });
    expect(reasonOf(error)).toBe("INTERNAL");
    expect(onError.mock.calls).toEqual([[EXCEPTION, METHOD]]);
    createToError("", onError)("text");
    expect(onError.mock.calls[1]).toEqual(["text", undefined]);
  });

  test("after the end of the call follows from it, and is not reported", () => {
    const onError = vi.fn();
    const endReason = cancelled();
    expect(createToError("", onError)(EXCEPTION, { method: METHOD, endReason })).toBe(endReason);
    expect(onError).not.toHaveBeenCalled();
  });
});
