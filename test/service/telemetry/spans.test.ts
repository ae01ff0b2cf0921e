import { Code } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLog } from "../../../src/service/telemetry/logger.js";
import { SHUTDOWN_LIMIT, startSpans, tracesUrl } from "../../../src/service/telemetry/spans.js";
import { memoryDestination } from "./memory-destination.js";
import { type OtlpReceiver, plain, startReceiver } from "./otlp-receiver.js";
import { requestRecord } from "./request-record.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

let receiver: OtlpReceiver;
beforeEach(async () => {
  // Each span is sent soon, and the environment of who runs the tests has no say.
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
  return { ...(await startSpans({ endpoint, version: "1.2.3", logger })), destination };
}

describe("a span", () => {
  test("arrives with every field", async () => {
    const { observer, shutdown } = await testSpans();
    observer.onEnd(
      requestRecord(
        { protocol: "grpc", httpMethod: "POST", code: Code.Internal, startedAt: 1_780_000_000_123.5, duration: 12.25 },
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
  ])("is the first of a trace %s", async (_, headers: Record<string, string>) => {
    const { observer, shutdown } = await testSpans();
    observer.onEnd(requestRecord({}, headers));
    await shutdown();
    const [span] = receiver.spans();
    expect(span?.parentSpanId).toBeUndefined();
    expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span?.traceId).not.toBe(TRACE);
    expect(span?.status).toEqual({ code: 0 });
  });

  test("is not made when the caller's trace is not sampled", async () => {
    const { observer, shutdown } = await testSpans();
    observer.onEnd(requestRecord({ requestId: "not" }, { traceparent: `00-${TRACE}-${PARENT}-00` }));
    observer.onEnd(requestRecord({ requestId: "yes" }, { traceparent: `00-${TRACE}-${PARENT}-01` }));
    await shutdown();
    expect(receiver.spans().map(({ attributes }) => plain(attributes)["utility_tools.request_id"])).toEqual([
      "yes",
    ]);
  });

  test("is not made when the operator samples none", async () => {
    vi.stubEnv("OTEL_TRACES_SAMPLER", "always_off");
    const { observer, shutdown } = await testSpans();
    observer.onEnd(requestRecord());
    await shutdown();
    expect(receiver.received).toEqual([]);
  });

  test("has the resource that the operator names", async () => {
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

  test("is sent without anybody asking", async () => {
    const { observer, shutdown } = await testSpans();
    observer.onEnd(requestRecord());
    await vi.waitFor(() => expect(receiver.spans()).toHaveLength(1));
    await shutdown();
  });
});

describe("a receiver that is down", () => {
  test("is told of once, and once when it is back", async () => {
    const { observer, shutdown, destination } = await testSpans();
    const said = () => destination.entries().map(({ level, msg, reason }) => ({ level, msg, reason }));
    const failing = { level: "warn", msg: "spans cannot be exported", reason: "Bad Request" };
    receiver.answerWith(400);
    observer.onEnd(requestRecord());
    await vi.waitFor(() => expect(said()).toEqual([failing]), { timeout: 10_000 });
    receiver.answerWith(401);
    observer.onEnd(requestRecord());
    await vi.waitFor(() => expect(receiver.refused()).toBe(2), { timeout: 10_000 });
    receiver.answerWith(200);
    observer.onEnd(requestRecord());
    await vi.waitFor(() => expect(receiver.spans()).toHaveLength(1), { timeout: 10_000 });
    await shutdown();
    expect(said()).toEqual([failing, { level: "info", msg: "spans are exported again", reason: undefined }]);
    expect(destination.entries()[0]).toMatchObject({ endpoint: receiver.url.host });
  });

  test.each([
    ["takes no connections", async () => new URL("http://127.0.0.1:1/")],
    [
      "does not answer",
      async () => {
        receiver.answerWith(undefined);
        return receiver.url;
      },
    ],
    [
      "asks for patience",
      async () => {
        receiver.answerWith(503);
        return receiver.url;
      },
    ],
  ])("does not hold up the end when it %s", async (_, prepare) => {
    const { observer, shutdown } = await testSpans(await prepare());
    for (let count = 0; count < 5000; count++) {
      observer.onEnd(requestRecord());
    }
    const begin = performance.now();
    await shutdown();
    expect(performance.now() - begin).toBeLessThan(SHUTDOWN_LIMIT + 1000);
  });

  test("says why in a few words, without secrets of the endpoint's URL", async () => {
    const { observer, shutdown, destination } = await testSpans(new URL("http://user:s3cret@127.0.0.1:1/"));
    observer.onEnd(requestRecord());
    await vi.waitFor(() => expect(destination.lines).toHaveLength(1), { timeout: 10_000 });
    await shutdown();
    expect(destination.entries()[0]).toMatchObject({
      endpoint: "127.0.0.1:1",
      reason: "connect ECONNREFUSED 127.0.0.1:1",
    });
    expect(destination.lines.join("")).not.toContain("s3cret");
  });
});

test("nothing happens after the end", async () => {
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
