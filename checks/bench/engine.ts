import { randomBytes } from "node:crypto";
import {
  create,
  createRegistry,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import {
  BatchSanitizeEmailsRequestSchema,
  EmailService,
} from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import {
  GeoIpService,
  LookupIpRequestSchema,
  type LookupIpResponseSchema,
  LookupView,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService, type VerifyOtpResponseSchema } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { splitTarget } from "connect-transcoding";
import { createBinaryReaders, createBinaryWriters } from "connect-transcoding/codec";
import { createRouteTable, type RouteTable } from "connect-transcoding/rules";
import {
  type BookSchema,
  file_library_v1_library,
  SpecimenSchema,
} from "../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import { defineService, ruleOf } from "../../packages/connect-transcoding/test/support/define-service.js";
import { releaseTools } from "../../test/release-tools.js";
import { ADDRESSES, SECRETS } from "./cases.js";
import { compare, inTurn, type Measured, measured } from "./measure.js";
import { peerHandler } from "./peers/handlers.js";

// Measures the engine per request, and the handlers of the tools: `npm run check -- bench/engine --rounds 50`. No connection is
// involved. Encoding and decoding are compared with protobuf-es in the same run.

/** A request to measure, and the response message of its handler. */
interface Request {
  readonly httpMethod: string;
  readonly target: string;
  readonly contentType?: string;
  readonly body?: Uint8Array;
  readonly response: MessageInitShape<DescMessage>;
}

const REAL_METHODS: readonly DescMethodUnary[] = [OtpService, GeoIpService, EmailService].flatMap(
  ({ methods }) => methods as readonly DescMethodUnary[],
);
/** Options with which protobuf-es writes the same JSON as the engine. */
const ALL_FIELDS = { alwaysEmitImplicit: true } as const;

const METADATA = {
  location: { country: "US", eu: false },
  asn: 15169,
  asnName: "Google LLC",
  coords: { lat: 37.422, lon: -122.085 },
  ip: "8.8.8.8",
  subnet: "8.8.8.0/24",
};
const CODES = { next: "123456", current: "234567", previous: "345678", secondPrevious: "456789" };
const OTP = { algorithm: "SHA1", digits: 6, period: 30, secret: "JBSWY3DPEHPK3PXP", type: "totp" };
const post = (target: string, type: string, body: string, response: Request["response"]): Request => ({
  httpMethod: "POST",
  target,
  contentType: `application/${type}`,
  body: Buffer.from(body),
  response,
});

const REAL_REQUESTS: Readonly<Record<string, Request>> = {
  "GET geoIp": {
    httpMethod: "GET",
    target: "/v1/geoIp?ip_address=8.8.8.8",
    response: { ip: "8.8.8.8", metadata: METADATA } satisfies MessageInitShape<typeof LookupIpResponseSchema>,
  },
  "POST otp, JSON": post(
    "/v1/otp",
    "json",
    '{"type":"time_based","action":"verify","secret":"JBSWY3DPEHPK3PXP","digits":6}',
    { ...OTP, otpCodes: CODES } satisfies MessageInitShape<typeof VerifyOtpResponseSchema>,
  ),
  "POST sanitizeEmail, form": post(
    "/v1/sanitizeEmail",
    "x-www-form-urlencoded",
    "email=Jane.Doe%2Bnews%40GoogleMail.com",
    { email: "janedoe@gmail.com" },
  ),
};

const options = { unknownParameters: "reject", registry: createRegistry(file_library_v1_library) } as const;
const real = createRouteTable(REAL_METHODS, options);

const binaryReaders = createBinaryReaders();
const binaryWriters = createBinaryWriters();
const GRPC_PREFIX_BYTES = 5;
const NO_BODY = Buffer.alloc(0);

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
  const { contentType, body = NO_BODY } = request;
  return findRoute(routes, request).bind({ contentType, contentEncoding: undefined, body });
}

/** Encodes the response only, in JSON and binary: with the engine, with protobuf-es, and plain JSON with JSON.stringify. */
function encoding(request: Request): Measured[] {
  const { response } = request;
  const { method, encode } = bind(real, request);
  const { output } = method;
  const message = create(output, response);
  const json = toJson(output, message, ALL_FIELDS);
  const write = binaryWriters.ofMessage(output);
  return [
    measured("encode", () => encode(response)),
    measured("toJson, JSON.stringify", () => JSON.stringify(toJson(output, message, ALL_FIELDS))),
    measured("JSON.stringify alone", () => JSON.stringify(json)),
    measured("binary", () => write(response, GRPC_PREFIX_BYTES)),
    measured("toBinary, create", () => toBinary(output, create(output, response))),
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

for (const [name, request] of Object.entries(REAL_REQUESTS)) {
  compare(name, [
    measured("match", () => findRoute(real, request)),
    measured("match and bind", () => bind(real, request)),
    measured("match, bind and encode", () => bind(real, request).encode(request.response)),
    ...encoding(request),
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
  const request = { httpMethod: "GET", target, response: book };
  const functions = sizes.flatMap(({ count, routes }) => [
    measured(`match, ${count} routes`, () => findRoute(routes, request)),
    measured(`all of it, ${count} routes`, () => bind(routes, request).encode(book)),
  ]);
  compare(`GET ${target}`, functions);
}

const tools = await releaseTools({ now: Date.now, randomBytes });
const lookUp = peerHandler(tools, GeoIpService.method.lookupIp);
const isFound = (ipAddress: string): boolean => {
  try {
    lookUp({ ipAddress, view: LookupView.BASIC });
    return true;
  } catch {
    return false;
  }
};
const found = ADDRESSES.filter(isFound);
const verifyOtp = peerHandler(tools, OtpService.method.verifyOtp);
const sanitize = peerHandler(tools, EmailService.method.sanitizeEmail);
compare("Handlers of the tools", [
  inTurn("LookupIp, random addresses", found, (ipAddress) => lookUp({ ipAddress, view: LookupView.BASIC })),
  inTurn("LookupIp, 100 addresses", found.slice(0, 100), (ipAddress) =>
    lookUp({ ipAddress, view: LookupView.BASIC }),
  ),
  inTurn("VerifyOtp", SECRETS, (secret) => verifyOtp({ secret })),
  inTurn("SanitizeEmail", ["First.Last+news@Googlemail.com"], (email) => sanitize({ email })),
]);
