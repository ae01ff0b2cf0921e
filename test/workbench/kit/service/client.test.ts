import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { expect, test } from "vitest";
import { isServiceWide, readCallError } from "../../../../src/workbench/kit/service/client.js";

test("readCallError reads all details of a service error", () => {
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

test("readCallError returns no reason for a lost connection", () => {
  expect(readCallError(ConnectError.from(new TypeError("Failed to fetch")))).toEqual({
    code: "UNKNOWN",
    reason: "",
    message: "Failed to fetch",
    metadata: {},
    violations: [],
  });
});

test.each([
  ["UNAUTHENTICATED", "API_KEY_MISSING", true],
  ["UNAVAILABLE", "", true],
  ["UNAVAILABLE", "GEOIP_UNAVAILABLE", false],
  ["DEADLINE_EXCEEDED", "", true],
  ["RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", true],
  ["RESOURCE_EXHAUSTED", "", false],
  ["INVALID_ARGUMENT", "TOO_MANY_ITEMS", false],
  ["NOT_FOUND", "COUNTRY_NOT_FOUND", false],
  ["INTERNAL", "", false],
])("whether every call fails with %s %s: %s", (code, reason, expected) => {
  expect(isServiceWide({ code, reason })).toBe(expected);
});
