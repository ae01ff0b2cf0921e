import { create, type DescMethodUnary, type MessageInitShape, toBinary, toJson } from "@bufbuild/protobuf";
import { BarcodeFormat, BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService, LookupView } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { methodPath } from "connect-transcoding";
import { loadCountries } from "../../test/data/load-countries.js";
import { ADDRESSES, type BenchCase, gets, grpcCalls, HTTP1, HTTP2, posts, SECRETS } from "./cases.js";
import { DEFAULT } from "./contestants.js";
import type { Workload } from "./load.js";
import { grpcFrame, HOST } from "./requests.js";

/** A protocol over a version of HTTP. Connect sends JSON, gRPC and gRPC-Web binary messages. */
export const PROTOCOLS = ["rest", "restH2", "grpc", "connect", "connectH2", "web", "webH2"] as const;
export type BenchProtocol = (typeof PROTOCOLS)[number];

/** A method with requests that differ from one another. */
interface Operation {
  readonly name: string;
  readonly path: string;
  readonly binary: readonly Uint8Array[];
  /** Objects in ProtoJSON. */
  readonly json: readonly object[];
  /** How many of the requests are used; the others may fail. */
  readonly count: number;
  readonly rest: (http: 1 | 2) => Workload;
}

/** Half as many again as the responses that the service caches. */
const LOOKUPS = 6000;
const COUNT = 1000;
const BATCH_SIZE = 100;

const addresses = ADDRESSES.slice(0, 1.5 * LOOKUPS);
const batches = Array.from({ length: LOOKUPS / BATCH_SIZE }, (_, index) =>
  addresses.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
);
const countries = loadCountries();
const numbers = Array.from({ length: COUNT }, (_, index) => index);
const texts = numbers.map((index) => `https://example.com/items/${index * 7919}`);

function operation<M extends DescMethodUnary>(
  name: string,
  method: M,
  messages: readonly MessageInitShape<M["input"]>[],
  rest: Operation["rest"],
  count = messages.length,
): Operation {
  const complete = messages.map((init) => create(method.input, init));
  return {
    name,
    path: methodPath(method),
    binary: complete.map((message) => toBinary(method.input, message)),
    json: complete.map((message) => Object(toJson(method.input, message))),
    count,
    rest,
  };
}

const { lookupIp, batchLookupIps } = GeoIpService.method;
const { listCountries, getCountry, searchCountries } = CountriesService.method;
const { verifyOtp, generateOtp } = OtpService.method;
const { renderBarcode } = BarcodeService.method;
const emails = numbers.map((index) => `Jane.${index}+news@GoogleMail.com`);
const queries = [...new Set(countries.flatMap(({ name, capital }) => [name.slice(0, 4), capital]))].filter(
  (text) => text !== "",
);
const accounts = numbers.map((index) => ({ label: `jane.${index}@example.com`, issuer: "Example" }));
const barcodePath = (data: string) => `/v1/barcode?type=qr_code&data=${encodeURIComponent(data)}`;

const OPERATIONS: readonly Operation[] = [
  operation(
    "geoIp",
    lookupIp,
    addresses.map((ipAddress) => ({ ipAddress })),
    (http) =>
      gets(
        http,
        addresses.map((address) => `/v1/geoIp?ip_address=${address}`),
      ),
    LOOKUPS,
  ),
  operation(
    "geoIpFull",
    lookupIp,
    addresses.map((ipAddress) => ({ ipAddress, view: LookupView.FULL })),
    (http) =>
      gets(
        http,
        addresses.map((address) => `/v1/geoIp?ip_address=${address}&view=full`),
      ),
    LOOKUPS,
  ),
  operation(
    "geoIpBatch",
    batchLookupIps,
    batches.map((ipAddresses) => ({ ipAddresses })),
    (http) =>
      posts(
        http,
        "/v1/geoIp:batch",
        batches.map((ip_addresses) => ({ ip_addresses })),
      ),
  ),
  operation(
    "otpVerify",
    verifyOtp,
    SECRETS.map((secret) => ({ secret })),
    (http) =>
      posts(
        http,
        "/v1/otp",
        SECRETS.map((secret) => ({ type: "time_based", action: "verify", secret })),
      ),
  ),
  operation("otpGenerate", generateOtp, accounts, (http) =>
    posts(
      http,
      "/v1/otp",
      accounts.map((account) => ({ type: "time_based", action: "generate", ...account })),
    ),
  ),
  operation("countries", listCountries, [{}], (http) => gets(http, ["/v1/countries"])),
  operation(
    "country",
    getCountry,
    countries.map(({ code2 }) => ({ country: code2 })),
    (http) =>
      gets(
        http,
        countries.map(({ code2 }) => `/v1/countries?country=${code2}`),
      ),
  ),
  operation(
    "search",
    searchCountries,
    queries.map((query) => ({ query })),
    (http) =>
      gets(
        http,
        queries.map((query) => `/v1/countries:search?query=${encodeURIComponent(query)}`),
      ),
  ),
  operation(
    "email",
    EmailService.method.sanitizeEmail,
    emails.map((email) => ({ email })),
    (http) =>
      posts(
        http,
        "/v1/sanitizeEmail",
        emails.map((email) => ({ email })),
      ),
  ),
  operation(
    "barcodeSvg",
    renderBarcode,
    texts.map((data) => ({ data })),
    (http) => gets(http, texts.map(barcodePath)),
  ),
  operation(
    "barcodePng",
    renderBarcode,
    texts.map((data) => ({ data, format: BarcodeFormat.PNG })),
    (http) =>
      gets(
        http,
        texts.map((data) => `${barcodePath(data)}&format=png`),
      ),
  ),
];

/** The methods that cases exist for. */
export const METHODS: readonly string[] = OPERATIONS.map(({ name }) => name);

function workload({ path, binary, json, rest }: Operation, protocol: BenchProtocol): Workload {
  switch (protocol) {
    case "rest":
    case "restH2":
      return rest(protocol === "rest" ? 1 : 2);
    case "grpc":
      return grpcCalls(path, binary);
    case "connect":
    case "connectH2":
      return posts(protocol === "connect" ? 1 : 2, path, json);
    case "web":
    case "webH2": {
      const headers = [["content-type", "application/grpc-web+proto"]] as const;
      const requests = binary.map((message) => ({ path, body: grpcFrame(message) }));
      const http = protocol === "web" ? 1 : 2;
      return { http, grpc: false, method: "POST", authority: HOST, headers, requests };
    }
  }
}

/** Every method in every protocol, of our server only. The names are `<method>:<protocol>`. */
export const METHOD_CASES: readonly BenchCase[] = OPERATIONS.flatMap((each) =>
  PROTOCOLS.map((protocol): BenchCase => {
    const candidates = workload(each, protocol);
    return {
      name: `${each.name}:${protocol}`,
      title: `${each.name} over ${protocol}`,
      group: "methods",
      contestants: [DEFAULT],
      candidates,
      count: each.count,
      concurrency: candidates.http === 1 ? HTTP1 : HTTP2,
      contentOf: (body) => body.toString("latin1"),
    };
  }),
);
