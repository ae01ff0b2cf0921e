import { parseArgs } from "node:util";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ConnectError, type MethodImplSpec } from "@connectrpc/connect";
import { SanitizeEmailRequestSchema } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { VerifyOtpRequestSchema } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { collectMethods } from "connect-transcoding";
import type { IpAddress } from "../../src/text/ip-address.js";
import { emailService } from "../../src/tools/email/email-service.js";
import { loadGeoIpDatabases } from "../../src/tools/geoip/load-databases.js";
import { defaultGeoIpPaths, loadGeoIpService } from "../../src/tools/geoip/load-geoip.js";
import { otpService } from "../../src/tools/otp/otp-service.js";
import type { Tool } from "../../src/tools/tool.js";
import { requireData, watchNothing } from "../../test/release-tools.js";
import { drawIpv4, drawIpv6, randomNumbers } from "../../test/tools/geoip/draw-addresses.js";
import { testContext } from "./peers/handlers.js";
import { type Contestant, measure, sink } from "./statistics.js";

// Measures the handlers of the tools: `npm run check -- bench/tools --rounds 50`. It calls them with a message and ends with
// the response message; no protocol is involved. The databases are the installed ones. `--memory` first prints the
// memory that caches take after many lookups.

type UnaryImplementation = Extract<MethodImplSpec, { kind: "unary" }>;

/** The number of different addresses. */
const ADDRESSES = 10_000;

function unary({ routes }: Tool, name: string): UnaryImplementation {
  const spec = collectMethods(routes).find(({ method }) => method.name === name)?.spec;
  if (spec?.kind !== "unary") {
    throw new Error(`no unary ${name}`);
  }
  return spec;
}

/** Calls a handler with the requests in turn. */
function calling<T extends UnaryImplementation["method"]["input"]>(
  name: string,
  { method, impl }: UnaryImplementation,
  schema: T,
  inits: readonly MessageInitShape<T>[],
): Contestant {
  const context = testContext(method);
  const requests = inits.map((init) => create(schema, init));
  let next = 0;
  return {
    name,
    run: (times) => {
      for (let index = 0; index < times; index++) {
        const request = requests[next];
        next = next + 1 === requests.length ? 0 : next + 1;
        if (request !== undefined) {
          sink.last = impl(request, context);
        }
      }
    },
  };
}

const random = randomNumbers(20_260_617n);
const databases = await loadGeoIpDatabases(defaultGeoIpPaths());
if (!databases.ok) {
  throw new Error(databases.failure.description);
}
const randomIpv4 = drawIpv4(random);
const randomIpv6 = drawIpv6(databases.value.asn, random);

/** Draws addresses until enough of them have a result. */
function drawFound(lookupIp: UnaryImplementation, draw: () => IpAddress): { ipAddress: string }[] {
  const context = testContext(lookupIp.method);
  const found: { ipAddress: string }[] = [];
  while (found.length < ADDRESSES) {
    const request = { ipAddress: draw().text };
    try {
      lookupIp.impl(create(LookupIpRequestSchema, request), context);
      found.push(request);
    } catch (error) {
      if (!(error instanceof ConnectError)) {
        throw error;
      }
    }
  }
  return found;
}

async function loadLookupIp(): Promise<UnaryImplementation> {
  const settings = { geoIpCityFiles: undefined, geoIpAsnFiles: undefined, dataDir: "" };
  const geoIp = await loadGeoIpService(settings, [], { watchFiles: watchNothing, report: requireData });
  return unary(geoIp, "LookupIp");
}

/** Prints the heap size after a million lookups per address family, and after a million more. */
function printMemory({ method, impl }: UnaryImplementation): void {
  const context = testContext(method);
  for (const draws of [[], [randomIpv4, randomIpv6], [randomIpv4, randomIpv6]]) {
    for (const draw of draws) {
      for (let count = 0; count < 1_000_000; count++) {
        try {
          sink.last = impl(create(LookupIpRequestSchema, { ipAddress: draw().text }), context);
        } catch (error) {
          sink.last = error;
        }
      }
    }
    globalThis.gc?.();
    const heap = (process.memoryUsage().heapUsed / 2 ** 20).toFixed(1);
    console.log(`${draws.length} million random addresses more: ${heap} MiB on the heap`);
  }
}

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "30" }, memory: { type: "boolean", default: false } },
});
const rounds = Number(values.rounds);
const lookupIp = await loadLookupIp();

if (values.memory) {
  printMemory(lookupIp);
}

const verifyOtp = unary(
  otpService({ now: () => 1_111_111_109_000, randomBytes: (size) => new Uint8Array(size), maxUrlLength: 1 }),
  "VerifyOtp",
);
const sanitizeEmail = unary(emailService(), "SanitizeEmail");

const contestants = [
  calling("LookupIp, random IPv4", lookupIp, LookupIpRequestSchema, drawFound(lookupIp, randomIpv4)),
  calling("LookupIp, random IPv6", lookupIp, LookupIpRequestSchema, drawFound(lookupIp, randomIpv6)),
  calling("LookupIp, 8.8.8.8", lookupIp, LookupIpRequestSchema, [{ ipAddress: "8.8.8.8" }]),
  calling("LookupIp, 2001:4860:4860::8888", lookupIp, LookupIpRequestSchema, [
    { ipAddress: "2001:4860:4860::8888" },
  ]),
  calling("VerifyOtp", verifyOtp, VerifyOtpRequestSchema, [
    { secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", digits: 6 },
  ]),
  calling("SanitizeEmail", sanitizeEmail, SanitizeEmailRequestSchema, [
    { email: "First.Last+news@Googlemail.com" },
  ]),
];

console.log(
  `Node ${process.version}; median of ${rounds} rounds, and the middle half of them, for one request`,
);
for (const { name, median, quartiles } of measure(contestants, rounds)) {
  const [low, high] = quartiles.map((each) => Math.round(each).toLocaleString("en"));
  console.log(
    `  ${name.padEnd(32)} ${Math.round(median).toLocaleString("en").padStart(8)} ns  (${low} to ${high})`,
  );
}
