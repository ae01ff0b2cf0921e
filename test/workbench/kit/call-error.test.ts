import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { expect, test } from "vitest";
import { readCallError } from "../../../src/workbench/kit/call-error.js";

test("an error of the service with all its details", () => {
  const error = new ConnectError("not like this", Code.InvalidArgument, undefined, [
    { desc: ErrorInfoSchema, value: { reason: "INVALID_PARAMETERS", domain: "x", metadata: { a: "b" } } },
    { desc: BadRequestSchema, value: { fieldViolations: [{ field: "f", reason: "R", description: "d" }] } },
  ]);
  expect(readCallError(error)).toMatchObject({
    code: "INVALID_ARGUMENT",
    reason: "INVALID_PARAMETERS",
    message: "not like this",
    metadata: { a: "b" },
    violations: [{ field: "f", reason: "R", description: "d" }],
  });
});

test("an error of a lost connection has no reason", () => {
  expect(readCallError(ConnectError.from(new TypeError("Failed to fetch")))).toEqual({
    code: "UNKNOWN",
    reason: "",
    message: "Failed to fetch",
    metadata: {},
    violations: [],
  });
});
