import { Code, ConnectError } from "@connectrpc/connect";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { describe, expect, test, vi } from "vitest";
import { cancelled, createError, reasonOf } from "../../src/errors/errors.js";
import { createToError } from "../../src/errors/to-error.js";

const EXCEPTION = new TypeError("x is not a function");
const METHOD = Health.method.check;

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
