import type { DescMethodUnary, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { AboutService } from "@utility-tools/protos/utilitytools/v1/about_pb.js";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { connectClients, grpcJsClient, type Outcome, restOutcome, send } from "../support/clients.js";
import { GRPC_WEB_TEXT, useConnectNode } from "../support/connect-node.js";
import { useServer } from "../support/serve.js";

const BASE_URL = "https://tools.example/base";
/** The servers that must return the same responses. */
const SERVERS = [
  { host: "our server", server: useServer({ publicBaseUrl: BASE_URL }) },
  { host: "connect-node", server: useConnectNode(BASE_URL), without: GRPC_WEB_TEXT },
];

/** A call and the response that every protocol must return. */
interface Case {
  readonly name: string;
  readonly method: DescMethodUnary;
  readonly request: JsonObject;
  readonly http: string;
  /** Parameters of REST only. */
  readonly selectors?: Record<string, string>;
  /** The field of the response that is the body over REST. */
  readonly responseBody?: string;
  readonly outcome: Outcome;
}

const answer = (value: JsonValue): Outcome => ({ answer: value });
const invalid = (...fields: string[]): Outcome => ({
  code: "INVALID_ARGUMENT",
  reason: "INVALID_PARAMETERS",
  fields,
});
const notFound = (reason: string): Outcome => ({ code: "NOT_FOUND", reason, fields: [] });

const { generateOtp, verifyOtp } = OtpService.method;
const GENERATE = {
  method: generateOtp,
  http: "POST /v1/otp",
  selectors: { type: "time_based", action: "generate" },
};
const VERIFY = {
  method: verifyOtp,
  http: "POST /v1/otp",
  selectors: { type: "time_based", action: "verify" },
};
const COUNTRY = {
  method: CountriesService.method.getCountry,
  http: "GET /v1/countries",
  responseBody: "country",
};
const GEO_IP = { method: GeoIpService.method.lookupIp, http: "GET /v1/geoIp" };
const EMAIL = {
  method: EmailService.method.sanitizeEmail,
  http: "POST /v1/sanitizeEmail",
  selectors: { format: "json" },
};

const GOOGLE = {
  location: { country: "US", eu: false },
  asn: 15169,
  asn_name: "Google LLC",
  coords: { lat: 37.422, lon: -122.085 },
  ip: "8.8.8.8",
  subnet: "8.8.8.0/24",
};

// The secret of RFC 6238, appendix B, and its codes around 1111111109 s.
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const QR = `${BASE_URL}/v1/barcode?type=qr_code&data=`;

function generated(digits: number, issuer: string, label: string, path: string): Outcome {
  const query = `secret=${SECRET}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=30`;
  const otpUrl = `otpauth://totp/${path}?${query}`;
  return answer({
    algorithm: "SHA1",
    digits,
    issuer,
    label,
    otp_url: otpUrl,
    period: 30,
    qrcode_url: QR + encodeURIComponent(otpUrl),
    secret: SECRET,
    type: "totp",
  });
}

function verified(secret: string, digits: number, [next, current, previous, before]: string[]): Outcome {
  return answer({
    algorithm: "SHA1",
    digits,
    otp_codes: { "+30s": next ?? "", current: current ?? "", "-30s": previous ?? "", "-60s": before ?? "" },
    period: 30,
    secret,
    type: "totp",
  });
}

const SIX = ["050471", "081804", "731029", "150727"];
const EIGHT = ["14050471", "07081804", "89731029", "48150727"];

const COUNTRIES = "utilitytools.v1.CountriesService";
const GEO = "utilitytools.v1.GeoIpService";
const EMAILS = "utilitytools.v1.EmailService";

/** A data source, with any texts. */
function source(name: string, service: string, license: string, buildTime?: string) {
  return {
    name,
    publisher: expect.stringMatching(/./),
    url: expect.stringMatching(/^(?:https:.*)?$/),
    license,
    attribution: expect.any(String),
    version: expect.any(String),
    ...(buildTime === undefined ? {} : { build_time: buildTime, age_days: 0 }),
    services: [service],
  };
}

const CASES: readonly Case[] = [
  { name: "generate", ...GENERATE, request: {}, outcome: generated(6, "", "", "Account") },
  {
    name: "generate, all given",
    ...GENERATE,
    request: { label: "ann@example.com", issuer: "Example Co", digits: 8 },
    outcome: generated(8, "Example Co", "ann@example.com", "Example%20Co:ann%40example.com"),
  },
  {
    name: "generate, not ASCII",
    ...GENERATE,
    request: { label: "jürgen/1+1", issuer: "日本", digits: 6 },
    outcome: generated(6, "日本", "jürgen/1+1", "%E6%97%A5%E6%9C%AC:j%C3%BCrgen%2F1%2B1"),
  },
  { name: "generate, 7 digits", ...GENERATE, request: { digits: 7 }, outcome: invalid("digits") },
  {
    name: "generate, all wrong",
    ...GENERATE,
    request: { label: "x".repeat(129), issuer: "\u0007", digits: 0 },
    outcome: invalid("label", "issuer", "digits"),
  },
  { name: "verify", ...VERIFY, request: { secret: SECRET }, outcome: verified(SECRET, 6, SIX) },
  {
    name: "verify, 8 digits",
    ...VERIFY,
    request: { secret: SECRET, digits: 8 },
    outcome: verified(SECRET, 8, EIGHT),
  },
  {
    name: "verify, as people type it",
    ...VERIFY,
    request: { secret: "gezd gnbv gy3t qojq gezd gnbv gy3t qojq" },
    outcome: verified("gezd gnbv gy3t qojq gezd gnbv gy3t qojq", 6, SIX),
  },
  { name: "verify without a secret", ...VERIFY, request: {}, outcome: invalid("secret") },
  {
    name: "verify, all wrong",
    ...VERIFY,
    request: { secret: "01189998819991197253", digits: 7 },
    outcome: invalid("secret", "digits"),
  },
  {
    name: "an unknown country",
    ...COUNTRY,
    request: { country: "ZZ" },
    outcome: notFound("COUNTRY_NOT_FOUND"),
  },
  { name: "no country code", ...COUNTRY, request: { country: "F" }, outcome: invalid("country") },
  {
    name: "an IPv4 address",
    ...GEO_IP,
    request: { ip_address: "8.8.8.8" },
    outcome: answer({ ip: "8.8.8.8", metadata: GOOGLE }),
  },
  {
    name: "an IPv4 address with details",
    ...GEO_IP,
    request: { ip_address: "8.8.8.8", view: "LOOKUP_VIEW_FULL" },
    outcome: answer({
      ip: "8.8.8.8",
      metadata: {
        ...GOOGLE,
        details: {
          country_name: "United States",
          continent: "North America",
          region: "California",
          region_code: "US-CA",
          city: "Mountain View",
          time_zone: "America/Los_Angeles",
          utc_offset: "-08:00",
          daylight_saving: false,
          calling_code: "+1",
          currency: "USD",
          calling_codes: ["+1"],
          country_sources: [],
        },
      },
    }),
  },
  { name: "a prefix", ...GEO_IP, request: { ip_address: "8.8.8.0/24" }, outcome: invalid("ip_address") },
  { name: "no address", ...GEO_IP, request: {}, outcome: invalid("ip_address") },
  {
    name: "a private address",
    ...GEO_IP,
    request: { ip_address: "10.1.2.3" },
    outcome: notFound("RESERVED_ADDRESS"),
  },
  {
    name: "an e-mail address",
    ...EMAIL,
    request: { email: "Jane.Doe+news@GoogleMail.com" },
    outcome: answer({ email: "janedoe@gmail.com" }),
  },
  {
    name: "an international e-mail address",
    ...EMAIL,
    request: { email: "Jürgen@MÜNCHEN.de" },
    outcome: answer({ email: "jürgen@xn--mnchen-3ya.de" }),
  },
  {
    name: "about the service",
    method: AboutService.method.getAbout,
    http: "GET /v1/about",
    request: {},
    outcome: answer({
      version: packageJson.version,
      sources: [
        source("Countries List", COUNTRIES, "MIT"),
        source("Unicode CLDR", COUNTRIES, "Unicode-3.0"),
        source("currency-codes", COUNTRIES, "MIT"),
        source("iso-3166", COUNTRIES, "MIT"),
        source("Countries States Cities Database", COUNTRIES, "ODbL-1.0"),
        source("Moment Timezone", COUNTRIES, "MIT"),
        source("World Countries", COUNTRIES, "ODbL-1.0"),
        source("libphonenumber-js", COUNTRIES, "MIT"),
        source("i18n-nationality", COUNTRIES, "MIT"),
        source("GeoNames", COUNTRIES, "CC-BY-4.0"),
        source(
          "Aliases, codes, official and former names, driving sides and postal codes of countries",
          COUNTRIES,
          "Apache-2.0",
        ),
        source("DB-IP IP to City Lite", GEO, "CC-BY-4.0", "2026-09-01T01:38:01Z"),
        source("origin-asn", GEO, "PDDL-1.0", "2026-09-16T23:20:26Z"),
        source("IANA special-purpose address registries", GEO, "CC0-1.0", "2025-10-09T00:00:00Z"),
        source("IANA IPv6 Global Unicast Address Assignments", GEO, "CC0-1.0", "2024-11-01T00:00:00Z"),
        source("tz-lookup", GEO, "CC0-1.0"),
        source("More mailbox providers and role names", EMAILS, "Apache-2.0"),
        source("Disposable email domains", EMAILS, "CC0-1.0 AND MIT", "2026-11-09T00:00:00Z"),
        source("MailChecker", EMAILS, "MIT"),
        source("Free email domains", EMAILS, "MIT"),
        source("email-providers", EMAILS, "ISC"),
        source("freemail", EMAILS, "ISC"),
        source("Email Provider Links", EMAILS, "MIT"),
        source("email-misspelled", EMAILS, "MIT"),
        source("disposable-email-detector", EMAILS, "MIT"),
        source("is-burner-email", EMAILS, "MIT"),
        source("Role-based email addresses", EMAILS, "MIT"),
        source("IANA's list of top-level domains", EMAILS, "MIT"),
      ],
    }),
  },
  { name: "no e-mail address", ...EMAIL, request: {}, outcome: invalid("email") },
  { name: "half an e-mail address", ...EMAIL, request: { email: "jane" }, outcome: invalid("email") },
];

/** Formats the parameters of a request for a query or a form. */
function toSearchParams(parameters: JsonObject): URLSearchParams {
  return new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
  );
}

function expectedOverHttp({ outcome, responseBody }: Case): Outcome {
  if (!("answer" in outcome) || responseBody === undefined) {
    return outcome;
  }
  return answer((outcome.answer as JsonObject)[responseBody] ?? null);
}

describe.each(SERVERS)("the same response over every protocol of $host", ({ server, without }) => {
  let grpcJs: ReturnType<typeof grpcJsClient>;
  let clients: ReturnType<typeof connectClients>;
  beforeAll(() => {
    grpcJs = grpcJsClient(server.url);
    clients = connectClients(server.url).filter(([name]) => !without?.test(name));
  });
  afterAll(() => grpcJs.close());

  describe.each(CASES)("$name", (each) => {
    const { method, request, selectors = {}, outcome } = each;
    const [httpMethod = "", path = ""] = each.http.split(" ");
    const parameters = { ...selectors, ...request };
    const hint = `if the response is as intended, change the case "${each.name}" in test/contract/tools/spec.test.ts`;

    test("grpc-js", async () => {
      expect(await grpcJs(method, request), hint).toEqual(outcome);
    });

    test("gRPC, gRPC-Web and Connect by connect-node", async () => {
      for (const [name, call] of clients) {
        expect([name, await call(method, request)], hint).toEqual([name, outcome]);
      }
    });

    test("REST, query", async () => {
      const exchange = await send(`${server.url}${path}?${toSearchParams(parameters)}`, {
        method: httpMethod,
      });
      expect(restOutcome(exchange), hint).toEqual(expectedOverHttp(each));
    });

    if (httpMethod === "GET") {
      return;
    }
    test("REST, JSON", async () => {
      const exchange = await send(`${server.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(parameters),
      });
      expect(restOutcome(exchange), hint).toEqual(expectedOverHttp(each));
    });

    test("REST, form", async () => {
      const exchange = await send(`${server.url}${path}`, {
        method: "POST",
        body: toSearchParams(parameters),
      });
      expect(restOutcome(exchange), hint).toEqual(expectedOverHttp(each));
    });
  });
});
