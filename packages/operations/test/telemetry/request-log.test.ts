import { Code } from "@connectrpc/connect";
import type { RequestRecord } from "connect-transcoding";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLog } from "../../src/telemetry/log.js";
import { createRequestLog, type LoggedRequests } from "../../src/telemetry/request-log.js";
import { memoryDestination } from "./memory-destination.js";
import { METHODS, requestRecord } from "./request-record.js";

function linesOf(requests: LoggedRequests, ...records: RequestRecord[]) {
  const destination = memoryDestination();
  const observer = createRequestLog(requests, createLog({ level: "info", destination }).logger);
  for (const record of records) {
    observer?.onEnd(record);
  }
  return destination;
}

test("there is no observer if no requests are logged", () => {
  const destination = memoryDestination();
  expect(createRequestLog("none", createLog({ level: "info", destination }).logger)).toBeUndefined();
});

describe("a line", () => {
  test("has all fields of a request, and no others", () => {
    const { entries } = linesOf(
      "all",
      requestRecord(
        {
          protocol: "connect",
          code: Code.NotFound,
          status: 404,
          httpMethod: "POST",
          duration: 0.123_456_7,
          principal: "billing",
          requestId: "e3b0c442",
        },
        {
          traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
          "user-agent": "connect-es/2.1",
          authorization: "Bearer s3cret",
        },
      ),
    );
    expect(entries()).toEqual([
      {
        level: "info",
        time: expect.any(String),
        pid: process.pid,
        method: "library.v1.LibraryService.GetBook",
        kind: "service",
        protocol: "connect",
        code: "NOT_FOUND",
        status: 404,
        httpMethod: "POST",
        duration: 0.123,
        client: "192.0.2.1",
        principal: "billing",
        requestId: "e3b0c442",
        traceId: "0af7651916cd43dd8448eb211c80319c",
        userAgent: "connect-es/2.1",
        msg: "request",
      },
    ]);
  });

  test("leaves out unknown fields", () => {
    const { entries } = linesOf(
      "all",
      requestRecord({ method: undefined, path: "/docs", protocol: "page" }, { traceparent: "00-0-0-00" }),
    );
    expect(Object.keys(entries()[0] ?? {})).toEqual([
      ...["level", "time", "pid", "kind", "protocol", "code", "status"],
      ...["httpMethod", "duration", "client", "requestId", "msg"],
    ]);
  });

  test("limits texts of clients to 128 characters", () => {
    const { entries } = linesOf(
      "all",
      requestRecord({ requestId: "r".repeat(500) }, { "user-agent": "u".repeat(500) }),
    );
    expect(entries()[0]).toMatchObject({ requestId: "r".repeat(128), userAgent: "u".repeat(128) });
  });

  test.each([
    [Code.DeadlineExceeded, 504, "info"],
    [undefined, 500, "error"],
    [Code.Internal, 200, "error"],
  ])("with code %s and status %s is of level %s", (code, status, level) => {
    expect(linesOf("all", requestRecord({ code, status })).entries()[0]).toMatchObject({ level });
  });
});

test("only failures are logged for `failed`", () => {
  const { entries } = linesOf(
    "failed",
    requestRecord({ requestId: "fine" }),
    requestRecord({ requestId: "kept", status: 304 }),
    requestRecord({ requestId: "grpc", code: Code.NotFound, protocol: "grpc" }),
    requestRecord({ requestId: "http", status: 404 }),
    requestRecord({ requestId: "gone", status: 499, code: Code.Canceled }),
  );
  expect(entries().map((entry) => entry.requestId)).toEqual(["grpc", "http", "gone"]);
});

test("input that is not a request has a line with status and client address", () => {
  const destination = memoryDestination();
  const { logger } = createLog({ level: "info", destination });
  createRequestLog("failed", logger)?.unread(431, "192.0.2.1");
  expect(destination.entries()).toEqual([
    expect.objectContaining({ level: "info", msg: "request rejected", status: 431, client: "192.0.2.1" }),
  ]);
});

test("no line has an address if they are off", () => {
  const destination = memoryDestination();
  const log = createRequestLog("all", createLog({ level: "info", destination }).logger, false);
  log?.unread(431, "192.0.2.1");
  log?.onEnd(requestRecord({ clientAddress: "192.0.2.1" }));
  expect(destination.entries()).toHaveLength(2);
  expect(JSON.stringify(destination.entries())).not.toContain("192.0.2.1");
});

test("no line contains a secret of a request, wherever it was", () => {
  const SECRET = "JBSWY3DPEHPK3PXP";
  const NAMED = new Set(["user-agent", "traceparent"]);
  const text = fc.string().map((around) => `${around}${SECRET}${around}`);
  const headerName = fc
    .oneof(
      fc.constantFrom("authorization", "x-api-key", "cookie", "referer", "tracestate", "x-forwarded-for"),
      fc.string(),
    )
    .filter((name) => !NAMED.has(name));
  fc.assert(
    fc.property(
      fc.dictionary(headerName, text),
      // More than a record has, in case the whole request is passed.
      fc.record({ target: text, path: text, query: text, url: text, body: text, message: text }),
      fc.record({
        httpMethod: fc.oneof(fc.constant(SECRET), fc.constantFrom("GET", "POST")),
        method: fc.constantFrom(METHODS.first, undefined),
        code: fc.constantFrom(undefined, Code.InvalidArgument, Code.Internal),
        protocol: fc.constantFrom("rest", "grpc", "connect", "page"),
      }),
      (headers, request, overrides) => {
        const record = {
          ...requestRecord(overrides, { ...headers, traceparent: SECRET }),
          ...request,
          headers,
        };
        const { lines } = linesOf("all", record);
        expect(lines).toHaveLength(1);
        expect(lines[0]).not.toContain(SECRET);
      },
    ),
  );
});
