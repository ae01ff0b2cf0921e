import { Code } from "@connectrpc/connect";
import type { RequestRecord } from "connect-transcoding";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLog } from "../../src/telemetry/log.js";
import {
  describeSpan,
  parseTraceparent,
  SHUTDOWN_LIMIT,
  startSpans,
  tracesUrl,
} from "../../src/telemetry/spans.js";
import { memoryDestination } from "./memory-destination.js";
import { type OtlpReceiver, plain, startReceiver } from "./otlp-receiver.js";
import { requestRecord } from "./request-record.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

// The examples and rules of https://www.w3.org/TR/trace-context-1/#traceparent-header, and the cases of the
// specification's own tests (w3c/trace-context, test/test.py).
describe("a traceparent", () => {
  test.each([
    ["sampled", `00-${TRACE}-${PARENT}-01`, true],
    ["not sampled", `00-${TRACE}-${PARENT}-00`, false],
    ["with flags that are not known, sampled", `00-${TRACE}-${PARENT}-ff`, true],
    ["with flags that are not known, not sampled", `00-${TRACE}-${PARENT}-fe`, false],
    ["of a later version", `cc-${TRACE}-${PARENT}-01`, true],
    [
      "of a later version with additional data",
      `cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`,
      true,
    ],
    ["of a later version with an empty field more", `01-${TRACE}-${PARENT}-00-`, false],
  ])("is read %s", (_, header, sampled) => {
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE, parentId: PARENT, sampled });
  });

  test.each([
    ["is missing", undefined],
    ["it is empty", ""],
    ["version 00 has additional data", `00-${TRACE}-${PARENT}-01-more`],
    ["version 00 has a dash more", `00-${TRACE}-${PARENT}-01-`],
    ["it goes on without a dash", `00-${TRACE}-${PARENT}-01.`],
    ["a later version goes on without a dash", `cc-${TRACE}-${PARENT}-01.what-the-future-will-be-like`],
    ["its version is ff", `ff-${TRACE}-${PARENT}-01`],
    ["its version is no number", `.0-${TRACE}-${PARENT}-01`],
    ["its version is too long", `000-${TRACE}-${PARENT}-01`],
    ["its version is too short", `0-${TRACE}-${PARENT}-01`],
    ["its trace-id is zero", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["its trace-id is in upper case", `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ["its trace-id is too long", `00-${TRACE}0-${PARENT}-01`],
    ["its trace-id is too short", `00-${TRACE.slice(1)}-${PARENT}-01`],
    ["its trace-id is no number", `00-.${TRACE.slice(1)}-${PARENT}-01`],
    ["its parent-id is zero", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["its parent-id is in upper case", `00-${TRACE}-${PARENT.toUpperCase()}-01`],
    ["its parent-id is too long", `00-${TRACE}-${PARENT}0-01`],
    ["its parent-id is too short", `00-${TRACE}-${PARENT.slice(1)}-01`],
    ["its flags are no number", `00-${TRACE}-${PARENT}-.0`],
    ["its flags are in upper case", `00-${TRACE}-${PARENT}-0A`],
    ["its flags are too short", `00-${TRACE}-${PARENT}-1`],
    ["its flags are missing", `00-${TRACE}-${PARENT}`],
    ["there are two", `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
    ["there is a space before it", ` 00-${TRACE}-${PARENT}-01`],
    ["there is a line end behind it", `00-${TRACE}-${PARENT}-01\n`],
  ])("is not read when %s", (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  const hex = (length: number) =>
    fc
      .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length })
      .filter((text) => /[^0]/.test(text));

  test("is read back", () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.integer({ min: 0, max: 255 }), (traceId, parentId, flags) => {
        const header = `00-${traceId}-${parentId}-${flags.toString(16).padStart(2, "0")}`;
        expect(parseTraceparent(header)).toEqual({ traceId, parentId, sampled: flags % 2 === 1 });
      }),
    );
  });

  test("is rejected with any other character", () => {
    const valid = `00-${TRACE}-${PARENT}-01`;
    fc.assert(
      fc.property(fc.nat(valid.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (index, character) => {
        fc.pre(!/[0-9a-f-]/.test(character));
        const header = valid.slice(0, index) + character + valid.slice(index + 1);
        expect(parseTraceparent(header)).toBeUndefined();
      }),
    );
  });
});

/** Returns the fields of a span that are not undefined. */
function attributesOf(overrides: Partial<RequestRecord>, headers: Record<string, string> = {}) {
  const { name, attributes, isError } = describeSpan(requestRecord(overrides, headers), "utility_tools");
  return { name, isError, ...JSON.parse(JSON.stringify(attributes)) };
}

describe("a span", () => {
  test.each<[protocol: RequestRecord["protocol"], Partial<RequestRecord>, expected: object]>([
    ["grpc", {}, { "rpc.system": "grpc", "rpc.response.status_code": "OK" }],
    [
      "connect",
      { code: Code.NotFound, status: 404 },
      {
        "rpc.system": "connect_rpc",
        "rpc.response.status_code": "NOT_FOUND",
        "http.response.status_code": 404,
      },
    ],
    ["rest", { principal: "billing" }, { "utility_tools.principal": "billing" }],
  ])("of %s", (protocol, record, expected) => {
    const headers = { "user-agent": "curl/8.0" };
    expect(attributesOf({ protocol, httpMethod: "POST", ...record }, headers)).toEqual({
      "client.address": "192.0.2.1",
      "http.request.method": "POST",
      "http.response.status_code": 200,
      "rpc.service": "library.v1.LibraryService",
      "rpc.method": "GetBook",
      "user_agent.original": "curl/8.0",
      "utility_tools.request_id": "request-1",
      "utility_tools.protocol": protocol,
      name: "library.v1.LibraryService/GetBook",
      isError: false,
      ...expected,
    });
  });

  test.each([
    ["GET", "GET", "GET"],
    ["s3cret", "HTTP", "_OTHER"],
  ])("of a request for no method is named after its HTTP method: %s", (httpMethod, name, written) => {
    expect(attributesOf({ httpMethod, method: undefined, clientAddress: "" })).toEqual({
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
    const { isError, "error.type": written } = attributesOf({ protocol, code, status });
    expect([isError, written]).toEqual([type !== undefined, type]);
  });

  test('is not an error if a health check returns "not ready"', () => {
    const { isError } = attributesOf({ path: "/readyz", protocol: "page", method: undefined, status: 503 });
    expect(isError).toBe(false);
  });

  test("contains no other headers", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.constant("s3cret")), (headers) => {
        const { "user-agent": _, ...others } = headers;
        expect(JSON.stringify(attributesOf({}, others))).not.toContain("s3cret");
      }),
    );
  });
});

let receiver: OtlpReceiver;
beforeEach(async () => {
  // Spans are exported soon, whatever the environment of the tests.
  vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "1");
  for (const name of ["OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER"]) {
    vi.stubEnv(name, undefined);
  }
  receiver = await startReceiver();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await receiver.close();
});

async function testSpans(endpoint = receiver.url) {
  const destination = memoryDestination();
  const { logger } = createLog({ level: "info", destination });
  return {
    ...(await startSpans({ endpoint, name: "utility-tools", version: "1.2.3", logger })),
    destination,
  };
}

describe("a span", () => {
  test("is exported with all fields", async () => {
    const { observer, shutdown } = await testSpans();
    observer.onEnd(
      requestRecord(
        {
          protocol: "grpc",
          httpMethod: "POST",
          code: Code.Internal,
          startedAt: 1_780_000_000_123.5,
          duration: 12.25,
        },
        {
          traceparent: `00-${TRACE}-${PARENT}-01`,
          "user-agent": "grpc-go/1.7",
          authorization: "Bearer s3cret",
        },
      ),
    );
    await shutdown();
    expect(receiver.received).toHaveLength(1);
    const [{ path, headers, body } = {}] = receiver.received;
    expect(path).toBe("/v1/traces");
    expect(headers?.["content-type"]).toBe("application/json");
    expect(JSON.stringify(body)).not.toContain("s3cret");
    const [
      {
        resource,
        scopeSpans: [scopeSpans],
      } = { scopeSpans: [] },
    ] = body?.resourceSpans ?? [];
    expect(plain(resource?.attributes ?? [])).toEqual({
      "service.name": "utility-tools",
      "service.version": "1.2.3",
      "telemetry.sdk.language": "nodejs",
      "telemetry.sdk.name": "opentelemetry",
      "telemetry.sdk.version": expect.any(String),
    });
    expect(scopeSpans?.scope).toEqual({ name: "utility-tools", version: "1.2.3" });
    const [span] = scopeSpans?.spans ?? [];
    expect({ ...span, attributes: plain(span?.attributes ?? []) }).toEqual({
      name: "library.v1.LibraryService/GetBook",
      // SPAN_KIND_SERVER
      kind: 2,
      traceId: TRACE,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentSpanId: PARENT,
      startTimeUnixNano: "1780000000123500000",
      endTimeUnixNano: "1780000000135750000",
      attributes: {
        "rpc.system": "grpc",
        "rpc.service": "library.v1.LibraryService",
        "rpc.method": "GetBook",
        "rpc.response.status_code": "INTERNAL",
        "http.request.method": "POST",
        "http.response.status_code": 200,
        "error.type": "INTERNAL",
        "client.address": "192.0.2.1",
        "user_agent.original": "grpc-go/1.7",
        "utility_tools.protocol": "grpc",
        "utility_tools.request_id": "request-1",
      },
      // STATUS_CODE_ERROR
      status: { code: 2 },
      // Of W3C's flags, and that the parent is of another process.
      flags: 0x301,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
      events: [],
      links: [],
    });
  });

  test.each([
    ["without a traceparent", {}],
    ["with one that is not valid", { traceparent: `00-${TRACE}-${"0".repeat(16)}-01` }],
  ])("starts a trace %s", async (_, headers: Record<string, string>) => {
    const { observer, shutdown } = await testSpans();
    observer.onEnd(requestRecord({}, headers));
    await shutdown();
    const [span] = receiver.spans();
    expect(span?.parentSpanId).toBeUndefined();
    expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span?.traceId).not.toBe(TRACE);
    expect(span?.status).toEqual({ code: 0 });
  });

  test("is not created if the client's trace is not sampled", async () => {
    const { observer, shutdown } = await testSpans();
    observer.onEnd(requestRecord({ requestId: "not" }, { traceparent: `00-${TRACE}-${PARENT}-00` }));
    observer.onEnd(requestRecord({ requestId: "yes" }, { traceparent: `00-${TRACE}-${PARENT}-01` }));
    await shutdown();
    expect(receiver.spans().map(({ attributes }) => plain(attributes)["utility_tools.request_id"])).toEqual([
      "yes",
    ]);
  });

  test("is not created if the operator samples none", async () => {
    vi.stubEnv("OTEL_TRACES_SAMPLER", "always_off");
    const { observer, shutdown } = await testSpans();
    observer.onEnd(requestRecord());
    await shutdown();
    expect(receiver.received).toEqual([]);
  });

  test("has the resource attributes of the environment", async () => {
    vi.stubEnv("OTEL_SERVICE_NAME", "tools-eu");
    vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=staging");
    const { observer, shutdown } = await testSpans();
    observer.onEnd(requestRecord());
    await shutdown();
    expect(plain(receiver.received[0]?.body.resourceSpans[0]?.resource.attributes ?? [])).toMatchObject({
      "service.name": "tools-eu",
      "service.version": "1.2.3",
      "deployment.environment.name": "staging",
    });
  });

  test("is exported without a flush", async () => {
    const { observer, shutdown } = await testSpans();
    observer.onEnd(requestRecord());
    await vi.waitFor(() => expect(receiver.spans()).toHaveLength(1), { timeout: 30_000 });
    await shutdown();
  });
});

describe("a receiver that is down", () => {
  test("is logged once, and once when it is back", async () => {
    const { observer, shutdown, destination } = await testSpans();
    const logged = () => destination.entries().map(({ level, msg, reason }) => ({ level, msg, reason }));
    const failing = { level: "warn", msg: "span export failed", reason: "Bad Request" };
    receiver.answerWith(400);
    observer.onEnd(requestRecord());
    await vi.waitFor(() => expect(logged()).toEqual([failing]), { timeout: 30_000 });
    receiver.answerWith(401);
    observer.onEnd(requestRecord());
    await vi.waitFor(() => expect(receiver.rejected()).toBe(2), { timeout: 30_000 });
    receiver.answerWith(200);
    observer.onEnd(requestRecord());
    await vi.waitFor(() => expect(receiver.spans()).toHaveLength(1), { timeout: 30_000 });
    await shutdown();
    expect(logged()).toEqual([failing, { level: "info", msg: "span export recovered", reason: undefined }]);
    expect(destination.entries()[0]).toMatchObject({ endpoint: receiver.url.host });
  });

  test(
    "does not delay the shutdown if it accepts no connections, does not respond, or responds with 503",
    async () => {
      const silent = await startReceiver();
      silent.answerWith(undefined);
      receiver.answerWith(503);
      const endpoints = [new URL("http://127.0.0.1:1/"), silent.url, receiver.url];
      const exports = await Promise.all(endpoints.map((endpoint) => testSpans(endpoint)));
      for (const { observer } of exports) {
        for (let count = 0; count < 5000; count++) {
          observer.onEnd(requestRecord());
        }
      }
      await Promise.all(exports.map(({ shutdown }) => shutdown()));
      await silent.close();
    },
    // Less than the export of so many spans takes.
    SHUTDOWN_LIMIT + 15_000,
  );

  test("is logged with a short reason, without secrets of its URL", async () => {
    const { observer, shutdown, destination } = await testSpans(new URL("http://user:s3cret@127.0.0.1:1/"));
    observer.onEnd(requestRecord());
    await vi.waitFor(() => expect(destination.lines).toHaveLength(1), { timeout: 30_000 });
    await shutdown();
    expect(destination.entries()[0]).toMatchObject({
      endpoint: "127.0.0.1:1",
      reason: "connect ECONNREFUSED 127.0.0.1:1",
    });
    expect(destination.lines.join("")).not.toContain("s3cret");
  });
});

test("spans are sent to an exact URL as it is", async () => {
  const { logger } = createLog({ level: "info", destination: memoryDestination() });
  const endpoint = new URL("/collect/", receiver.url);
  const { observer, shutdown } = await startSpans({
    endpoint,
    isExact: true,
    name: "a",
    version: "1",
    logger,
  });
  observer.onEnd(requestRecord());
  await shutdown();
  expect(receiver.received.map(({ path }) => path)).toEqual(["/collect/"]);
});

test("nothing is exported after shutdown", async () => {
  const { observer, shutdown } = await testSpans();
  await shutdown();
  observer.onEnd(requestRecord());
  await shutdown();
  expect(receiver.received).toEqual([]);
});

// https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp
test.each([
  ["http://localhost:4318", "http://localhost:4318/v1/traces"],
  ["http://localhost:4318/", "http://localhost:4318/v1/traces"],
  ["https://otlp.example/tenant/7", "https://otlp.example/tenant/7/v1/traces"],
  ["https://otlp.example/tenant/7/", "https://otlp.example/tenant/7/v1/traces"],
])("spans for %s go to %s", (endpoint, url) => {
  expect(tracesUrl(new URL(endpoint))).toBe(url);
});
