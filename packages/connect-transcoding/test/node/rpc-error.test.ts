import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { errorDetails, invalidArgument, notFound, RpcError } from "../../src/errors/rpc-error.js";

const violation = (field: string, reason: Uppercase<string> = "WRONG") => ({
  field,
  reason,
  description: "is wrong",
});

test("invalidArgument lists every violation in its message", () => {
  const error = invalidArgument([violation("a"), violation("b.c")]);
  expect(error).toBeInstanceOf(RpcError);
  expect(error).toMatchObject({
    code: Code.InvalidArgument,
    reason: "INVALID_PARAMETERS",
    message: "a: is wrong; b.c: is wrong",
  });
});

test("invalidArgument says the same thing once, and no more than fifty", () => {
  const same = [violation("a"), violation("a"), violation("a", "OTHER")];
  expect(invalidArgument(same).violations).toEqual([violation("a"), violation("a", "OTHER")]);
  const many = Array.from({ length: 60 }, (_, index) => violation(`f${index}`));
  expect(invalidArgument(many).violations).toEqual(many.slice(0, 50));
});

test("details are a BadRequest where fields are at fault, and always an ErrorInfo", () => {
  const names = (error: RpcError) => errorDetails(error).map(({ desc }) => desc.typeName);
  expect(names(invalidArgument([violation("a")]))).toEqual(["google.rpc.BadRequest", "google.rpc.ErrorInfo"]);
  const error = notFound({ reason: "NO_SUCH_THING", description: "there is none" }, { name: "x" });
  expect(names(error)).toEqual(["google.rpc.ErrorInfo"]);
  expect(errorDetails(error)[0]?.value).toEqual({
    reason: "NO_SUCH_THING",
    domain: "utilitytools",
    metadata: { name: "x" },
  });
  expect(error).toMatchObject({ code: Code.NotFound, message: "there is none" });
});

test("details have a RetryInfo where waiting helps", () => {
  const error = new RpcError({
    code: Code.ResourceExhausted,
    reason: "TOO_MANY",
    message: "wait",
    retryAfter: 12_345,
  });
  expect(errorDetails(error).map(({ desc, value }) => [desc.typeName, value])).toEqual([
    ["google.rpc.RetryInfo", { retryDelay: expect.objectContaining({ seconds: 12n, nanos: 345_000_000 }) }],
    ["google.rpc.ErrorInfo", { reason: "TOO_MANY", domain: "utilitytools", metadata: {} }],
  ]);
});
