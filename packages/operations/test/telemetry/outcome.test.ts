import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { isFailure, isOwnFailure, knownHttpMethod, outcomeName } from "../../src/telemetry/outcome.js";

describe("an outcome", () => {
  test.each([
    // code, HTTP status, name, is a failure, is a failure of the service
    [undefined, 200, "OK", false, false],
    [undefined, 304, "OK", false, false],
    [undefined, 404, "UNKNOWN", true, false],
    [undefined, 500, "UNKNOWN", true, true],
    [Code.InvalidArgument, 400, "INVALID_ARGUMENT", true, false],
    // Over gRPC, the status of every response is 200.
    [Code.InvalidArgument, 200, "INVALID_ARGUMENT", true, false],
    [Code.Unauthenticated, 401, "UNAUTHENTICATED", true, false],
    [Code.ResourceExhausted, 200, "RESOURCE_EXHAUSTED", true, false],
    [Code.Canceled, 499, "CANCELLED", true, false],
    [Code.DeadlineExceeded, 504, "DEADLINE_EXCEEDED", true, false],
    [Code.Unimplemented, 501, "UNIMPLEMENTED", true, false],
    [Code.Unimplemented, 405, "UNIMPLEMENTED", true, false],
    [Code.Unknown, 200, "UNKNOWN", true, true],
    [Code.Internal, 200, "INTERNAL", true, true],
    [Code.Internal, 500, "INTERNAL", true, true],
    [Code.Unavailable, 503, "UNAVAILABLE", true, true],
    [Code.DataLoss, 200, "DATA_LOSS", true, true],
  ])("with code %s and status %s is %s", (code, status, name, failure, own) => {
    const outcome = { path: "/v1/geoIp", protocol: "rest", code, status } as const;
    expect([outcomeName(outcome), isFailure(outcome), isOwnFailure(outcome)]).toEqual([name, failure, own]);
  });

  test.each([
    // code, HTTP status, name, a failure
    [undefined, 503, "OK", false],
    [Code.Unimplemented, 405, "UNIMPLEMENTED", true],
    [Code.Canceled, 499, "CANCELLED", true],
    [Code.NotFound, 200, "NOT_FOUND", true],
  ])("of a health check with code %s and status %s is %s", (code, status, name, failure) => {
    const outcome = { path: "/readyz", protocol: "page", code, status } as const;
    expect([outcomeName(outcome), isFailure(outcome), isOwnFailure(outcome)]).toEqual([name, failure, false]);
  });
});

describe("an HTTP method", () => {
  test.each(["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"])(
    "is kept: %s",
    (httpMethod) => {
      expect(knownHttpMethod(httpMethod)).toBe(httpMethod);
    },
  );

  test.each(["", "get", "PROPFIND", "s3cret"])("is not repeated if it is unknown: %j", (httpMethod) => {
    expect(knownHttpMethod(httpMethod)).toBe("_OTHER");
  });
});
