import type { DescMethodUnary, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rasterOfPng, rasterOfSvg, readQrCode } from "../../tools/barcode/decode.js";
import { connectClients, grpcJsClient, send, type UnaryClient } from "../support/clients.js";
import { useServer } from "../support/serve.js";

// Responses that are too long for the table of spec.test.ts: those over REST, and that all other protocols have the same.

const server = useServer();
let clients: [string, UnaryClient][] = [];
let grpcJs: ReturnType<typeof grpcJsClient> | undefined;
beforeAll(() => {
  grpcJs = grpcJsClient(server.url);
  clients = [...connectClients(server.url), ["grpc-js", grpcJs]];
});
afterAll(() => {
  grpcJs?.close();
  expect(server.bugs).toEqual([]);
});

const post = (path: string, request: JsonObject) =>
  send(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });

/** A call without side effects in a query, or by POST if it has no other form. */
interface Call {
  readonly method: DescMethodUnary;
  readonly http: string;
  readonly request: JsonObject;
  /** Whether the request is too long for a query. */
  readonly isLong?: boolean;
  /** Returns the response of the other protocols. The default is that over REST. */
  readonly whole?: (body: JsonValue) => JsonObject;
  readonly expected: unknown;
}

/** The maximum number of addresses of the maximum length. */
const LONGEST = Array.from({ length: 1000 }, (_, index) => {
  const domain = `${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(57)}.com`;
  return `${String(index).padStart(64, "a")}@${domain}`;
});
const { batchLookupIps } = GeoIpService.method;
const { listCountries, getCountry, searchCountries } = CountriesService.method;

const CALLS: readonly Call[] = [
  {
    method: listCountries,
    http: "GET /v1/countries",
    request: { language: "fr" },
    whole: (countries) => ({ countries }),
    expected: { length: 250, 0: { code2: "AF", localized_name: "Afghanistan" } },
  },
  {
    method: getCountry,
    http: "GET /v1/countries",
    request: { country: "fra" },
    whole: (country) => ({ country }),
    expected: { code2: "FR", numeric: "250", official_name: "the French Republic", un_member: true },
  },
  {
    method: searchCountries,
    http: "GET /v1/countries:search",
    // A plus sign in a query is a space.
    request: { query: " 49", limit: 1 },
    whole: (matches) => ({ matches, suggestions: [] }),
    expected: [{ value: "+49", kind: "KIND_CALLING_CODE", match: "MATCH_EXACT", country: { code2: "DE" } }],
  },
  {
    method: batchLookupIps,
    http: "POST /v1/geoIp:batch",
    request: { ip_addresses: ["8.8.8.8", "10.0.0.1", ""], view: "LOOKUP_VIEW_FULL" },
    expected: {
      results: [
        { input: "8.8.8.8", answer: { metadata: { details: { region_code: "US-CA" } } } },
        { input: "10.0.0.1", error: { code: "NOT_FOUND", reason: "RESERVED_ADDRESS" } },
        { input: "", error: { code: "INVALID_ARGUMENT", reason: "REQUIRED" } },
      ],
    },
  },
  {
    method: EmailService.method.batchSanitizeEmails,
    http: "POST /v1/sanitizeEmail:batch",
    request: { emails: LONGEST },
    isLong: true,
    expected: { results: LONGEST.map((email) => ({ input: email, answer: { email } })) },
  },
  {
    method: EmailService.method.explainEmail,
    http: "POST /v1/sanitizeEmail:explain",
    request: { email: "Jane+news@GoogleMail.com" },
    expected: { email: "jane@gmail.com", steps: { length: 4, 0: { rule: "EMAIL_RULE_NORMALIZE_DOMAIN" } } },
  },
];

test.each(CALLS)("$http: $method.name", async ({ method, http, request, isLong, whole, expected }) => {
  const [httpMethod, path = ""] = http.split(" ");
  const query = new URLSearchParams(request as Record<string, string>);
  const { status, json } =
    httpMethod === "GET" ? await send(`${server.url}${path}?${query}`) : await post(path, request);
  expect({ status, json }).toMatchObject({ status: 200, json: expected });
  const answer = whole?.(json as JsonValue) ?? json;
  for (const [name, call] of clients.filter(([name]) => isLong !== true || name !== "Connect, GET")) {
    expect([name, await call(method, request)]).toEqual([name, { answer }]);
  }
});

test("a batch has a size limit over every protocol", async () => {
  const emails = ["x".repeat(512 * 1024)];
  expect((await post("/v1/sanitizeEmail:batch", { emails })).text).toContain("BODY_TOO_LARGE");
  for (const [name, call] of clients.filter(([name]) => name !== "Connect, GET")) {
    expect([name, await call(EmailService.method.batchSanitizeEmails, { emails })]).toMatchObject([
      name,
      { code: "RESOURCE_EXHAUSTED" },
    ]);
  }
});

describe("a QR code", () => {
  async function open(url: string) {
    const response = await fetch(url);
    return {
      type: response.headers.get("content-type"),
      image: new Uint8Array(await response.arrayBuffer()),
    };
  }

  test("of a new secret reads as its otp_url, in both formats", async () => {
    const names = { label: "a;b&c=d?e#f/g+h%i j", issuer: "株式会社 🔐" };
    const { json } = await post("/v1/otp", { type: "time_based", action: "generate", ...names });
    const { otp_url, qrcode_url } = json as { otp_url: string; qrcode_url: string };
    const svg = await open(qrcode_url);
    expect([svg.type, readQrCode(rasterOfSvg(svg.image))]).toEqual(["image/svg+xml", otp_url]);
    const png = await open(`${qrcode_url}&format=png`);
    expect([png.type, readQrCode(rasterOfPng(png.image))]).toEqual(["image/png", otp_url]);
  });

  test("is the same image over every protocol", async () => {
    const data = "https://example.com/ä";
    const { image } = await open(
      `${server.url}/v1/barcode?type=qr_code&format=png&data=${encodeURIComponent(data)}`,
    );
    const body = { contentType: "image/png", data: Buffer.from(image).toString("base64"), extensions: [] };
    for (const [name, call] of clients) {
      const outcome = await call(BarcodeService.method.renderBarcode, { data, format: "BARCODE_FORMAT_PNG" });
      expect([name, outcome]).toEqual([name, { answer: { image: body } }]);
    }
  });
});
