import { create, type DescMethodUnary, type MessageInitShape, toBinary, toJson } from "@bufbuild/protobuf";
import { BarcodeFormat, BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService, LookupView } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { methodPath } from "connect-transcoding";
import { loadCountries } from "../../test/data/load-countries.js";
import { grpcFrame, type Workload } from "../lib/load/workload.js";
import {
  ADDRESSES,
  type BenchCase,
  DEFAULT,
  gets,
  grpcCalls,
  HTTP1,
  HTTP2,
  jsonPosts,
  SECRETS,
  webCalls,
} from "./cases.js";

/** A protocol over a version of HTTP. Connect sends JSON, gRPC and gRPC-Web binary messages. */
const PROTOCOLS = ["rest", "restH2", "grpc", "connect", "connectH2", "web", "webH2"] as const;
type BenchProtocol = (typeof PROTOCOLS)[number];

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

/** The requests of a method for some items: as messages, and over REST. */
function operation<M extends DescMethodUnary, T>(
  name: string,
  method: M,
  items: readonly T[],
  messageOf: (item: T) => MessageInitShape<M["input"]>,
  rest: (http: 1 | 2, items: readonly T[]) => Workload,
  count = items.length,
): Operation {
  const complete = items.map((item) => create(method.input, messageOf(item)));
  return {
    name,
    path: methodPath(method),
    binary: complete.map((message) => toBinary(method.input, message)),
    json: complete.map((message) => Object(toJson(method.input, message))),
    count,
    rest: (http) => rest(http, items),
  };
}

/** REST requests with `GET`. */
function get<T>(pathOf: (item: T) => string) {
  return (http: 1 | 2, items: readonly T[]): Workload => gets(http, items.map(pathOf));
}

/** REST requests with `POST`. */
function post<T>(path: string, bodyOf: (item: T) => object) {
  return (http: 1 | 2, items: readonly T[]): Workload => jsonPosts(http, path, items.map(bodyOf));
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
    addresses,
    (ipAddress) => ({ ipAddress }),
    get((address) => `/v1/geoIp?ip_address=${address}`),
    LOOKUPS,
  ),
  operation(
    "geoIpFull",
    lookupIp,
    addresses,
    (ipAddress) => ({ ipAddress, view: LookupView.FULL }),
    get((address) => `/v1/geoIp?ip_address=${address}&view=full`),
    LOOKUPS,
  ),
  operation(
    "geoIpBatch",
    batchLookupIps,
    batches,
    (ipAddresses) => ({ ipAddresses }),
    post("/v1/geoIp:batch", (ip_addresses) => ({ ip_addresses })),
  ),
  operation(
    "otpVerify",
    verifyOtp,
    SECRETS,
    (secret) => ({ secret }),
    post("/v1/otp", (secret) => ({ type: "time_based", action: "verify", secret })),
  ),
  operation(
    "otpGenerate",
    generateOtp,
    accounts,
    (account) => account,
    post("/v1/otp", (account) => ({ type: "time_based", action: "generate", ...account })),
  ),
  operation(
    "countries",
    listCountries,
    [{}],
    () => ({}),
    get(() => "/v1/countries"),
  ),
  operation(
    "country",
    getCountry,
    countries,
    ({ code2 }) => ({ country: code2 }),
    get(({ code2 }) => `/v1/countries?country=${code2}`),
  ),
  operation(
    "search",
    searchCountries,
    queries,
    (query) => ({ query }),
    get((query) => `/v1/countries:search?query=${encodeURIComponent(query)}`),
  ),
  operation(
    "email",
    EmailService.method.sanitizeEmail,
    emails,
    (email) => ({ email }),
    post("/v1/sanitizeEmail", (email) => ({ email })),
  ),
  operation("barcodeSvg", renderBarcode, texts, (data) => ({ data }), get(barcodePath)),
  operation(
    "barcodePng",
    renderBarcode,
    texts,
    (data) => ({ data, format: BarcodeFormat.PNG }),
    get((data) => `${barcodePath(data)}&format=png`),
  ),
];

function workload({ path, binary, json, rest }: Operation, protocol: BenchProtocol): Workload {
  switch (protocol) {
    case "rest":
    case "restH2":
      return rest(protocol === "rest" ? 1 : 2);
    case "grpc":
      return grpcCalls(path, binary.map(grpcFrame));
    case "connect":
    case "connectH2":
      return jsonPosts(protocol === "connect" ? 1 : 2, path, json);
    case "web":
    case "webH2":
      return webCalls(protocol === "web" ? 1 : 2, path, binary);
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
