import { Agent } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { parseArgs } from "node:util";
import { create, type DescMethodUnary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { createRandom, type Random, randomAddress, randomSecret } from "../fuzz/random.js";
import { askHttp, grpcFrame, type HttpRequest } from "./requests.js";
import { OURS, startProcess } from "./server-process.js";
import { slope } from "./statistics.js";

// Checks whether the memory of the service keeps growing under all kinds of requests:
// `npm run check -- bench/memory --count 100000`.

/** A request with the expected HTTP or gRPC statuses. */
export type MixedRequest =
  | ({ readonly protocol: "http"; readonly statuses: readonly number[] } & HttpRequest)
  | {
      readonly protocol: "grpc";
      readonly statuses: readonly number[];
      readonly host: string;
      readonly path: string;
      readonly message: Uint8Array;
    };

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const OK = 0;
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const { lookupIp } = GeoIpService.method;
const { sanitizeEmail } = EmailService.method;

/** The kinds of requests with their share in percent. Slow ones are rare, to limit the duration of a run. */
const KINDS: readonly (readonly [share: number, make: (random: Random) => MixedRequest])[] = [
  [42, (random) => get(random, `/v1/geoIp?ip_address=${randomAddress(random)}`, 200, 404)],
  [8, (random) => connect(random, lookupIp, { ip_address: randomAddress(random) }, 200, 404)],
  [15, (random) => grpc(random, lookupIp, { ipAddress: randomAddress(random) }, OK, NOT_FOUND)],
  [3, (random) => grpc(random, OtpService.method.verifyOtp, { secret: randomSecret(random) }, OK)],
  [2, (random) => grpc(random, sanitizeEmail, { email: randomEmail(random) }, OK)],
  [2, (random) => grpc(random, lookupIp, { ipAddress: "10.0.0.0/8" }, INVALID_ARGUMENT)],
  [5, (random) => otp(random, { action: "verify", secret: randomSecret(random) }, 200)],
  [3, (random) => otp(random, { action: "generate", label: randomEmail(random), issuer: "Bench" }, 200)],
  [2, (random) => otp(random, { action: "verify", secret: "not base32!", digits: 7 }, 400)],
  [4, (random) => sanitize(random, FORM, `email=${encodeURIComponent(randomEmail(random))}`, 200)],
  [3, (random) => sanitize(random, JSON_TYPE, JSON.stringify({ email: randomEmail(random) }), 200)],
  [2, (random) => get(random, "/v1/countries?country=FR", 200)],
  [1, (random) => get(random, "/v1/countries", 200)],
  [1, (random) => get(random, `/v1/barcode?type=qr_code&data=${randomSecret(random)}`, 200)],
  [1, (random) => grpc(random, BarcodeService.method.renderBarcode, { data: randomSecret(random) }, OK)],
  [1, (random) => grpc(random, CountriesService.method.getCountry, { country: "ZZ" }, NOT_FOUND)],
  [1, (random) => get(random, `/v1/${randomSecret(random)}`, 404)],
  [1, (random) => get(random, "/v1/otp", 405)],
  [1, (random) => get(random, `/v1/geoIp?ip_address=8.8.8.8&${randomSecret(random)}=1`, 400)],
  [1, (random) => sanitize(random, JSON_TYPE, '{"email":', 400)],
  [1, (random) => connect(random, sanitizeEmail, { email: 1 }, 400)],
];

/** Each kind repeated by its share. */
const DRAWN = KINDS.flatMap(([share, make]) => Array.from({ length: share }, () => make));

/**
 * Returns the next request: any tool over any protocol, some invalid. Addresses, secrets and e-mail addresses are
 * rarely repeated, and one host name in twenty is new, so that anything cached per value would grow.
 */
export function mixedRequest(random: Random): MixedRequest {
  const make = DRAWN[random.below(DRAWN.length)] ?? KINDS[0]?.[1];
  if (make === undefined) {
    throw new Error("the mix is empty");
  }
  return make(random);
}

function get(random: Random, path: string, ...statuses: number[]): MixedRequest {
  const coding = random.pick(["identity", "gzip", "br", "gzip, deflate, br"]);
  const headers = { host: randomHost(random), "accept-encoding": coding };
  return { protocol: "http", statuses, method: "GET", path, headers, body: "" };
}

function post(random: Random, path: string, type: string, body: string, statuses: number[]): MixedRequest {
  const headers = { host: randomHost(random), "content-type": type };
  return { protocol: "http", statuses, method: "POST", path, headers, body };
}

function otp(random: Random, body: object, ...statuses: number[]): MixedRequest {
  return post(random, "/v1/otp", JSON_TYPE, JSON.stringify({ type: "time_based", ...body }), statuses);
}

function sanitize(random: Random, type: string, body: string, ...statuses: number[]): MixedRequest {
  return post(random, "/v1/sanitizeEmail", type, body, statuses);
}

function connect(random: Random, method: DescMethodUnary, body: object, ...statuses: number[]): MixedRequest {
  return post(random, pathOf(method), JSON_TYPE, JSON.stringify(body), statuses);
}

function grpc<M extends DescMethodUnary>(
  random: Random,
  method: M,
  request: MessageInitShape<M["input"]>,
  ...statuses: number[]
): MixedRequest {
  const message = toBinary(method.input, create(method.input, request));
  return { protocol: "grpc", statuses, host: randomHost(random), path: pathOf(method), message };
}

function pathOf({ parent, name }: DescMethodUnary): string {
  return `/${parent.typeName}/${name}`;
}

function randomEmail({ below, pick }: Random): string {
  return `Jane.${below(1e9)}+news@${pick(["GoogleMail.com", "example.com", "münchen.de"])}`;
}

function randomHost({ below, oneIn, pick }: Random): string {
  return oneIn(20) ? `host-${below(1e9)}.test` : pick(["utility-tools.test", "127.0.0.1:8080", "localhost"]);
}

const { values } = parseArgs({ options: { count: { type: "string", default: "1000000" } } });
const count = Number(values.count);

/** Concurrent requests. */
const WORKERS = 32;

/** Requests between two samples. A run has at least twenty samples. */
const INTERVAL = Math.min(50_000, Math.ceil(count / 20));

async function main(): Promise<void> {
  const server = await startProcess(OURS);
  const agent = new Agent({ keepAlive: true, maxSockets: WORKERS });
  const session = connectHttp2(server.url);
  const random = createRandom(1);
  const unexpected = new Map<string, number>();
  const samples: [requests: number, mebibytes: number][] = [[0, server.residentMemory()]];
  let sent = 0;
  let completed = 0;

  const work = async (): Promise<void> => {
    while (sent < count) {
      sent++;
      const request = mixedRequest(random);
      const status =
        request.protocol === "http"
          ? (await askHttp(server.url, request, agent)).status
          : await grpcStatus(session, request);
      if (!request.statuses.includes(status)) {
        const description = `${status} for ${request.path.split("?", 1)[0]}`;
        unexpected.set(description, (unexpected.get(description) ?? 0) + 1);
      }
      completed++;
      if (completed % INTERVAL === 0) {
        samples.push([completed, server.residentMemory()]);
        console.log(sampleLine(samples.at(-1)));
      }
    }
  };

  console.log(`Node ${process.version}`);
  console.log(sampleLine(samples[0]));
  try {
    await Promise.all(Array.from({ length: WORKERS }, work));
  } finally {
    session.close();
    agent.destroy();
    await server.stop();
  }
  const lastHalf = samples.filter(([requests]) => requests * 2 >= count);
  console.log(`most: ${Math.max(...samples.map(([, mebibytes]) => mebibytes)).toFixed(0)} MiB`);
  console.log(
    `over the last half it grows by ${(slope(lastHalf) * 1e5).toFixed(2)} MiB for 100,000 requests`,
  );
  for (const [description, times] of unexpected) {
    console.error(`unexpected, ${times} times: status ${description}`);
    process.exitCode = 1;
  }
}

function sampleLine([requests, mebibytes] = [0, 0]): string {
  return `${requests.toLocaleString("en").padStart(9)} requests  ${mebibytes.toFixed(0).padStart(5)} MiB`;
}

type GrpcRequest = Extract<MixedRequest, { protocol: "grpc" }>;

/** Makes a call and resolves to its status, which is in the headers if there is no message. */
function grpcStatus(session: ClientHttp2Session, { host, path, message }: GrpcRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      ":authority": host,
      "content-type": "application/grpc",
      te: "trailers",
    });
    let status = Number.NaN;
    const note = (headers: { "grpc-status"?: unknown }) => {
      status = Number(headers["grpc-status"] ?? status);
    };
    stream.on("response", note);
    stream.on("trailers", note);
    stream.on("error", reject);
    stream.on("close", () => resolve(status));
    stream.resume();
    stream.end(grpcFrame(message));
  });
}

await main();
