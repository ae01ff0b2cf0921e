import { createHash } from "node:crypto";

/** The URL of the service, and an API key for it. */
export const { UTILITY_TOOLS_URL: URL = "", UTILITY_TOOLS_API_KEY: KEY = "" } = process.env;

// The parameters of the calls, which the programs in other languages send as well.
export const ACCOUNT = { label: "jane@example.com", issuer: "Example", digits: 8 } as const;
export const EMAIL = "Jane.Doe+news@GoogleMail.com";
export const ADDRESSES = ["1.1.1.1", "10.0.0.1", "nonsense"];
export const QUERY = { query: "bayern", limit: 1 };
export const QR_CODE = { type: "qr_code", data: "https://example.com/" } as const;

/** The responses that a client has received. The types that each generator creates must be assignable to these. */
interface Responses {
  generated: {
    algorithm: string;
    digits: number;
    period: number;
    label: string;
    issuer: string;
    secret: string;
  };
  verified: { secret: string; otp_codes: Record<string, string> };
  list: { code3: string }[];
  france: { capital: string };
  matches: { value: string; kind: string; country: { code3: string }; state?: { code: string } }[];
  located: Located;
  /** In the full view. */
  self: Located;
  batch: { results: Item<{ metadata: { asn_name: string } }>[] };
  asText: string | { email: string };
  asJson: string | { email: string };
  explained: { email: string; steps: { rule: string }[] };
  sanitized: { results: Item<{ email: string }>[] };
  svg: ArrayBuffer;
  png: ArrayBuffer;
  about: { version: string; sources: { license: string }[] };
  /** The error of a special-purpose address. */
  reserved: Failure;
  /** The error of an invalid e-mail address. */
  invalid: Failure;
}

interface Located {
  ip: string;
  metadata: { location: { country: string }; asn: number; details?: { city: string } };
}

/** One result of a batch. */
type Item<T> = { input: string; answer: T } | { input: string; error: { reason: string } };

interface Failure {
  error: {
    code: number;
    details: (
      | {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo";
          reason: string;
          metadata?: Record<string, string>;
        }
      | {
          "@type": "type.googleapis.com/google.rpc.BadRequest";
          fieldViolations: { field: string; reason: string }[];
        }
      | { "@type": "type.googleapis.com/google.rpc.RetryInfo" }
    )[];
  };
}

/** Prints what the responses contain, by operation. */
export function report(responses: Responses): void {
  const { generated, verified, list, france, located, self, asText, asJson, explained, about } = responses;
  const printed = {
    otp: {
      generated: [generated.algorithm, generated.digits, generated.period, generated.label, generated.issuer],
      secret: generated.secret,
      isSameSecret: verified.secret === generated.secret,
      code: verified.otp_codes.current,
      times: Object.keys(verified.otp_codes).sort(),
    },
    countries: { count: list.length, first: list[0]?.code3, capital: france.capital },
    countriesSearchCountries: responses.matches.flatMap(({ value, kind, country, state }) => [
      value,
      kind,
      country.code3,
      state?.code,
    ]),
    geoIpLookupIp: describeAddress(located),
    geoIpLookupSelf: [...describeAddress(self), self.metadata.details?.city],
    geoIpBatchLookupIps: responses.batch.results.map((each) =>
      "answer" in each ? each.answer.metadata.asn_name : each.error.reason,
    ),
    emailSanitizeEmail: {
      text: typeof asText === "string" ? asText : undefined,
      json: typeof asJson === "string" ? undefined : asJson.email,
    },
    emailExplainEmail: [explained.email, ...explained.steps.map(({ rule }) => rule)],
    emailBatchSanitizeEmails: responses.sanitized.results.map((each) =>
      "answer" in each ? each.answer.email : each.error.reason,
    ),
    barcodeRenderBarcode: { svg: digest(responses.svg), png: digest(responses.png) },
    aboutGetAbout: { version: about.version, licenses: about.sources.map(({ license }) => license) },
    errors: [responses.reserved, responses.invalid].map(describeError),
  };
  console.log(JSON.stringify(printed));
}

function describeAddress({ ip, metadata }: Located) {
  return [ip, metadata.location.country, metadata.asn];
}

function digest(image: ArrayBuffer): string {
  return createHash("sha256").update(new Uint8Array(image)).digest("hex");
}

function describeError({ error }: Failure) {
  const described = { code: error.code, reason: "", range: "", fields: [] as string[][] };
  for (const detail of error.details) {
    switch (detail["@type"]) {
      case "type.googleapis.com/google.rpc.ErrorInfo":
        described.reason = detail.reason;
        described.range = detail.metadata?.range ?? "";
        break;
      case "type.googleapis.com/google.rpc.BadRequest":
        described.fields = detail.fieldViolations.map(({ field, reason }) => [field, reason]);
    }
  }
  return described;
}

/** Returns the data or the error of a response, which must be present. The only error without content is an empty text. */
export function mustHave<T>(value: T | "" | undefined): T {
  if (value === undefined || value === "") {
    throw new TypeError("the response has another status");
  }
  return value;
}
