import { Code } from "@connectrpc/connect";
import type { RequestRecord } from "connect-transcoding";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeSpan } from "../../../src/service/telemetry/span-attributes.js";
import { requestRecord } from "./request-record.js";

/** What a span says, without what it leaves out. */
function said(overrides: Partial<RequestRecord>, headers: Record<string, string> = {}) {
  const { name, attributes, isError } = describeSpan(requestRecord(overrides, headers));
  return { name, isError, ...JSON.parse(JSON.stringify(attributes)) };
}

const COMMON = {
  "client.address": "192.0.2.1",
  "http.request.method": "POST",
  "http.response.status_code": 200,
  "utility_tools.request_id": "request-1",
};
const METHOD = { "rpc.service": "library.v1.LibraryService", "rpc.method": "GetBook" };

describe("a span", () => {
  test("of gRPC", () => {
    expect(said({ protocol: "grpc", httpMethod: "POST" })).toEqual({
      ...COMMON,
      ...METHOD,
      name: "library.v1.LibraryService/GetBook",
      isError: false,
      "rpc.system": "grpc",
      "rpc.response.status_code": "OK",
      "utility_tools.protocol": "grpc",
    });
  });

  test("of Connect", () => {
    expect(said({ protocol: "connect", httpMethod: "POST", code: Code.NotFound, status: 404 })).toEqual({
      ...COMMON,
      ...METHOD,
      name: "library.v1.LibraryService/GetBook",
      isError: false,
      "rpc.system": "connect_rpc",
      "rpc.response.status_code": "NOT_FOUND",
      "http.response.status_code": 404,
      "utility_tools.protocol": "connect",
    });
  });

  test("of JSON over HTTP", () => {
    expect(said({ httpMethod: "POST", principal: "billing" }, { "user-agent": "curl/8.0" })).toEqual({
      ...COMMON,
      ...METHOD,
      name: "library.v1.LibraryService/GetBook",
      isError: false,
      "user_agent.original": "curl/8.0",
      "utility_tools.protocol": "rest",
      "utility_tools.principal": "billing",
    });
  });

  test.each([
    ["GET", "GET", "GET"],
    ["s3cret", "HTTP", "_OTHER"],
  ])("of a request for no method is called by its httpMethod: %s", (httpMethod, name, written) => {
    expect(said({ httpMethod, method: undefined, clientAddress: "" })).toEqual({
      name,
      isError: false,
      "http.request.method": written,
      "http.response.status_code": 200,
      "utility_tools.protocol": "rest",
      "utility_tools.request_id": "request-1",
    });
  });

  // https://opentelemetry.io/docs/specs/semconv/rpc/grpc/ has the codes, and
  // https://opentelemetry.io/docs/specs/semconv/http/http-spans/#status the statuses, that are errors of a server.
  test.each<[RequestRecord["protocol"], Code | undefined, number, string | undefined]>([
    ["grpc", undefined, 200, undefined],
    ["grpc", Code.Unknown, 200, "UNKNOWN"],
    ["grpc", Code.DeadlineExceeded, 200, "DEADLINE_EXCEEDED"],
    ["grpc", Code.Unimplemented, 200, "UNIMPLEMENTED"],
    ["grpc-web", Code.Internal, 200, "INTERNAL"],
    ["grpc", Code.Unavailable, 200, "UNAVAILABLE"],
    ["grpc", Code.DataLoss, 200, "DATA_LOSS"],
    ["grpc", Code.InvalidArgument, 200, undefined],
    ["grpc", Code.ResourceExhausted, 200, undefined],
    ["rest", Code.Unimplemented, 405, undefined],
    ["rest", Code.InvalidArgument, 400, undefined],
    ["rest", Code.Internal, 500, "INTERNAL"],
    ["rest", undefined, 503, "503"],
    ["connect", Code.Unavailable, 503, "UNAVAILABLE"],
    ["connect", Code.InvalidArgument, 400, undefined],
    // The end of a stream.
    ["connect", Code.Internal, 200, "INTERNAL"],
    ["connect", Code.Canceled, 200, undefined],
  ])("of %s with code %s and status %s has the error %s", (protocol, code, status, type) => {
    const { isError, "error.type": written } = said({ protocol, code, status });
    expect([isError, written]).toEqual([type !== undefined, type]);
  });

  test("is no error where a probe is told that the service is not ready", () => {
    const { isError } = said({ area: "health", protocol: "page", method: undefined, status: 503 });
    expect(isError).toBe(false);
  });

  test("has nothing of other headers", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.constant("s3cret")), (headers) => {
        const { "user-agent": _, ...others } = headers;
        expect(JSON.stringify(said({}, others))).not.toContain("s3cret");
      }),
    );
  });
});
