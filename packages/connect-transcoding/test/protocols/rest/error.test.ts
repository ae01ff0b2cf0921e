import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { createError, invalidArgument } from "../../../src/errors/errors.js";
import { encodeError } from "../../../src/protocols/rest/error.js";

test("a retryable error contains the delay as a ProtoJSON duration", () => {
  const error = createError({
    code: Code.ResourceExhausted,
    reason: "TOO_MANY",
    message: "wait",
    retryAfter: 12_500,
  });
  expect(JSON.parse(String(encodeError(error).body))).toEqual({
    error: {
      code: 429,
      status: "RESOURCE_EXHAUSTED",
      message: "wait",
      details: [
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "12.500s" },
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "TOO_MANY" },
      ],
    },
  });
});

test("a detail that is not in the form of its type is in base64", () => {
  const error = new ConnectError("m", Code.Internal);
  error.details = [{ type: "google.rpc.ErrorInfo", value: Uint8Array.of(10, 99) }];
  expect(JSON.parse(String(encodeError(error).body)).error.details).toEqual([
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", value: "CmM=" },
  ]);
});

test("a violation names its field, even with an empty name", () => {
  const error = invalidArgument([
    { field: "", reason: "UNKNOWN_PARAMETER", description: "is not a parameter here" },
  ]);
  const { details } = JSON.parse(String(encodeError(error).body)).error;
  expect(details[0]).toEqual({
    "@type": "type.googleapis.com/google.rpc.BadRequest",
    fieldViolations: [{ field: "", reason: "UNKNOWN_PARAMETER", description: "is not a parameter here" }],
  });
});
