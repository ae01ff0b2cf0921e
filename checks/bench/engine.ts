import {
  create,
  createRegistry,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  fromJson,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import {
  CountriesService,
  GetCountryResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import {
  BatchSanitizeEmailsRequestSchema,
  EmailService,
} from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import {
  GeoIpService,
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import {
  OtpService,
  VerifyOtpRequestSchema,
  VerifyOtpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { splitTarget } from "connect-transcoding";
import { createBinaryReaders, createBinaryWriters } from "connect-transcoding/codec";
import { createRouteTable, type RouteTable } from "connect-transcoding/rules";
import {
  type BookSchema,
  file_library_v1_library,
  SpecimenSchema,
} from "../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import { defineService, ruleOf } from "../../packages/connect-transcoding/test/support/define-service.js";
import { compare, inTurn, type Measured, measured } from "./measure.js";

// Measures the engine per request: `npm run check -- bench/engine --rounds 50`. No connection and no handler is involved. It is
// compared, in the same run, with hand-written code for the same message: reading the body and encoding the response with
// protobuf-es, without routing, selection, name checks or error reporting.

/** A request to measure, the response message of its handler, and hand-written code for both. */
interface BenchRequest {
  readonly name: string;
  readonly httpMethod: string;
  readonly target: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  readonly response: MessageInitShape<DescMessage>;
  /** Handles request and response without routing, name checks or error reporting. */
  readonly byHand: (body: Uint8Array) => unknown;
}

const REAL_METHODS: readonly DescMethodUnary[] = [
  OtpService,
  CountriesService,
  GeoIpService,
  EmailService,
  BarcodeService,
].flatMap(({ methods }) => methods as readonly DescMethodUnary[]);

const NOTHING = new Uint8Array();
const text = (value: string) => new TextEncoder().encode(value);
const decoder = new TextDecoder();

const verifyOtp: MessageInitShape<typeof VerifyOtpResponseSchema> = {
  algorithm: "SHA1",
  digits: 6,
  otpCodes: { next: "123456", current: "234567", previous: "345678", secondPrevious: "456789" },
  period: 30,
  secret: "JBSWY3DPEHPK3PXP",
  type: "totp",
};

const lookupIp: MessageInitShape<typeof LookupIpResponseSchema> = {
  ip: "8.8.8.8",
  metadata: {
    location: { country: "US", eu: false },
    asn: 15169,
    asnName: "Google LLC",
    coords: { lat: 37.422, lon: -122.085 },
    ip: "8.8.8.8",
    subnet: "8.8.8.0/24",
  },
};

const country: MessageInitShape<typeof GetCountryResponseSchema> = {
  country: {
    code2: "LI",
    code3: "LIE",
    name: "Liechtenstein",
    capital: "Vaduz",
    region: "Europe",
    states: Array.from({ length: 11 }, (_, index) => ({
      code: `LI-${index + 1}`,
      name: `Gemeinde ${index + 1}`,
    })),
  },
};

const geoIp = create(LookupIpResponseSchema, lookupIp);
const otp = create(VerifyOtpResponseSchema, verifyOtp);
const detail = create(GetCountryResponseSchema, country);
const image = text("<svg/>".repeat(200));
/** Options with which protobuf-es writes the same JSON as the engine. */
const ALL_FIELDS = { alwaysEmitImplicit: true } as const;

/** One request per tool. */
const REAL_REQUESTS: readonly BenchRequest[] = [
  {
    name: "GET geoIp",
    httpMethod: "GET",
    target: "/v1/geoIp?ip_address=8.8.8.8",
    contentType: undefined,
    body: NOTHING,
    response: lookupIp,
    byHand: () => [
      new URLSearchParams("ip_address=8.8.8.8").get("ip_address"),
      JSON.stringify(toJson(LookupIpResponseSchema, geoIp, ALL_FIELDS)),
    ],
  },
  {
    name: "POST otp, JSON",
    httpMethod: "POST",
    target: "/v1/otp",
    contentType: "application/json",
    body: text('{"type":"time_based","action":"verify","secret":"JBSWY3DPEHPK3PXP","digits":6}'),
    response: verifyOtp,
    byHand: (body) => [
      fromJson(VerifyOtpRequestSchema, JSON.parse(decoder.decode(body)), { ignoreUnknownFields: true }),
      JSON.stringify(toJson(VerifyOtpResponseSchema, otp, ALL_FIELDS)),
    ],
  },
  {
    name: "POST sanitizeEmail, form",
    httpMethod: "POST",
    target: "/v1/sanitizeEmail",
    contentType: "application/x-www-form-urlencoded",
    body: text("email=Jane.Doe%2Bnews%40GoogleMail.com"),
    response: { email: "janedoe@gmail.com" },
    byHand: (body) => new URLSearchParams(decoder.decode(body)).get("email"),
  },
  {
    name: "GET countries?country=LI",
    httpMethod: "GET",
    target: "/v1/countries?country=LI",
    contentType: undefined,
    body: NOTHING,
    response: country,
    byHand: () => [
      new URLSearchParams("country=LI").get("country"),
      JSON.stringify(toJson(GetCountryResponseSchema, detail, ALL_FIELDS)),
    ],
  },
  {
    name: "GET barcode",
    httpMethod: "GET",
    target: "/v1/barcode?type=qr_code&data=https%3A%2F%2Fexample.com%2F",
    contentType: undefined,
    body: NOTHING,
    response: { image: { contentType: "image/svg+xml", data: image } },
    byHand: () => [new URLSearchParams("type=qr_code&data=https%3A%2F%2Fexample.com%2F").get("data"), image],
  },
];

const options = { unknownParameters: "reject", registry: createRegistry(file_library_v1_library) } as const;
const real = createRouteTable(REAL_METHODS, options);

const binaryReaders = createBinaryReaders();
const binaryWriters = createBinaryWriters();
const GRPC_PREFIX_BYTES = 5;

/** Creates `count` similar routes, as in a large API. */
function synthetic(count: number): RouteTable {
  const rules = [
    "GET /v1/{name=area%/*/items/*}",
    "GET /v1/area%/{name}",
    "POST /v1/{name=area%/*}:run",
    "GET /v1/area%",
    "DELETE /v1/area%/*/{name=**}",
  ];
  const definitions = Array.from({ length: count }, (_, index) => {
    const rule = rules[index % rules.length] ?? "";
    return {
      name: `Method${index}`,
      rule: ruleOf(rule.replace("%", String(Math.floor(index / rules.length)))),
    };
  });
  return createRouteTable(defineService(definitions).methods, options);
}

type Request = Omit<BenchRequest, "name" | "byHand">;

const book: MessageInitShape<typeof BookSchema> = {
  name: "area0/1/items/2",
  title: "T",
  isbn: 9n,
  authorNames: ["A", "B"],
};

function findRoute(routes: RouteTable, { httpMethod, target }: Pick<Request, "httpMethod" | "target">) {
  const { path, query } = splitTarget(target);
  return routes.find(httpMethod, path, query);
}

/** Reads a request. */
function bind(routes: RouteTable, request: Request) {
  const { contentType, body } = request;
  return findRoute(routes, request).bind({ contentType, contentEncoding: undefined, body });
}

/** Encodes the response only: with the engine, with protobuf-es, and plain JSON with JSON.stringify. */
function encoding(request: BenchRequest): Measured[] {
  const { response } = request;
  const { method, encode } = bind(real, request);
  const { headers, body: written } = encode(response);
  if (typeof written !== "string" || !headers["content-type"]?.startsWith("application/json")) {
    return [];
  }
  const message = create(method.output, response);
  const json: unknown = JSON.parse(written);
  return [
    measured("encode", () => encode(response)),
    measured("toJson, JSON.stringify", () => JSON.stringify(toJson(method.output, message, ALL_FIELDS))),
    measured("JSON.stringify alone", () => JSON.stringify(json)),
  ];
}

/** Encodes the response in the binary format only: with the engine and with protobuf-es. */
function encodingBinary(request: BenchRequest): Measured[] {
  const { output } = bind(real, request).method;
  const write = binaryWriters.ofMessage(output);
  return [
    measured("binary", () => write(request.response, GRPC_PREFIX_BYTES)),
    measured("toBinary, create", () => toBinary(output, create(output, request.response))),
  ];
}

/** The number of messages to decode in turn, no two of them equal. */
const DECODED_MESSAGES = 100;

/** Decodes messages in the binary format: with the engine and with protobuf-es. */
function decodingBinary<Desc extends DescMessage>(
  desc: Desc,
  message: (index: number) => MessageInitShape<Desc>,
): Measured[] {
  const encoded = Array.from({ length: DECODED_MESSAGES }, (_, index) =>
    Buffer.from(toBinary(desc, create(desc, message(index)))),
  );
  return [
    inTurn("binary", encoded, binaryReaders.ofMessage(desc)),
    inTurn("fromBinary", encoded, (bytes) => fromBinary(desc, bytes)),
  ];
}

for (const request of REAL_REQUESTS) {
  compare(request.name, [
    measured("match", () => findRoute(real, request)),
    measured("match and bind", () => bind(real, request)),
    measured("match, bind and encode", () => bind(real, request).encode(request.response)),
    measured("by hand", () => request.byHand(request.body)),
    ...encoding(request),
    ...encodingBinary(request),
  ]);
}

const specimen = (index: number): MessageInitShape<typeof SpecimenSchema> => ({
  int32Value: -index,
  int64s: [1n, 2n ** 60n],
  doubles: [1, 2, 3],
  stringValue: "short",
  strings: ["a".repeat(50), "é"],
  bytesValue: new Uint8Array(30),
  textByText: { a: "b", c: "d" },
  boxes: [{ value: 5n }, {}],
  duration: { seconds: BigInt(index) },
  nested: { boolValue: true, uint64Value: 5n, nested: { stringValue: "inner" } },
});
const decoded = {
  LookupIpRequest: decodingBinary(LookupIpRequestSchema, (index) => ({
    ipAddress: `203.0.${index + 100}.17`,
  })),
  "BatchSanitizeEmailsRequest of 100": decodingBinary(BatchSanitizeEmailsRequestSchema, (index) => ({
    emails: Array.from({ length: 100 }, (_, item) => `first.last+${index}.${item}@mail.example.org`),
  })),
  Specimen: decodingBinary(SpecimenSchema, specimen),
};
for (const [name, functions] of Object.entries(decoded)) {
  compare(`Decode ${name}`, functions);
}

const sizes = [5, 500].map((count) => ({ count, routes: synthetic(count) }));
for (const target of ["/v1/area0", "/v1/area0/1/items/2"]) {
  const request = { httpMethod: "GET", target, contentType: undefined, body: NOTHING, response: book };
  const functions = sizes.flatMap(({ count, routes }) => [
    measured(`match, ${count} routes`, () => findRoute(routes, request)),
    measured(`all of it, ${count} routes`, () => bind(routes, request).encode(book)),
  ]);
  compare(`GET ${target}`, functions);
}
