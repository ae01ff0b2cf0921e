import { connect } from "node:http2";
import type { RequestRecord } from "connect-transcoding";
import { codeName } from "connect-transcoding";
import { methodName } from "connect-transcoding/rules";
import { callStream, framed, openStream } from "connect-transcoding-testing/grpc-stream.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { emailService } from "../../../src/tools/email/email-service.js";
import { sendRaw } from "../support/raw-http.js";
import { useServer } from "../support/serve.js";

// The records that observers receive of failed requests.

const records: RequestRecord[] = [];
const observers = [{ onEnd: (record: RequestRecord) => records.push(record) }];
const rejections: unknown[] = [];
const server = useServer({
  observers,
  transport: {
    onReject: ({ reason, status }, peerAddress) => rejections.push([reason, status, peerAddress]),
  },
});
const impatient = useServer({ observers, tools: [emailService()], transport: { requestTimeout: 500 } });
let session: ReturnType<typeof connect>;
beforeAll(() => {
  session = connect(server.url);
});
afterAll(() => session.close());
beforeEach(() => {
  records.length = 0;
  rejections.length = 0;
});

async function recorded() {
  await expect.poll(() => records.length).toBe(1);
  return records.map((record) => [
    record.protocol,
    record.method === undefined ? undefined : methodName(record.method),
    record.code === undefined ? "OK" : codeName(record.code),
    record.status,
  ])[0];
}

const LOOK_UP = "utilitytools.v1.GeoIpService.LookupIp";
const PATH = "/utilitytools.v1.GeoIpService/LookupIp";
const WATCH = "grpc.health.v1.Health.Watch";

const get = (path: string, method = "GET") => fetch(`${server.url}${path}`, { method });
const post = (path: string, type: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { method: "POST", body, headers: { "content-type": type, ...headers } });

test("have the time of the request according to the current clock", async () => {
  const hour = 3_600_000;
  const { now } = Date;
  vi.spyOn(Date, "now").mockImplementation(() => now() + hour);
  try {
    const before = now();
    await fetch(`${server.url}/healthz`);
    await recorded();
    const startedAt = (records[0]?.startedAt ?? 0) - hour;
    expect(startedAt).toBeGreaterThanOrEqual(before - 1);
    expect(startedAt).toBeLessThanOrEqual(now());
  } finally {
    vi.restoreAllMocks();
  }
});

describe("over HTTP/1.1", () => {
  test.each<[string, () => Promise<unknown>, unknown[]]>([
    ["an invalid parameter", () => get("/v1/geoIp?ip_address=x"), ["rest", LOOK_UP, "INVALID_ARGUMENT", 400]],
    ["an unknown path", () => get("/nowhere"), ["rest", undefined, "NOT_FOUND", 404]],
    ["a wrong HTTP method", () => get("/v1/geoIp", "PUT"), ["rest", undefined, "UNIMPLEMENTED", 405]],
    ["OPTIONS", () => get("/v1/geoIp", "OPTIONS"), ["rest", undefined, "OK", 204]],
    [
      "a body that is too long",
      () => post("/v1/otp", "application/json", "x".repeat(70_000)),
      ["rest", undefined, "RESOURCE_EXHAUSTED", 413],
    ],
    [
      "a body that is not JSON",
      () => post("/v1/otp", "application/json", "{"),
      ["rest", undefined, "INVALID_ARGUMENT", 400],
    ],
    [
      "a wrong HTTP method for a page",
      () => get("/openapi.json", "PUT"),
      ["page", undefined, "UNIMPLEMENTED", 405],
    ],
    [
      "an invalid Connect message",
      () => post(PATH, "application/proto", "x"),
      ["connect", LOOK_UP, "INVALID_ARGUMENT", 400],
    ],
    [
      "an unsupported content type",
      () => post(PATH, "text/plain", "x"),
      ["connect", LOOK_UP, "INVALID_ARGUMENT", 415],
    ],
    [
      "an HTTP method that Connect does not support",
      () => get(PATH, "PUT"),
      ["connect", LOOK_UP, "UNIMPLEMENTED", 405],
    ],
    [
      "an invalid gRPC-Web message",
      () => post(PATH, "application/grpc-web+proto", framed(Buffer.from("x"))),
      ["grpc-web", LOOK_UP, "INVALID_ARGUMENT", 200],
    ],
    [
      "a Connect stream without a message",
      () => post("/grpc.health.v1.Health/Watch", "application/connect+json", ""),
      ["connect", WATCH, "UNIMPLEMENTED", 200],
    ],
  ])("%s", async (_, ask, expected) => {
    await ask();
    expect(await recorded()).toEqual(expected);
  });

  test.each([
    ["no host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "INVALID_HOST", 400],
    [
      "a transfer coding that is not supported",
      "POST /v1/otp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "UNSUPPORTED_TRANSFER_CODING",
      501,
    ],
    [
      "an unknown HTTP method",
      "BREW / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "UNSUPPORTED_HTTP_METHOD",
      501,
    ],
  ])("a rejected request has no record: %s", async (_, request, reason, status) => {
    expect(await sendRaw(server.port, request)).toMatchObject({ status });
    expect(rejections).toEqual([[reason, status, "127.0.0.1"]]);
    expect(records).toEqual([]);
  });

  describe.each(["Content-Length: 9\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n9\r\n{"])(
    "an incomplete body: %j",
    (rest) => {
      test.each([
        ["/v1/sanitizeEmail", "rest", undefined],
        [
          "/utilitytools.v1.EmailService/SanitizeEmail",
          "connect",
          "utilitytools.v1.EmailService.SanitizeEmail",
        ],
      ])("%s", async (path, protocol, method) => {
        const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
        const { status } = await sendRaw(impatient.port, `${head}${rest}`);
        expect(status).toBe(408);
        expect(await recorded()).toEqual([protocol, method, "DEADLINE_EXCEEDED", 408]);
      });
    },
  );

  test.each([
    ["invalid chunks", "Transfer-Encoding: chunked\r\n\r\nx\r\n", "INVALID_ARGUMENT", 400],
    [
      "chunk extensions that are too long",
      `Transfer-Encoding: chunked\r\n\r\n1;${"x".repeat(20_000)}`,
      "RESOURCE_EXHAUSTED",
      413,
    ],
  ])("%s", async (_, rest, code, status) => {
    for (const [path, protocol, method] of [
      ["/v1/otp", "rest", undefined],
      [PATH, "connect", LOOK_UP],
    ]) {
      records.length = 0;
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
      expect(await sendRaw(server.port, `${head}${rest}`)).toMatchObject({ status });
      expect(await recorded()).toEqual([protocol, method, code, status]);
    }
  });

  test("a client that disconnects before its body is complete", async () => {
    const controller = new AbortController();
    const body = new ReadableStream({
      start: (stream) => {
        stream.enqueue(new TextEncoder().encode("{"));
        // On a busy machine, the head arrives late.
        setTimeout(() => controller.abort(), 500);
      },
    });
    const request = new Request(`${server.url}/v1/otp`, {
      method: "POST",
      body,
      signal: controller.signal,
      duplex: "half",
      headers: { "content-type": "application/json" },
    } as RequestInit);
    await expect(fetch(request)).rejects.toThrow("aborted");
    expect(await recorded()).toEqual(["rest", undefined, "INVALID_ARGUMENT", 400]);
    expect(records[0]?.clientAddress).toBe("127.0.0.1");
  });
});

describe("gRPC", () => {
  test.each<[string, string, Uint8Array[], Record<string, string>, unknown[]]>([
    ["an invalid message", PATH, [framed(Buffer.from("x"))], {}, ["grpc", LOOK_UP, "INVALID_ARGUMENT", 200]],
    ["an unknown method", "/x.Y/Z", [framed(Buffer.from(""))], {}, ["grpc", undefined, "UNIMPLEMENTED", 200]],
  ])("%s", async (_, path, pieces, headers, expected) => {
    await callStream(session, path, pieces, headers);
    expect(await recorded()).toEqual(expected);
  });

  test.each([
    ["a unary call", PATH],
    ["a stream", "/grpc.health.v1.Health/Watch"],
  ])("%s whose client disconnects", async (_, path) => {
    const stream = openStream(session, path);
    stream.write(framed(Buffer.from("")));
    await new Promise((resolve) => setTimeout(resolve, 20));
    stream.destroy();
    const [protocol, , code] = (await recorded()) ?? [];
    expect([protocol, code]).toEqual(["grpc", "CANCELLED"]);
  });
});
