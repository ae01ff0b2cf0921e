import { gzipSync } from "node:zlib";
import { encodeHttp1 } from "connect-transcoding-testing/load/http1.js";
import { encodeHttp2 } from "connect-transcoding-testing/load/http2.js";
import { GRPC_HEADERS, grpcFrame, type Workload } from "connect-transcoding-testing/load/workload.js";

/** A request that costs much: of those of a method or a page that the limits allow, the one that was found to take longest. */
export interface CostlyRequest {
  readonly name: string;
  readonly encoded: ReturnType<typeof encodeHttp1> | ReturnType<typeof encodeHttp2>;
}

type Headers = Workload["headers"];
const NOTHING = Buffer.alloc(0);
const GZIP: Headers = [["accept-encoding", "gzip"]];
const BROTLI: Headers = [["accept-encoding", "br"]];
const JSON_TYPE: Headers = [["content-type", "application/json"]];
const FORM: Headers = [["content-type", "application/x-www-form-urlencoded"]];

const http = (method: "GET" | "POST", headers: Headers, path: string, body: Buffer | string = NOTHING) =>
  encodeHttp1({
    http: 1,
    grpc: false,
    method,
    authority: "localhost",
    headers,
    requests: [{ path, body: Buffer.from(body) }],
  });
const get = (path: string, headers: Headers = []) => http("GET", headers, path);
const postJson = (path: string, body: string) => http("POST", JSON_TYPE, path, body);
const postForm = (path: string, body: string) => http("POST", FORM, path, body);
/** A call of gRPC with messages that have been framed. */
const grpc = (path: string, body: Buffer, headers: Headers = []) =>
  encodeHttp2(
    {
      http: 2,
      grpc: true,
      method: "POST",
      authority: "localhost",
      headers: [...GRPC_HEADERS, ...headers],
      requests: [{ path, body }],
    },
    false,
  );

/** A list of 1,000 in JSON. */
const thousand = (itemOf: (index: number) => string): string =>
  JSON.stringify(Array.from({ length: 1000 }, (_, index) => itemOf(index)));

/** The labels of the longest domain, in a script for which the conversion is slow. */
const LABELS = `${"ا.".repeat(30)}de`;
const EMAILS = thousand((index) => `a${index}@${LABELS}`);
const EMAIL_BATCH = "/v1/sanitizeEmail:batch";
const IPV6 = thousand((index) => `2001:${(0x200 + index).toString(16)}:${(index * 7919) % 9999}::1`);
const IPV4 = thousand((index) => `${1 + (index % 200)}.${(index * 7) % 250}.${index % 7}.9`);
const LONG_TEXT = "aB3".repeat(682);
const ACCOUNT = `label=${"é".repeat(128)}&issuer=${"é".repeat(96)}`;
const SECRET = "A".repeat(128);
const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const EMAIL_SERVICE = "/utilitytools.v1.EmailService";
const KIB = 1024;
const LIMIT = 64 * KIB;
const BATCH_LIMIT = 256 * KIB;

const fill = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length));
/** The fields 1 to 15 of a message with a length. */
const field = (number: number, text: string): Buffer => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
};
const compressed = (body: Buffer): Buffer => {
  const frame = grpcFrame(gzipSync(body));
  frame[0] = 1;
  return frame;
};
const ask = (request: Buffer) => Buffer.concat(Array<Buffer>(100).fill(grpcFrame(request)));

const REQUESTS: Readonly<Record<string, CostlyRequest["encoded"]>> = {
  "GenerateOtp, long names": postForm("/v1/otp", `type=time_based&action=generate&${ACCOUNT}`),
  "VerifyOtp, long secret": postForm("/v1/otp", `type=time_based&action=verify&secret=${SECRET}`),
  "GenerateHotp, long names": postForm("/v1/otp", `type=counter_based&action=generate&${ACCOUNT}`),
  "VerifyHotp, long secret": postForm(
    "/v1/otp",
    `type=counter_based&action=verify&secret=${SECRET}&counter=5`,
  ),
  "ListCountries, in German": get("/v1/countries?language=de"),
  "ListCountries, in Arabic, gzip": get("/v1/countries?language=ar", GZIP),
  "GetCountry, with most states": get("/v1/countries?country=GB&language=de"),
  "SearchCountries, long name": get(
    `/v1/countries:search?query=${"republica democratica ".repeat(4)}xq&limit=250`.replaceAll(" ", "%20"),
  ),
  "SearchCountries, one letter": get("/v1/countries:search?query=a&limit=250"),
  "LookupIp, full view": get("/v1/geoIp?ip_address=81.2.69.142&view=full"),
  "LookupSelf, full view": get("/v1/geoIp/self?view=full"),
  "BatchLookupIps, 1,000 IPv6, full view": postJson(
    "/v1/geoIp:batch",
    `{"view":"full","ip_addresses":${IPV6}}`,
  ),
  "BatchLookupIps, 1,000 IPv4, full view": postJson(
    "/v1/geoIp:batch",
    `{"view":"full","ip_addresses":${IPV4}}`,
  ),
  "SanitizeEmail, 30 labels": postJson("/v1/sanitizeEmail", `{"email":"a@${LABELS}"}`),
  "ExplainEmail, 30 labels": postJson("/v1/sanitizeEmail:explain", `{"email":"a@${LABELS}"}`),
  "BatchSanitizeEmails, 30 labels": postJson(EMAIL_BATCH, `{"emails":${EMAILS}}`),
  "BatchSanitizeEmails, 30 labels, gzip": http(
    "POST",
    [...JSON_TYPE, ...GZIP],
    EMAIL_BATCH,
    `{"emails":${EMAILS}}`,
  ),
  "BatchSanitizeEmails, 30 A-labels": postJson(
    EMAIL_BATCH,
    `{"emails":${thousand((index) => `a${index}@${"xn--mgb.".repeat(30)}de`)}}`,
  ),
  "BatchSanitizeEmails, 80 labels": postJson(
    EMAIL_BATCH,
    `{"emails":${thousand((index) => `a${index}@${"ا.".repeat(80)}de`)}}`,
  ),
  "BatchSanitizeEmails, 250 quotes": postJson(EMAIL_BATCH, `{"emails":${thousand(() => "'".repeat(250))}}`),
  "BatchSanitizeEmails, escapes": postJson(
    EMAIL_BATCH,
    `{"emails":["${fill("\\u0627", BATCH_LIMIT - 20)}"]}`,
  ),
  "BatchSanitizeEmails, 87,000 items": postJson(
    EMAIL_BATCH,
    `{"emails":[${fill('"",', BATCH_LIMIT - 20)}""]}`,
  ),
  "BatchSanitizeEmails, unknown members": postJson(
    EMAIL_BATCH,
    `{${Array.from({ length: 25_000 }, (_, index) => `"${index.toString(36)}":1`)}}`,
  ),
  "BatchSanitizeEmails, nested JSON": postJson(
    EMAIL_BATCH,
    `{"a":${"[".repeat(BATCH_LIMIT / 2 - 10)}${"]".repeat(BATCH_LIMIT / 2 - 10)}}`,
  ),
  "BatchSanitizeEmails, long numbers": postJson(
    EMAIL_BATCH,
    `{"emails":[${fill("12345678901234567890,", BATCH_LIMIT - 30)}1]}`,
  ),
  "BatchSanitizeEmails of gRPC, 131,000 items": grpc(
    `${EMAIL_SERVICE}/BatchSanitizeEmails`,
    grpcFrame(Buffer.from("\n\0".repeat(BATCH_LIMIT / 2 - 10))),
  ),
  "BatchSanitizeEmails of gRPC, unknown fields": grpc(
    `${EMAIL_SERVICE}/BatchSanitizeEmails`,
    grpcFrame(Buffer.from("\x18\0".repeat(BATCH_LIMIT / 2 - 10))),
  ),
  "BatchSanitizeEmails of gRPC, gzip": grpc(
    `${EMAIL_SERVICE}/BatchSanitizeEmails`,
    compressed(Buffer.concat(JSON.parse(EMAILS).map((email: string) => field(1, email)))),
    [["grpc-encoding", "gzip"]],
  ),
  "BatchSanitizeEmails of gRPC, a gzip bomb": grpc(
    `${EMAIL_SERVICE}/BatchSanitizeEmails`,
    compressed(Buffer.alloc(60 * 1024 * KIB)),
    [["grpc-encoding", "gzip"]],
  ),
  "RenderBarcode, largest PNG": get(`/v1/barcode?type=qr_code&format=png&size=2048&data=${LONG_TEXT}`),
  "RenderBarcode, largest SVG": get(`/v1/barcode?type=qr_code&data=${LONG_TEXT}`),
  "RenderBarcode, largest text": get(`/v1/barcode?type=qr_code&format=text&data=${LONG_TEXT}`),
  "RenderBarcode, mixed text": get(`/v1/barcode?type=qr_code&data=${"a1234A".repeat(340)}`),
  GetAbout: get("/v1/about", GZIP),
  "a query of 8,000 names": get(`/v1/geoIp?${"a&".repeat(8_000 - 100)}`),
  "a query of 4,000 different names": get(
    `/v1/geoIp?${Array.from({ length: 4000 }, (_, index) => index.toString(36)).join("&")}`,
  ),
  "a form of 32,000 names": postForm("/v1/otp", fill("a&", LIMIT - 10)),
  "a form of 15,000 different names": postForm(
    "/v1/otp",
    Array.from({ length: 15_000 }, (_, index) => index.toString(36)).join("&"),
  ),
  "a path of 8,000 segments": get("/v1/".padEnd(15_000, "a/")),
  "a path of escapes": get(`/v1/${"%61:".repeat(3_700)}`),
  "many header fields": get(
    "/v1/about",
    Array.from({ length: 90 }, (_, index) => [`a${index}`, "b".repeat(100)] as const),
  ),
  "Reflection, 100 files with imports": grpc(REFLECTION, ask(field(4, "utilitytools.v1.GeoIpService"))),
  "Reflection, 100 lists": grpc(REFLECTION, ask(field(7, ""))),
  "Reflection, 12,000 empty messages": grpc(REFLECTION, Buffer.alloc(60_000)),
  "Health/List": grpc("/grpc.health.v1.Health/List", grpcFrame(NOTHING)),
  "OpenAPI, identity": get("/openapi.json"),
  "OpenAPI, brotli": get("/openapi.json", BROTLI),
  "/docs": get("/docs", BROTLI),
  "the page": get("/", GZIP),
  "/metrics, gzip": get("/metrics", GZIP),
  "/healthz": get("/healthz"),
  "/readyz": get("/readyz"),
};

/** All of them, at least one for each method of the service. */
export const COSTLY_REQUESTS: readonly CostlyRequest[] = Object.entries(REQUESTS).map(([name, encoded]) => ({
  name,
  encoded,
}));

/** The bytes of requests over HTTP/1.1 that are sent again and again. */
export const LOADS: Readonly<Record<string, Buffer>> = Object.fromEntries(
  [
    "BatchSanitizeEmails, 30 labels",
    "BatchSanitizeEmails, 80 labels",
    "BatchLookupIps, 1,000 IPv4, full view",
    "RenderBarcode, largest PNG",
  ].map((name) => {
    const [bytes] = REQUESTS[name]?.requests ?? [];
    if (!Buffer.isBuffer(bytes)) {
      throw new Error(`${name} is not a request over HTTP/1.1`);
    }
    return [name, bytes];
  }),
);
