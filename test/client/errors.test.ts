import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { expect, test } from "vitest";
import { readError } from "../../client/src/errors.js";

const NOTHING = { reason: "", metadata: {}, violations: [], retryAfter: undefined };

test("reads all details of an error", () => {
  const error = new ConnectError("wrong", Code.InvalidArgument, undefined, [
    { desc: ErrorInfoSchema, value: { reason: "INVALID_PARAMETERS", domain: "x", metadata: { a: "b" } } },
    {
      desc: BadRequestSchema,
      value: { fieldViolations: [{ field: "digits", reason: "INVALID_DIGITS", description: "6 or 8" }] },
    },
    { desc: RetryInfoSchema, value: { retryDelay: { seconds: 1n, nanos: 500_000_001 } } },
  ]);
  expect(readError(error)).toEqual({
    code: Code.InvalidArgument,
    message: "wrong",
    reason: "INVALID_PARAMETERS",
    metadata: { a: "b" },
    violations: [{ field: "digits", reason: "INVALID_DIGITS", description: "6 or 8" }],
    retryAfter: 1_501,
  });
});

test.each<[string, unknown, object]>([
  ["a bare error", new ConnectError("gone", Code.Unavailable), { code: Code.Unavailable, message: "gone" }],
  ["another Error", new Error("odd"), { code: Code.Unknown, message: "odd" }],
  ["a thrown string", "odd", { code: Code.Unknown, message: "odd" }],
])("reads %s", (_, thrown, expected) => {
  expect(readError(thrown)).toEqual({ ...NOTHING, ...expected });
});

test.each<[string, number | undefined]>([
  ["3", 3_000],
  ["0", 0],
  ["Fri, 21 Nov 2036 20:00:00 GMT", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["9999999999", undefined],
  ["", undefined],
])("reads Retry-After: %j", (value, retryAfter) => {
  const error = new ConnectError("busy", Code.Unavailable, { "retry-after": value });
  expect(readError(error).retryAfter).toBe(retryAfter);
});

test("prefers RetryInfo to Retry-After, which has whole seconds only", () => {
  const error = new ConnectError("busy", Code.Unavailable, { "retry-after": "2" }, [
    { desc: RetryInfoSchema, value: { retryDelay: { seconds: 1n, nanos: 1_000_000 } } },
  ]);
  expect(readError(error).retryAfter).toBe(1_001);
});
