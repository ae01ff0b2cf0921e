import { connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { callStream } from "connect-transcoding-testing/grpc-stream.js";
import {
  END_HEADERS,
  FRAME,
  type Frame,
  frame,
  headerBlock,
  PREFACE,
  rawHttp2,
  requestBlock,
  uint32,
} from "connect-transcoding-testing/raw-http2.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../support/clients.js";
import { useConnectNode } from "../support/connect-node.js";
import { useServer } from "../support/serve.js";

describe.each([
  { host: "our server", server: useServer() },
  { host: "connect-node", server: useConnectNode("") },
])("bad requests to $host", ({ server }) => {
  /** Status and reason of the error, and the reason of each invalid field. */
  type ExpectedError = readonly [status: number, reason: string, fields?: Readonly<Record<string, string>>];

  const invalid = (fields: Record<string, string>): ExpectedError => [400, "INVALID_PARAMETERS", fields];
  const json = (value: unknown): RequestInit => raw("application/json", JSON.stringify(value));
  const form = (body: string): RequestInit => raw("application/x-www-form-urlencoded", body);
  const raw = (type: string, body: string | Uint8Array<ArrayBuffer>): RequestInit => ({
    headers: { "content-type": type },
    body,
  });

  const GENERATE = { type: "time_based", action: "generate" };
  const VERIFY = { type: "time_based", action: "verify" };
  const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const TOO_LARGE = 64 * 1024 + 1;

  test.each<[string, RequestInit, ExpectedError]>([
    // Selection parameters.
    ["POST /v1/otp", {}, invalid({ type: "REQUIRED", action: "REQUIRED" })],
    ["POST /v1/otp", json({ type: "time_based" }), invalid({ action: "REQUIRED" })],
    ["POST /v1/otp", json({ type: null, action: 1 }), invalid({ type: "REQUIRED", action: "INVALID_VALUE" })],
    ["POST /v1/otp?action=verify", json(GENERATE), invalid({ action: "CONFLICTING_VALUES" })],
    ["GET /v1/barcode?data=x", {}, invalid({ type: "REQUIRED" })],
    ["POST /v1/sanitizeEmail?format=", json({ email: "a@b.example" }), invalid({ format: "INVALID_VALUE" })],

    // OTP.
    ["POST /v1/otp", json({ ...GENERATE, digits: 6.5 }), invalid({ digits: "INVALID_TYPE" })],
    ["POST /v1/otp", json({ ...GENERATE, digits: 4294967302 }), invalid({ digits: "OUT_OF_RANGE" })],
    ["POST /v1/otp?digits=6", json({ ...GENERATE, digits: 8 }), invalid({ digits: "CONFLICTING_VALUES" })],
    ["POST /v1/otp", json({ ...GENERATE, label: "\ud800" }), invalid({ label: "INVALID_VALUE" })],
    ["POST /v1/otp", json({ ...GENERATE, lable: "x" }), invalid({ lable: "UNKNOWN_PARAMETER" })],
    ["POST /v1/otp?=x", json({ ...GENERATE }), invalid({ "": "UNKNOWN_PARAMETER" })],
    ["POST /v1/otp", json({ ...VERIFY, secret: "not base32!" }), invalid({ secret: "SECRET_NOT_BASE32" })],
    [
      "POST /v1/otp",
      json({ ...VERIFY, key_uri: `otpauth://totp/?secret=${SECRET}&digits=9` }),
      invalid({ key_uri: "INVALID_KEY_URI" }),
    ],
    [
      "POST /v1/otp",
      json({ ...VERIFY, key_uri: `otpauth://totp/${SECRET.repeat(100)}?secret=${SECRET}` }),
      invalid({ key_uri: "KEY_URI_TOO_LONG" }),
    ],
    [
      "POST /v1/otp",
      json({
        ...VERIFY,
        key_uri: `otpauth://totp/?secret=${SECRET}`,
        secret: "A".repeat(32),
        digits: 8,
        algorithm: "SHA512",
        period: 31,
      }),
      invalid({
        secret: "CONTRADICTS_KEY_URI",
        digits: "CONTRADICTS_KEY_URI",
        algorithm: "CONTRADICTS_KEY_URI",
        period: "CONTRADICTS_KEY_URI",
      }),
    ],
    [
      "POST /v1/otp",
      json({ type: "counter_based", action: "verify", secret: SECRET, counter: -1 }),
      invalid({ counter: "INVALID_COUNTER" }),
    ],
    [
      "POST /v1/otp",
      json({ type: "counter_based", action: "generate", label: "a:b" }),
      invalid({ label: "COLON" }),
    ],

    // The other tools.
    ["GET /v1/countries?country=", {}, invalid({ country: "REQUIRED" })],
    ["GET /v1/countries?country=zzz", {}, [404, "COUNTRY_NOT_FOUND"]],
    ["GET /v1/countries?Country=FR", {}, invalid({ Country: "UNKNOWN_PARAMETER" })],
    [
      "GET /v1/countries:search?query=+&limit=251",
      {},
      invalid({ query: "REQUIRED", limit: "INVALID_LIMIT" }),
    ],
    ["GET /v1/geoIp", {}, invalid({ ip_address: "REQUIRED" })],
    ["GET /v1/geoIp?ip_address=fe80::1%25eth0", {}, invalid({ ip_address: "IP_ZONE_NOT_ALLOWED" })],
    ["GET /v1/geoIp?ip_address=8.8.8.8&view=FULL", {}, invalid({ view: "INVALID_VALUE" })],
    ["GET /v1/geoIp/self?view=7", {}, invalid({ view: "INVALID_VALUE" })],
    ["GET /v1/geoIp/self?ip_address=8.8.8.8", {}, invalid({ ip_address: "UNKNOWN_PARAMETER" })],
    ["POST /v1/geoIp:batch", json({ ip_addresses: ["x"], view: "all" }), invalid({ view: "INVALID_VALUE" })],
    ["GET /v1/geoIp/self", {}, [404, "RESERVED_ADDRESS"]],
    ["POST /v1/sanitizeEmail:batch", json({ emails: [] }), invalid({ emails: "REQUIRED" })],
    ["POST /v1/sanitizeEmail", form("email=a+b@c.example"), invalid({ email: "WHITE_SPACE" })],
    ["POST /v1/sanitizeEmail", json({ email: ["a@b.example"] }), invalid({ email: "INVALID_TYPE" })],
    [`GET /v1/barcode?type=qr_code&data=${"x".repeat(2954)}`, {}, invalid({ data: "DATA_DOES_NOT_FIT" })],
    ["GET /v1/barcode?type=qr_code&data=x&format=PNG", {}, invalid({ format: "INVALID_VALUE" })],
    [
      "GET /v1/barcode?type=qr_code&data=x&error_correction=H",
      {},
      invalid({ error_correction: "INVALID_VALUE" }),
    ],
    [
      "GET /v1/barcode?type=qr_code&data=x&foreground=fff&background=000",
      {},
      invalid({ foreground: "LIGHT_ON_DARK" }),
    ],

    // Malformed requests.
    ["GET /nope", {}, [404, "ROUTE_NOT_FOUND"]],
    ["POST /", {}, [405, "METHOD_NOT_ALLOWED"]],
    ["PUT /v1/otp", json(GENERATE), [405, "METHOD_NOT_ALLOWED"]],
    ["GET /v1/%ff", {}, [400, "MALFORMED_PATH"]],
    ["GET /v1/geoIp?ip_address=%c3%28", {}, [400, "MALFORMED_QUERY"]],
    ["POST /v1/otp", raw("application/json", '{"type":"time_based","type":"x"}'), [400, "MALFORMED_BODY"]],
    ["POST /v1/otp", raw("application/json", "[".repeat(60_000)), [400, "MALFORMED_BODY"]],
    ["POST /v1/otp", form("type=%zz"), [400, "MALFORMED_BODY"]],
    ["POST /v1/otp", raw("text/plain", "{}"), [415, "UNSUPPORTED_MEDIA_TYPE"]],
    [
      "POST /v1/otp",
      { headers: { "content-type": "application/json", "content-encoding": "br" }, body: "x" },
      [415, "UNSUPPORTED_CONTENT_ENCODING"],
    ],
    ["POST /v1/sanitizeEmail", form(`email=${"x".repeat(TOO_LARGE)}`), [413, "BODY_TOO_LARGE"]],
  ])("%s with %j", async (line, init, [status, reason, fields = {}]) => {
    const [method = "", target = ""] = line.split(" ");
    const exchange = await send(`${server.url}${target}`, { ...init, method });
    const { error } = exchange.json as {
      error: { code: number; status: string; message: string; details: ErrorDetail[] };
    };
    const violations = error.details.flatMap(({ fieldViolations }) => fieldViolations ?? []);
    expect({
      status: exchange.status,
      contentType: exchange.headers.get("content-type"),
      code: error.code,
      reason: error.details.at(-1)?.reason,
      fields: Object.fromEntries(violations.map((each) => [each.field, each.reason])),
    }).toEqual({ status, contentType: "application/json; charset=utf-8", code: status, reason, fields });
    // Errors never repeat a value that may be secret.
    expect(error.message).not.toBe("");
    expect(violations.every(({ description }) => description.length > 5)).toBe(true);
    expect(exchange.text).not.toContain(SECRET);
    expect(exchange.text).not.toContain("not base32!");
  });

  interface ErrorDetail {
    readonly reason?: string;
    readonly fieldViolations?: {
      readonly field: string;
      readonly reason: string;
      readonly description: string;
    }[];
  }

  test("the response to a thousand unknown parameters has a bounded length", async () => {
    const query = Array.from({ length: 1000 }, (_, index) => `unknown${index}=x`).join("&");
    const { status, text } = await send(`${server.url}/v1/geoIp?${query}`);
    expect(status).toBe(400);
    expect(text.length).toBeLessThan(20_000);
  });

  afterAll(() => {
    expect(server.bugs).toEqual([]);
  });
});

describe("streams", () => {
  const server = useServer();
  let session: ReturnType<typeof connect>;
  beforeAll(() => {
    session = connect(server.url);
  });
  afterAll(() => session.close());

  const REFLECT = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

  test("with an unknown expectation are rejected", async () => {
    const { headers, body } = await callStream(session, REFLECT, [], { expect: "wonders" });
    expect(headers[":status"]).toBe(417);
    expect(JSON.parse(body.toString()).error.details[0].reason).toBe("UNSUPPORTED_EXPECTATION");
  });

  test("that are reset before the server handles them are closed", async () => {
    const fields = headerBlock({ "content-type": "application/grpc", expect: "100-continue" });
    const raw = rawHttp2(connectTcp(Number(new URL(server.url).port), "127.0.0.1"));
    raw.socket.write(
      Buffer.concat([
        PREFACE,
        frame(FRAME.HEADERS, END_HEADERS, 1, Buffer.concat([requestBlock("POST", REFLECT), fields])),
        frame(FRAME.RST_STREAM, 0, 1, uint32(8)),
        frame(FRAME.PING, 0, 0, Buffer.alloc(8)),
      ]),
    );
    // The response that asks for the body is no final one, whose status would be an indexed field (RFC 7541, section 6.1).
    const isFinal = ({ type, payload }: Frame) => type === FRAME.HEADERS && (payload[0] ?? 0) >= 0x80;
    const ends: readonly number[] = [FRAME.RST_STREAM, FRAME.GOAWAY, FRAME.PING];
    const { type } = await raw.next((each) => ends.includes(each.type) || isFinal(each));
    raw.socket.destroy();
    expect(type).toBe(FRAME.PING);
  });

  test("no bugs are reported", () => {
    expect(server.bugs).toEqual([]);
  });
});
