import { type ClientHttp2Session, connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { type DescMethodUnary, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
// Spied on, to tell whether a request reached connect-node.
import { ServerExchange } from "../../packages/connect-transcoding/dist/node/server-exchange.js";
import { send } from "./clients.js";
import { callStream, framed, type GrpcStream, statusOf } from "./grpc-stream.js";
import { useServer } from "./serve.js";

// Each request is sent twice: once for the fast path and, in a slightly different form, once for connect-node. The
// responses must be equal.

const server = useServer();
let session: ClientHttp2Session;
beforeAll(() => {
  session = connect(server.url);
});
afterAll(() => {
  session.close();
});

const REQUESTS: readonly (readonly [DescMethodUnary, JsonObject])[] = [
  [OtpService.method.generateOtp, { label: "Zoë", issuer: "A & B", digits: 8 }],
  [OtpService.method.generateOtp, { digits: 7, label: "a\nb" }],
  [OtpService.method.verifyOtp, { secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" }],
  [OtpService.method.verifyOtp, {}],
  [CountriesService.method.listCountries, {}],
  [CountriesService.method.getCountry, { country: "FR" }],
  [CountriesService.method.getCountry, { country: "ZZ" }],
  [GeoIpService.method.lookupIp, { ip_address: "8.8.8.8" }],
  [GeoIpService.method.lookupIp, { ip_address: "2001:4860:4860::8888" }],
  [GeoIpService.method.lookupIp, { ip_address: "10.0.0.1" }],
  [GeoIpService.method.lookupIp, { ip_address: "é" }],
  [EmailService.method.sanitizeEmail, { email: "J.Smith+x@GMail.com" }],
  [EmailService.method.sanitizeEmail, { email: "nope" }],
  [BarcodeService.method.renderBarcode, { data: "x" }],
  [Health.method.check, {}],
  [Health.method.check, { service: "nope" }],
];

const nameOf = ([method, request]: (typeof REQUESTS)[number]) =>
  [`${method.name} ${JSON.stringify(request)}`, method, request] as const;
const pathOf = ({ parent, name }: DescMethodUnary) => `/${parent.typeName}/${name}`;
const bytesOf = ({ input }: DescMethodUnary, request: JsonObject) =>
  toBinary(input, fromJson(input, request));

/** What a client sees of a call. Without a message, trailers and a single header block are equivalent. */
function seen({ headers, trailers, body }: GrpcStream) {
  const all = { ...headers, ...trailers };
  const names = [":status", "content-type", "grpc-status", "grpc-message", "grpc-status-details-bin"];
  // connect-node encodes punctuation in messages as well.
  const decoded = (name: string) =>
    name === "grpc-message" ? decodeURIComponent(String(all[name])) : all[name];
  return { head: names.map((name) => [name, decoded(name)]), body: body.toString("hex") };
}

describe("gRPC", () => {
  // A request with an encoding is handled by connect-node, even if its messages are not compressed.
  const SLOW = { "grpc-encoding": "gzip", "grpc-accept-encoding": "identity" };

  test.each(REQUESTS.map(nameOf))("%s", async (_name, method, request) => {
    const pieces = [framed(bytesOf(method, request))];
    const fast = await callStream(session, pathOf(method), pieces);
    const slow = await callStream(session, pathOf(method), pieces, SLOW);
    expect(seen(fast)).toEqual(seen(slow));
    // The fast path sends an error in one header block.
    expect(fast.body.length > 0 || fast.trailers === undefined).toBe(true);
    expect(slow.trailers).toBeDefined();
  });

  test("falls back to connect-node for compressed messages", async () => {
    const path = pathOf(GeoIpService.method.lookupIp);
    const headers = { ...SLOW, "grpc-accept-encoding": "gzip" };
    const stream = await callStream(session, path, [framed(Buffer.alloc(0))], headers);
    expect(stream.headers["grpc-encoding"]).toBe("gzip");
  });

  // Only the message texts and the details of the fast path differ.
  test.each<[string, Buffer[], Record<string, string>]>([
    ["no message", [], {}],
    ["an incomplete prefix", [Buffer.alloc(3)], {}],
    ["half a message", [framed(Buffer.alloc(9)).subarray(0, 9)], {}],
    ["two messages", [framed(Buffer.alloc(0)), framed(Buffer.alloc(0))], {}],
    ["a message that is too long", [framed(Buffer.alloc(65_537))], {}],
    ["an invalid timeout", [framed(Buffer.alloc(0))], { "grpc-timeout": "1x" }],
  ])("has the same status for %s", async (_name, pieces, headers) => {
    const path = pathOf(GeoIpService.method.lookupIp);
    const fast = await callStream(session, path, pieces, headers);
    const slow = await callStream(session, path, pieces, { ...headers, ...SLOW });
    expect(statusOf(fast)).toBeGreaterThan(0);
    expect(statusOf(fast)).toBe(statusOf(slow));
  });
});

describe("Connect", () => {
  const bodyStream = vi.spyOn(ServerExchange.prototype, "bodyStream");
  afterAll(() => bodyStream.mockRestore());

  async function post(
    method: DescMethodUnary,
    contentType: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers = {},
  ) {
    bodyStream.mockClear();
    const { status, text, ...exchange } = await send(`${server.url}${pathOf(method)}`, {
      method: "POST",
      headers: { "content-type": contentType, "accept-encoding": "identity", ...headers },
      body,
    });
    // connect-es reads the body as a stream.
    const isFast = bodyStream.mock.calls.length === 0;
    return { isFast, seen: { status, type: exchange.headers.get("content-type"), text } };
  }

  const FORMATS = ["application/json", "application/proto"] as const;
  // connect-node handles compressed requests.
  const SLOW = { "content-encoding": "gzip" };
  const compressed = (body: string | Uint8Array) => new Uint8Array(gzipSync(body));

  describe.each(FORMATS)("%s", (type) => {
    test.each(REQUESTS.map(nameOf))("%s", async (_name, method, request) => {
      const body =
        type === "application/json" ? JSON.stringify(request) : new Uint8Array(bytesOf(method, request));
      const fast = await post(method, type, body);
      const slow = await post(method, type, compressed(body), SLOW);
      expect([fast.isFast, slow.isFast]).toEqual([true, false]);
      expect(fast.seen).toEqual(slow.seen);
    });
  });

  const { lookupIp } = GeoIpService.method;
  test.each<[string, string, string | Uint8Array<ArrayBuffer>, Record<string, string>]>([
    ["invalid JSON", "application/json", "{", {}],
    ["JSON that is not an object", "application/json", "[]", {}],
    ["JSON of another shape", "application/json", '{"ip_address":{}}', {}],
    ["an empty body", "application/json", "", {}],
    ["an invalid timeout", "application/json", "{}", { "connect-timeout-ms": "1.5" }],
    [
      "a timeout beyond the maximum of timers",
      "application/json",
      "{}",
      { "connect-timeout-ms": "9999999999" },
    ],
  ])("has the same error for %s", async (_name, type, body, headers) => {
    const fast = await post(lookupIp, type, body, headers);
    const slow = await post(lookupIp, type, compressed(body), { ...headers, ...SLOW });
    expect([fast.isFast, slow.isFast]).toEqual([true, false]);
    // The messages of connect-es differ, and it has no details.
    const codes = [fast, slow].map(({ seen }) => [seen.status, JSON.parse(seen.text).code]);
    expect(codes).toEqual([
      [400, "invalid_argument"],
      [400, "invalid_argument"],
    ]);
  });

  test.each<[string, string, string | Uint8Array<ArrayBuffer>, number, number]>([
    // connect-node reports an invalid message as an internal error.
    ["an invalid message", "application/proto", new Uint8Array([0xff, 0xff]), 400, 500],
    ["a message that is too long", "application/proto", new Uint8Array(65_537), 429, 429],
    ["JSON that is too long", "application/json", " ".repeat(65_537), 429, 429],
  ])("has the documented status for %s", async (_name, type, body, status, slowStatus) => {
    const fast = await post(lookupIp, type, body);
    const slow = await post(lookupIp, type, compressed(body), SLOW);
    expect([fast.isFast, fast.seen.status, slow.seen.status]).toEqual([true, status, slowStatus]);
  });
});
