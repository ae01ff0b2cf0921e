import { create, type DescMethodUnary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { methodPath } from "connect-transcoding";
import { encodeHttp1 } from "connect-transcoding-testing/load/http1.js";
import { grpcFrame, type LoadRequest } from "connect-transcoding-testing/load/workload.js";
import { type Random, randomAddress, randomSecret } from "connect-transcoding-testing/random.js";

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
const { lookupIp } = GeoIpService.method;
const { sanitizeEmail } = EmailService.method;
const [OTP, SANITIZE] = ["/v1/otp", "/v1/sanitizeEmail"];

/** The body of a request: JSON, or the text of a form. */
type Body = object | string | undefined;
type Kinds<T> = readonly (readonly [share: number, make: (random: Random) => T])[];

/**
 * Requests over HTTP/1.1 with their share in percent, path, body and expected statuses: all tools over REST and Connect, some invalid. Slow
 * ones are rare.
 */
const TEXTS: Kinds<readonly [path: string, body: Body, ...statuses: number[]]> = [
  [58, (random) => [lookupPath(random), undefined, 200, 404]],
  [10, (random) => [methodPath(lookupIp), { ip_address: randomAddress(random) }, 200, 404]],
  [6, (random) => [OTP, { type: "time_based", action: "verify", secret: randomSecret(random) }, 200]],
  [3, (random) => [OTP, { type: "time_based", action: "generate", label: randomEmail(random) }, 200]],
  [2, () => [OTP, { type: "time_based", action: "verify", secret: "not base32!", digits: 7 }, 400]],
  [5, (random) => [SANITIZE, `email=${encodeURIComponent(randomEmail(random))}`, 200]],
  [4, (random) => [SANITIZE, { email: randomEmail(random) }, 200]],
  [3, () => ["/v1/countries?country=FR", undefined, 200]],
  [1, () => ["/v1/countries", undefined, 200]],
  [1, (random) => [`/v1/barcode?type=qr_code&data=${randomSecret(random)}`, undefined, 200]],
  [2, (random) => [`/v1/${randomSecret(random)}`, undefined, 404]],
  [1, () => [OTP, undefined, 405]],
  [1, (random) => [`/v1/geoIp?ip_address=8.8.8.8&${randomSecret(random)}=1`, undefined, 400]],
  [2, () => [SANITIZE, "nothing=1", 400]],
  [1, () => [methodPath(sanitizeEmail), { email: 1 }, 400]],
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
export function textRequests(random: Random, count: number): TextRequest[] {
  return draw(TEXTS, random, count).map(([path, body, ...statuses]) => {
    const coding = random.pick(["identity", "gzip", "br", "gzip, deflate, br"]);
    const type = typeof body === "string" ? "application/x-www-form-urlencoded" : "application/json";
    const { requests } = encodeHttp1({
      http: 1,
      grpc: false,
      method: body === undefined ? "GET" : "POST",
      authority: random.oneIn(20) ? `host-${random.below(1e9)}.test` : "utility-tools.test",
      headers: body === undefined ? [["accept-encoding", coding]] : [["content-type", type]],
      requests: [{ path, body: Buffer.from(typeof body === "object" ? JSON.stringify(body) : (body ?? "")) }],
    });
    return { bytes: requests[0] ?? Buffer.alloc(0), statuses };
  });
}

/** Returns gRPC calls. */
export const callRequests = (random: Random, count: number) => draw(CALLS, random, count);

/** Returns the path of a look-up of a random address. */
export const lookupPath = (random: Random) => `/v1/geoIp?ip_address=${randomAddress(random)}`;

function draw<T>(kinds: Kinds<T>, random: Random, count: number): T[] {
  const drawn = kinds.flatMap(([share, make]) => Array<typeof make>(share).fill(make));
  return Array.from({ length: count }, () => random.pick(drawn)(random));
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
