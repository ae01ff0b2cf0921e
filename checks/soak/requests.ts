import { create, type DescMethodUnary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { methodPath } from "connect-transcoding";
import { encodeHttp1 } from "../lib/load/http1.js";
import { grpcFrame, type LoadRequest } from "../lib/load/workload.js";
import { type Random, randomAddress, randomSecret } from "../lib/random.js";

// Addresses, secrets and e-mail addresses are rarely repeated, and one host name in twenty is new, so that anything cached per value
// would grow.

/** A request of HTTP/1.1 with the expected statuses. */
export interface TextRequest {
  readonly bytes: Buffer;
  readonly statuses: readonly number[];
}

/** A gRPC call with the expected values of `grpc-status`. */
export interface CallRequest extends LoadRequest {
  readonly statuses: readonly number[];
}

const [OK, INVALID_ARGUMENT, NOT_FOUND] = [0, 3, 5];
const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const { lookupIp } = GeoIpService.method;
const { sanitizeEmail } = EmailService.method;

type Kinds<T> = readonly (readonly [share: number, make: (random: Random) => T])[];

/** Requests over HTTP/1.1 with their share in percent: all tools over REST and Connect, some invalid. Slow ones are rare. */
const TEXTS: Kinds<TextRequest> = [
  [58, (random) => get(random, lookupPath(random), 200, 404)],
  [10, (random) => post(random, methodPath(lookupIp), { ip_address: randomAddress(random) }, 200, 404)],
  [6, (random) => otp(random, { action: "verify", secret: randomSecret(random) }, 200)],
  [3, (random) => otp(random, { action: "generate", label: randomEmail(random), issuer: "Soak" }, 200)],
  [2, (random) => otp(random, { action: "verify", secret: "not base32!", digits: 7 }, 400)],
  [5, (random) => sanitize(random, FORM, `email=${encodeURIComponent(randomEmail(random))}`, 200)],
  [4, (random) => sanitize(random, JSON_TYPE, JSON.stringify({ email: randomEmail(random) }), 200)],
  [3, (random) => get(random, "/v1/countries?country=FR", 200)],
  [1, (random) => get(random, "/v1/countries", 200)],
  [1, (random) => get(random, `/v1/barcode?type=qr_code&data=${randomSecret(random)}`, 200)],
  [2, (random) => get(random, `/v1/${randomSecret(random)}`, 404)],
  [1, (random) => get(random, "/v1/otp", 405)],
  [1, (random) => get(random, `/v1/geoIp?ip_address=8.8.8.8&${randomSecret(random)}=1`, 400)],
  [2, (random) => sanitize(random, JSON_TYPE, '{"email":', 400)],
  [1, (random) => post(random, methodPath(sanitizeEmail), { email: 1 }, 400)],
];

/** gRPC calls with their share in percent. */
const CALLS: Kinds<CallRequest> = [
  [60, (random) => call(lookupIp, { ipAddress: randomAddress(random) }, OK, NOT_FOUND)],
  [15, (random) => call(OtpService.method.verifyOtp, { secret: randomSecret(random) }, OK)],
  [9, (random) => call(sanitizeEmail, { email: randomEmail(random) }, OK)],
  [8, () => call(lookupIp, { ipAddress: "10.0.0.0/8" }, INVALID_ARGUMENT)],
  [4, (random) => call(BarcodeService.method.renderBarcode, { data: randomSecret(random) }, OK)],
  [4, () => call(CountriesService.method.getCountry, { country: "ZZ" }, NOT_FOUND)],
];

/** Returns requests of HTTP/1.1. */
export const textRequests = (random: Random, count: number) => draw(TEXTS, random, count);
/** Returns gRPC calls. */
export const callRequests = (random: Random, count: number) => draw(CALLS, random, count);

/** Returns the path of a look-up of a random address. */
export function lookupPath(random: Random): string {
  return `/v1/geoIp?ip_address=${randomAddress(random)}`;
}

function draw<T>(kinds: Kinds<T>, random: Random, count: number): T[] {
  const drawn = kinds.flatMap(([share, make]) => Array<typeof make>(share).fill(make));
  return Array.from({ length: count }, () => random.pick(drawn)(random));
}

function text(
  random: Random,
  path: string,
  type: string,
  body: string | undefined,
  statuses: number[],
): TextRequest {
  const authority = random.oneIn(20)
    ? `host-${random.below(1e9)}.test`
    : random.pick(["utility-tools.test", "127.0.0.1:8080", "localhost"]);
  const coding = random.pick(["identity", "gzip", "br", "gzip, deflate, br"]);
  const { requests } = encodeHttp1({
    http: 1,
    grpc: false,
    method: body === undefined ? "GET" : "POST",
    authority,
    headers: body === undefined ? [["accept-encoding", coding]] : [["content-type", type]],
    requests: [{ path, body: Buffer.from(body ?? "") }],
  });
  return { bytes: requests[0] ?? Buffer.alloc(0), statuses };
}

function get(random: Random, path: string, ...statuses: number[]): TextRequest {
  return text(random, path, "", undefined, statuses);
}

function post(random: Random, path: string, body: object, ...statuses: number[]): TextRequest {
  return text(random, path, JSON_TYPE, JSON.stringify(body), statuses);
}

function otp(random: Random, body: object, status: number): TextRequest {
  return post(random, "/v1/otp", { type: "time_based", ...body }, status);
}

function sanitize(random: Random, type: string, body: string, status: number): TextRequest {
  return text(random, "/v1/sanitizeEmail", type, body, [status]);
}

function call<M extends DescMethodUnary>(
  method: M,
  request: MessageInitShape<M["input"]>,
  ...statuses: number[]
): CallRequest {
  const body = grpcFrame(toBinary(method.input, create(method.input, request)));
  return { path: methodPath(method), body, statuses };
}

function randomEmail({ below, pick }: Random): string {
  return `Jane.${below(1e9)}+news@${pick(["GoogleMail.com", "example.com", "münchen.de"])}`;
}
