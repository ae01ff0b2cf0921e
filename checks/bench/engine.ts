import { parseArgs } from "node:util";
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
import { type Contestant, type Measurement, measure, sink } from "./statistics.js";

// Measures the engine per request: `npm run check -- bench/engine --rounds 50`. No connection and no handler is involved. It is
// compared, in the same run, with hand-written code for the same message: reading the body and encoding the response with
// protobuf-es, without routing, selection, name checks or error reporting.

/** A request to measure, the response message of its handler, and hand-written code for both. */
export interface BenchRequest {
  readonly name: string;
  readonly httpMethod: string;
  readonly target: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  readonly response: MessageInitShape<DescMessage>;
  /** Handles request and response without routing, name checks or error reporting. */
  readonly byHand: (body: Uint8Array) => unknown;
}

export const REAL_METHODS: readonly DescMethodUnary[] = [
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
export const ALL_FIELDS = { alwaysEmitImplicit: true } as const;

/** One request per tool. */
export const REAL_REQUESTS: readonly BenchRequest[] = [
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

const NO_CONTENT = { contentType: undefined, contentEncoding: undefined, body: new Uint8Array() };
const book: MessageInitShape<typeof BookSchema> = {
  name: "area0/1/items/2",
  title: "T",
  isbn: 9n,
  authorNames: ["A", "B"],
};

function finding(name: string, routes: RouteTable, httpMethod: string, target: string): Contestant {
  return {
    name,
    run: (times) => {
      for (let index = 0; index < times; index++) {
        sink.last = findRoute(routes, httpMethod, target);
      }
    },
  };
}

function binding(
  name: string,
  routes: RouteTable,
  { httpMethod, target, contentType, body }: Request,
): Contestant {
  const content = { ...NO_CONTENT, contentType, body };
  return {
    name,
    run: (times) => {
      for (let index = 0; index < times; index++) {
        sink.last = findRoute(routes, httpMethod, target).bind(content);
      }
    },
  };
}

function whole(name: string, routes: RouteTable, request: Request): Contestant {
  const { httpMethod, target, contentType, body, response } = request;
  const content = { ...NO_CONTENT, contentType, body };
  return {
    name,
    run: (times) => {
      for (let index = 0; index < times; index++) {
        sink.last = findRoute(routes, httpMethod, target).bind(content).encode(response);
      }
    },
  };
}

/** Encodes the response only: with the engine, with protobuf-es, and plain JSON with JSON.stringify. */
function encoding({ httpMethod, target, contentType, body, response }: BenchRequest): Contestant[] {
  const { method, encode } = findRoute(real, httpMethod, target).bind({ ...NO_CONTENT, contentType, body });
  const { headers, body: written } = encode(response);
  if (typeof written !== "string" || !headers["content-type"]?.startsWith("application/json")) {
    return [];
  }
  const message = create(method.output, response);
  const json: unknown = JSON.parse(written);
  return [
    { name: "encode", run: repeat(() => encode(response)) },
    {
      name: "toJson, JSON.stringify",
      run: repeat(() => JSON.stringify(toJson(method.output, message, ALL_FIELDS))),
    },
    { name: "JSON.stringify alone", run: repeat(() => JSON.stringify(json)) },
  ];
}

/** Encodes the response in the binary format only: with the engine and with protobuf-es. */
function encodingBinary({ httpMethod, target, contentType, body, response }: BenchRequest): Contestant[] {
  const { output } = findRoute(real, httpMethod, target).bind({ ...NO_CONTENT, contentType, body }).method;
  const write = binaryWriters.ofMessage(output);
  return [
    { name: "binary", run: repeat(() => write(response, GRPC_PREFIX_BYTES)) },
    { name: "toBinary, create", run: repeat(() => toBinary(output, create(output, response))) },
  ];
}

/** The number of messages to decode in turn, no two of them equal. */
const DECODED_MESSAGES = 100;

/** Decodes messages in the binary format: with the engine and with protobuf-es. */
function decodingBinary<Desc extends DescMessage>(
  desc: Desc,
  message: (index: number) => MessageInitShape<Desc>,
): Contestant[] {
  const encoded = Array.from({ length: DECODED_MESSAGES }, (_, index) =>
    Buffer.from(toBinary(desc, create(desc, message(index)))),
  );
  const inTurn = (read: (bytes: Uint8Array) => unknown): Contestant["run"] => {
    let next = 0;
    return repeat(() => {
      next = (next + 1) % DECODED_MESSAGES;
      return read(encoded[next] ?? NOTHING);
    });
  };
  return [
    { name: "binary", run: inTurn(binaryReaders.ofMessage(desc)) },
    { name: "fromBinary", run: inTurn((bytes) => fromBinary(desc, bytes)) },
  ];
}

function repeat(run: () => unknown): Contestant["run"] {
  return (times) => {
    for (let index = 0; index < times; index++) {
      sink.last = run();
    }
  };
}

function byHand({ byHand: run, body }: BenchRequest): Contestant {
  return {
    name: "by hand",
    run: (times) => {
      for (let index = 0; index < times; index++) {
        sink.last = run(body);
      }
    },
  };
}

function print(title: string, measurements: readonly Measurement[]): void {
  console.log(`\n${title}`);
  for (const { name, median, quartiles } of measurements) {
    const [low, high] = quartiles.map((each) => Math.round(each).toLocaleString("en"));
    console.log(
      `  ${name.padEnd(28)} ${Math.round(median).toLocaleString("en").padStart(8)} ns  (${low} to ${high})`,
    );
  }
}

const { values } = parseArgs({ options: { rounds: { type: "string", default: "30" } } });
const rounds = Number(values.rounds);

console.log(
  `Node ${process.version}; median of ${rounds} rounds, and the middle half of them, for one request`,
);

for (const request of REAL_REQUESTS) {
  const contestants = [
    finding("match", real, request.httpMethod, request.target),
    binding("match and bind", real, request),
    whole("match, bind and encode", real, request),
    byHand(request),
    ...encoding(request),
    ...encodingBinary(request),
  ];
  print(request.name, measure(contestants, rounds));
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
for (const [name, contestants] of Object.entries(decoded)) {
  print(`Decode ${name}`, measure(contestants, rounds));
}

const sizes = [5, 500].map((count) => ({ count, routes: synthetic(count) }));
const get = (target: string, response: BenchRequest["response"]) => ({
  httpMethod: "GET",
  target,
  contentType: undefined,
  body: NO_CONTENT.body,
  response,
});
for (const target of ["/v1/area0", "/v1/area0/1/items/2"]) {
  const contestants = sizes.flatMap(({ count, routes }) => [
    finding(`match, ${count} routes`, routes, "GET", target),
    whole(`all of it, ${count} routes`, routes, get(target, book)),
  ]);
  print(`GET ${target}`, measure(contestants, rounds));
}

function findRoute(routes: RouteTable, httpMethod: string, target: string) {
  const { path, query } = splitTarget(target);
  return routes.find(httpMethod, path, query);
}
