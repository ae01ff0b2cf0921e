import { connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { gzipSync } from "node:zlib";
import { Code } from "@connectrpc/connect";
import { callStream, framed } from "connect-transcoding-testing/grpc-stream.js";
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
import { useServer } from "../support/serve.js";

describe("bad requests", () => {
  const server = useServer();

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
    ["POST /v1/otp", json({}), invalid({ type: "REQUIRED", action: "REQUIRED" })],
    ["POST /v1/otp", json({ type: "time_based" }), invalid({ action: "REQUIRED" })],
    ["POST /v1/otp", json({ action: "generate" }), invalid({ type: "REQUIRED" })],
    ["POST /v1/otp", json({ type: "event_based", action: "generate" }), invalid({ type: "INVALID_VALUE" })],
    ["POST /v1/otp", json({ type: "time_based", action: "list" }), invalid({ action: "INVALID_VALUE" })],
    [
      "POST /v1/otp",
      json({ type: "TIME_BASED", action: "" }),
      invalid({ type: "INVALID_VALUE", action: "INVALID_VALUE" }),
    ],
    ["POST /v1/otp", json({ type: null, action: 1 }), invalid({ type: "REQUIRED", action: "INVALID_VALUE" })],
    ["POST /v1/otp?action=verify", json(GENERATE), invalid({ action: "CONFLICTING_VALUES" })],
    ["POST /v1/otp?type=time_based&type=x&action=generate", {}, invalid({ type: "CONFLICTING_VALUES" })],
    ["GET /v1/barcode?data=x", {}, invalid({ type: "REQUIRED" })],
    ["GET /v1/barcode?type=aztec&data=x", {}, invalid({ type: "INVALID_VALUE" })],
    [
      "POST /v1/sanitizeEmail?format=xml",
      json({ email: "a@b.example" }),
      invalid({ format: "INVALID_VALUE" }),
    ],
    ["POST /v1/sanitizeEmail?format=", json({ email: "a@b.example" }), invalid({ format: "INVALID_VALUE" })],

    // OTP.
    ["POST /v1/otp", json({ ...GENERATE, digits: 7 }), invalid({ digits: "INVALID_DIGITS" })],
    ["POST /v1/otp", json({ ...GENERATE, digits: 0 }), invalid({ digits: "INVALID_DIGITS" })],
    ["POST /v1/otp", json({ ...GENERATE, digits: -6 }), invalid({ digits: "INVALID_DIGITS" })],
    ["POST /v1/otp", json({ ...GENERATE, digits: "six" }), invalid({ digits: "INVALID_TYPE" })],
    ["POST /v1/otp", json({ ...GENERATE, digits: 6.5 }), invalid({ digits: "INVALID_TYPE" })],
    ["POST /v1/otp", json({ ...GENERATE, digits: true }), invalid({ digits: "INVALID_TYPE" })],
    ["POST /v1/otp", json({ ...GENERATE, digits: [6] }), invalid({ digits: "INVALID_TYPE" })],
    ["POST /v1/otp", json({ ...GENERATE, digits: 4294967302 }), invalid({ digits: "OUT_OF_RANGE" })],
    ["POST /v1/otp", form("type=time_based&action=generate&digits="), invalid({ digits: "INVALID_TYPE" })],
    ["POST /v1/otp?digits=6", json({ ...GENERATE, digits: 8 }), invalid({ digits: "CONFLICTING_VALUES" })],
    ["POST /v1/otp", json({ ...GENERATE, label: 1 }), invalid({ label: "INVALID_TYPE" })],
    ["POST /v1/otp", json({ ...GENERATE, label: "\ud800" }), invalid({ label: "INVALID_VALUE" })],
    ["POST /v1/otp", json({ ...GENERATE, label: "x".repeat(129) }), invalid({ label: "TOO_LONG" })],
    ["POST /v1/otp", json({ ...GENERATE, issuer: "a\nb" }), invalid({ issuer: "CONTROL_CHARACTER" })],
    [
      "POST /v1/otp",
      json({ ...GENERATE, issuer: "😀".repeat(128) }),
      invalid({ issuer: "OTP_URL_TOO_LONG" }),
    ],
    ["POST /v1/otp", json({ ...GENERATE, lable: "x" }), invalid({ lable: "UNKNOWN_PARAMETER" })],
    ["POST /v1/otp", json({ ...GENERATE, "": "x" }), invalid({ "": "UNKNOWN_PARAMETER" })],
    ["POST /v1/otp?=x", json({ ...GENERATE }), invalid({ "": "UNKNOWN_PARAMETER" })],
    ["POST /v1/otp", json({ ...VERIFY }), invalid({ secret: "REQUIRED" })],
    ["POST /v1/otp", json({ ...VERIFY, secret: "" }), invalid({ secret: "REQUIRED" })],
    ["POST /v1/otp", json({ ...VERIFY, secret: "not base32!" }), invalid({ secret: "SECRET_NOT_BASE32" })],
    ["POST /v1/otp", json({ ...VERIFY, secret: "GEZDGNBV" }), invalid({ secret: "SECRET_TOO_SHORT" })],
    ["POST /v1/otp", json({ ...VERIFY, secret: "A".repeat(129) }), invalid({ secret: "SECRET_TOO_LONG" })],
    [
      "POST /v1/otp",
      json({ ...VERIFY, secret: SECRET, algorithm: "MD5" }),
      invalid({ algorithm: "INVALID_ALGORITHM" }),
    ],
    ["POST /v1/otp", json({ ...VERIFY, secret: SECRET, period: 0 }), invalid({ period: "INVALID_PERIOD" })],
    [
      "POST /v1/otp",
      json({ ...VERIFY, key_uri: `otpauth://x/?secret=${SECRET}` }),
      invalid({ key_uri: "INVALID_KEY_URI" }),
    ],
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
      `POST /v1/otp?type=time_based&action=verify&key_uri=${encodeURIComponent(`otpauth://hotp/?secret=${SECRET}`)}`,
      {},
      invalid({ key_uri: "KEY_URI_OF_OTHER_TYPE" }),
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
    [
      "POST /v1/otp",
      json({ ...VERIFY, secret: "1", digits: 5 }),
      invalid({ secret: "SECRET_NOT_BASE32", digits: "INVALID_DIGITS" }),
    ],
    ["GET /v1/otp", {}, [405, "METHOD_NOT_ALLOWED"]],
    ["PUT /v1/otp", json(GENERATE), [405, "METHOD_NOT_ALLOWED"]],

    // Countries.
    ["GET /v1/countries?country=", {}, invalid({ country: "REQUIRED" })],
    ["GET /v1/countries?country=F", {}, invalid({ country: "INVALID_COUNTRY_CODE" })],
    ["GET /v1/countries?country=FRAN", {}, invalid({ country: "INVALID_COUNTRY_CODE" })],
    ["GET /v1/countries?country=250", {}, invalid({ country: "INVALID_COUNTRY_CODE" })],
    ["GET /v1/countries?country=ZZ", {}, [404, "COUNTRY_NOT_FOUND"]],
    ["GET /v1/countries?country=zzz", {}, [404, "COUNTRY_NOT_FOUND"]],
    ["GET /v1/countries?country=FR&country=DE", {}, invalid({ country: "CONFLICTING_VALUES" })],
    ["GET /v1/countries?contry=FR", {}, invalid({ contry: "UNKNOWN_PARAMETER" })],
    ["GET /v1/countries?Country=FR", {}, invalid({ Country: "UNKNOWN_PARAMETER" })],
    ["POST /v1/countries", json({}), [405, "METHOD_NOT_ALLOWED"]],
    ["DELETE /v1/countries?country=FR", {}, [405, "METHOD_NOT_ALLOWED"]],
    ["GET /v1/countries/FR", {}, [404, "ROUTE_NOT_FOUND"]],

    // Geo IP.
    ["GET /v1/geoIp", {}, invalid({ ip_address: "REQUIRED" })],
    ["GET /v1/geoIp?ip_address=", {}, invalid({ ip_address: "REQUIRED" })],
    ["GET /v1/geoIp?ip_address=8.8.8.0/24", {}, invalid({ ip_address: "IP_PREFIX_NOT_ALLOWED" })],
    ["GET /v1/geoIp?ip_address=2001:db8::/32", {}, invalid({ ip_address: "IP_PREFIX_NOT_ALLOWED" })],
    ["GET /v1/geoIp?ip_address=fe80::1%25eth0", {}, invalid({ ip_address: "IP_ZONE_NOT_ALLOWED" })],
    ["GET /v1/geoIp?ip_address=999.1.1.1", {}, invalid({ ip_address: "INVALID_IP_ADDRESS" })],
    ["GET /v1/geoIp?ip_address=8.8.8", {}, invalid({ ip_address: "INVALID_IP_ADDRESS" })],
    ["GET /v1/geoIp?ip_address=8.8.8.8&view=all", {}, invalid({ view: "INVALID_VALUE" })],
    ["GET /v1/geoIp?ip_address=8.8.8.8&view=FULL", {}, invalid({ view: "INVALID_VALUE" })],
    ["GET /v1/geoIp?ip_address=8.8.8.8&view=", {}, invalid({ view: "INVALID_VALUE" })],
    ["GET /v1/geoIp?ip_address=8.8.8.8&view=7", {}, invalid({ view: "INVALID_VALUE" })],
    ["GET /v1/geoIp/self?view=all", {}, invalid({ view: "INVALID_VALUE" })],
    ["POST /v1/geoIp:batch", json({ ip_addresses: ["x"], view: "all" }), invalid({ view: "INVALID_VALUE" })],
    ["GET /v1/geoIp?ip_address=08.8.8.8", {}, invalid({ ip_address: "INVALID_IP_ADDRESS" })],
    ["GET /v1/geoIp?ip_address=0x8080808", {}, invalid({ ip_address: "INVALID_IP_ADDRESS" })],
    ["GET /v1/geoIp?ip_address=134744072", {}, invalid({ ip_address: "INVALID_IP_ADDRESS" })],
    ["GET /v1/geoIp?ip_address=example.com", {}, invalid({ ip_address: "INVALID_IP_ADDRESS" })],
    ["GET /v1/geoIp?ip_address=1::2::3", {}, invalid({ ip_address: "INVALID_IP_ADDRESS" })],
    ["GET /v1/geoIp?ip_address=[::1]", {}, invalid({ ip_address: "INVALID_IP_ADDRESS" })],
    ["GET /v1/geoIp?ip_address=127.0.0.1", {}, [404, "RESERVED_ADDRESS"]],
    ["GET /v1/geoIp?ip_address=2001:db8::1", {}, [404, "RESERVED_ADDRESS"]],
    ["GET /v1/geoIp?ip=8.8.8.8", {}, invalid({ ip: "UNKNOWN_PARAMETER" })],
    [
      "GET /v1/geoIp?ip_address=8.8.8.8&ip_address=1.1.1.1",
      {},
      invalid({ ip_address: "CONFLICTING_VALUES" }),
    ],
    ["GET /v1/geoip?ip_address=8.8.8.8", {}, [404, "ROUTE_NOT_FOUND"]],
    ["GET /v1/geoIp/?ip_address=8.8.8.8", {}, [404, "ROUTE_NOT_FOUND"]],

    // E-mail.
    ["POST /v1/sanitizeEmail", {}, invalid({ email: "REQUIRED" })],
    ["POST /v1/sanitizeEmail", json({ email: "" }), invalid({ email: "REQUIRED" })],
    ["POST /v1/sanitizeEmail", json({ email: "jane" }), invalid({ email: "AT_SIGN_MISSING" })],
    ["POST /v1/sanitizeEmail", json({ email: "@b.example" }), invalid({ email: "LOCAL_PART_MISSING" })],
    ["POST /v1/sanitizeEmail", json({ email: "a@" }), invalid({ email: "DOMAIN_MISSING" })],
    ["POST /v1/sanitizeEmail", json({ email: "a@localhost" }), invalid({ email: "DOMAIN_WITHOUT_DOT" })],
    [
      "POST /v1/sanitizeEmail",
      json({ email: "a@[192.0.2.1]" }),
      invalid({ email: "IP_LITERAL_NOT_ALLOWED" }),
    ],
    ["POST /v1/sanitizeEmail", json({ email: "a..b@c.example" }), invalid({ email: "MISPLACED_DOT" })],
    [
      "POST /v1/sanitizeEmail",
      json({ email: `a@${"b.".repeat(130)}example` }),
      invalid({ email: "EMAIL_TOO_LONG" }),
    ],
    ["POST /v1/sanitizeEmail", form("email=a+b@c.example"), invalid({ email: "WHITE_SPACE" })],
    [
      "POST /v1/sanitizeEmail",
      json({ email: "Jane Doe <jane@b.example>" }),
      invalid({ email: "DISPLAY_NAME_NOT_ALLOWED" }),
    ],
    ["POST /v1/sanitizeEmail", json({ email: ["a@b.example"] }), invalid({ email: "INVALID_TYPE" })],
    ["POST /v1/sanitizeEmail", json({ mail: "a@b.example" }), invalid({ mail: "UNKNOWN_PARAMETER" })],
    ["GET /v1/sanitizeEmail?email=a@b.example", {}, [405, "METHOD_NOT_ALLOWED"]],

    // Bar code.
    ["GET /v1/barcode?type=qr_code", {}, invalid({ data: "REQUIRED" })],
    ["GET /v1/barcode?type=qr_code&data=", {}, invalid({ data: "REQUIRED" })],
    [`GET /v1/barcode?type=qr_code&data=${"7".repeat(7090)}`, {}, invalid({ data: "DATA_TOO_LONG" })],
    [`GET /v1/barcode?type=qr_code&data=${"x".repeat(2954)}`, {}, invalid({ data: "DATA_DOES_NOT_FIT" })],
    ["GET /v1/barcode?type=qr_code&data=x&format=text&size=300", {}, invalid({ size: "NOT_FOR_TEXT" })],
    ["GET /v1/barcode?type=qr_code&data=x&format=gif", {}, invalid({ format: "INVALID_VALUE" })],
    ["GET /v1/barcode?type=qr_code&data=x&format=PNG", {}, invalid({ format: "INVALID_VALUE" })],
    ["GET /v1/barcode?type=qr_code&data=x&size=5", {}, invalid({ size: "INVALID_SIZE" })],
    ["GET /v1/barcode?type=qr_code&data=x&size=big", {}, invalid({ size: "INVALID_TYPE" })],
    [`GET /v1/barcode?type=qr_code&data=${"x".repeat(200)}&size=64`, {}, invalid({ size: "SIZE_TOO_SMALL" })],
    ["GET /v1/barcode?type=qr_code&data=x&margin=33", {}, invalid({ margin: "INVALID_MARGIN" })],
    [
      "GET /v1/barcode?type=qr_code&data=x&error_correction=H",
      {},
      invalid({ error_correction: "INVALID_VALUE" }),
    ],
    [
      `GET /v1/barcode?type=qr_code&data=${"x".repeat(1300)}&error_correction=high`,
      {},
      invalid({ data: "DATA_DOES_NOT_FIT" }),
    ],
    ["GET /v1/barcode?type=qr_code&data=x&foreground=red", {}, invalid({ foreground: "INVALID_COLOR" })],
    ["GET /v1/barcode?type=qr_code&data=x&foreground=ccc", {}, invalid({ foreground: "CONTRAST_TOO_LOW" })],
    [
      "GET /v1/barcode?type=qr_code&data=x&foreground=fff&background=000",
      {},
      invalid({ foreground: "LIGHT_ON_DARK" }),
    ],
    ["GET /v1/barcode?type=qr_code&data=x&scale=5", {}, invalid({ scale: "UNKNOWN_PARAMETER" })],

    // Malformed requests.
    ["GET /nope", {}, [404, "ROUTE_NOT_FOUND"]],
    ["POST /", {}, [405, "METHOD_NOT_ALLOWED"]],
    ["GET /v2/geoIp", {}, [404, "ROUTE_NOT_FOUND"]],
    ["GET /v1/%", {}, [400, "MALFORMED_PATH"]],
    ["GET /v1/%ff", {}, [400, "MALFORMED_PATH"]],
    ["GET /v1/geoIp?ip_address=%", {}, [400, "MALFORMED_QUERY"]],
    ["GET /v1/geoIp?ip_address=%c3%28", {}, [400, "MALFORMED_QUERY"]],
    ["POST /v1/otp", raw("application/json", "{"), [400, "MALFORMED_BODY"]],
    ["POST /v1/otp", raw("application/json", "[]"), [400, "MALFORMED_BODY"]],
    ["POST /v1/otp", raw("application/json", '"x"'), [400, "MALFORMED_BODY"]],
    ["POST /v1/otp", raw("application/json", '{"type":"time_based","type":"x"}'), [400, "MALFORMED_BODY"]],
    ["POST /v1/otp", raw("application/json", new Uint8Array([0x7b, 0xff, 0x7d])), [400, "MALFORMED_BODY"]],
    ["POST /v1/otp", raw("application/json", "[".repeat(60_000)), [400, "MALFORMED_BODY"]],
    ["POST /v1/otp", form("type=%zz"), [400, "MALFORMED_BODY"]],
    ["POST /v1/otp", raw("text/plain", "{}"), [415, "UNSUPPORTED_MEDIA_TYPE"]],
    ["POST /v1/otp", raw("application/xml", "<otp/>"), [415, "UNSUPPORTED_MEDIA_TYPE"]],
    ["POST /v1/otp", raw("multipart/form-data; boundary=x", "--x--"), [415, "UNSUPPORTED_MEDIA_TYPE"]],
    ["POST /v1/otp", raw("application/json; charset=utf-16", "{}"), [415, "UNSUPPORTED_MEDIA_TYPE"]],
    [
      "POST /v1/otp",
      { headers: { "content-type": "application/json", "content-encoding": "gzip" }, body: "x" },
      [415, "UNSUPPORTED_CONTENT_ENCODING"],
    ],
    ["POST /v1/otp", raw("application/json", "x".repeat(TOO_LARGE)), [413, "BODY_TOO_LARGE"]],
    ["POST /v1/otp", raw("application/json", "x".repeat(1_000_000)), [413, "BODY_TOO_LARGE"]],
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

describe("invalid messages", () => {
  const server = useServer();
  let session: ReturnType<typeof connect>;
  beforeAll(() => {
    session = connect(server.url);
  });
  afterAll(() => session.close());

  const PATH = "/utilitytools.v1.GeoIpService/LookupIp";
  const REFLECT = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  const WATCH = "/grpc.health.v1.Health/Watch";
  const NONE = Buffer.from([0xff, 0xff]);
  const TEXT = "the message is not in the binary format of its type";
  const textOf = (name: string) =>
    name.includes("not decompressible") ? "the message is not compressed with gzip" : TEXT;

  describe("gRPC", () => {
    const GZIP = { "grpc-encoding": "gzip" };
    test.each<[string, string, Uint8Array, Record<string, string>]>([
      ["uncompressed", PATH, framed(NONE), {}],
      ["compressed", PATH, framed(gzipSync(NONE), { flags: 1 }), GZIP],
      ["not decompressible", PATH, framed(NONE, { flags: 1 }), GZIP],
      ["in a stream", REFLECT, framed(NONE), {}],
      ["before a stream of responses", WATCH, framed(NONE), {}],
      ["with an upper-case content type", PATH, framed(NONE), { "content-type": "Application/GRPC" }],
      ["not decompressible in a stream", REFLECT, framed(Buffer.from("x"), { flags: 1 }), GZIP],
    ])("%s", async (name, path, body, headers) => {
      const { headers: head, trailers } = await callStream(session, path, [body], headers);
      const status = { ...head, ...trailers };
      expect(status["grpc-status"]).toBe(String(Code.InvalidArgument));
      expect(status["grpc-message"]).toBe(textOf(name));
    });
  });

  describe("gRPC-Web", () => {
    test.each<[string, Uint8Array, Record<string, string>]>([
      ["uncompressed", framed(NONE), {}],
      ["compressed", framed(gzipSync(NONE), { flags: 1 }), { "grpc-encoding": "gzip" }],
      ["not decompressible", framed(NONE, { flags: 1 }), { "grpc-encoding": "gzip" }],
    ])("%s", async (name, body, headers) => {
      const response = await fetch(`${server.url}${PATH}`, {
        method: "POST",
        body,
        headers: { "content-type": "application/grpc-web+proto", ...headers },
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      expect([bytes[0], bytes.readUInt32BE(1)]).toEqual([0x80, bytes.length - 5]);
      const trailers = new Headers(
        bytes
          .subarray(5)
          .toString()
          .trimEnd()
          .split("\r\n")
          .map((line) => line.split(": ") as [string, string]),
      );
      expect(trailers.get("grpc-status")).toBe(String(Code.InvalidArgument));
      expect(trailers.get("grpc-message")).toBe(textOf(name));
    });
  });

  describe("Connect", () => {
    const post = (body: Uint8Array, headers: Record<string, string>) => () =>
      fetch(`${server.url}${PATH}`, { method: "POST", body, headers });
    const get = (query: string) => () => fetch(`${server.url}${PATH}?connect=v1&${query}`);
    const PROTO = { "content-type": "application/proto" };
    const GZIP = { "content-encoding": "gzip" };

    test.each<[string, () => Promise<Response>]>([
      ["uncompressed", post(NONE, PROTO)],
      ["compressed", post(gzipSync(NONE), { ...PROTO, ...GZIP })],
      ["not decompressible", post(NONE, { ...PROTO, ...GZIP })],
      ["in a query", get("encoding=proto&base64=1&message=__8")],
      ["in a query, not in base64", get("encoding=json&base64=1&message=%7B%7D")],
      ["in a query, not decompressible", get("encoding=proto&base64=1&message=__8&compression=gzip")],
    ])("%s", async (name, ask) => {
      const response = await ask();
      expect([response.status, await response.json()]).toEqual([
        400,
        { code: "invalid_argument", message: textOf(name) },
      ]);
    });

    test.each([
      ["in a stream", REFLECT],
      ["before a stream of responses", WATCH],
    ])("%s", async (_, path) => {
      const { body } = await callStream(session, path, [framed(NONE)], {
        "content-type": "application/connect+proto",
      });
      expect(body[0]).toBe(2);
      expect(JSON.parse(body.subarray(5).toString())).toMatchObject({
        error: { code: "invalid_argument", message: TEXT },
      });
    });
  });

  test("an unknown expectation is rejected", async () => {
    const { headers, body } = await callStream(session, REFLECT, [], { expect: "wonders" });
    expect(headers[":status"]).toBe(417);
    expect(JSON.parse(body.toString()).error.details[0].reason).toBe("UNSUPPORTED_EXPECTATION");
  });

  test("a call that is reset before the server handles it is closed", async () => {
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
