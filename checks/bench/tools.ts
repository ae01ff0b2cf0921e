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
import { compare, inTurn, type Measured, WITH_MEMORY } from "./measure.js";
import { testContext } from "./peers/handlers.js";

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
): Measured {
  const context = testContext(method);
  const requests = inits.map((init) => create(schema, init));
  return inTurn(name, requests, (request) => impl(request, context));
}

const random = randomNumbers(20_260_617n);
const databases = await loadGeoIpDatabases(defaultGeoIpPaths());
if (!databases.ok) {
  throw new Error(databases.failure.description);
}
const randomIpv4 = drawIpv4(random);
const randomIpv6 = drawIpv6(databases.value.asn, random);

/** Whether an address has a result. */
function lookUp({ method, impl }: UnaryImplementation, ipAddress: string): boolean {
  try {
    impl(create(LookupIpRequestSchema, { ipAddress }), testContext(method));
    return true;
  } catch (error) {
    if (error instanceof ConnectError) {
      return false;
    }
    throw error;
  }
}

/** Draws addresses until enough of them have a result. */
function drawFound(lookupIp: UnaryImplementation, draw: () => IpAddress): { ipAddress: string }[] {
  const found: { ipAddress: string }[] = [];
  while (found.length < ADDRESSES) {
    const ipAddress = draw().text;
    found.push(...(lookUp(lookupIp, ipAddress) ? [{ ipAddress }] : []));
  }
  return found;
}

async function loadLookupIp(): Promise<UnaryImplementation> {
  const settings = { geoIpCityFiles: undefined, geoIpAsnFiles: undefined, dataDir: "" };
  const geoIp = await loadGeoIpService(settings, [], { watchFiles: watchNothing, report: requireData });
  return unary(geoIp, "LookupIp");
}

/** Prints the heap size after a million lookups per address family, and after a million more. */
function printMemory(lookupIp: UnaryImplementation): void {
  for (const draws of [[], [randomIpv4, randomIpv6], [randomIpv4, randomIpv6]]) {
    for (const draw of draws) {
      for (let count = 0; count < 1_000_000; count++) {
        lookUp(lookupIp, draw().text);
      }
    }
    globalThis.gc?.();
    const heap = (process.memoryUsage().heapUsed / 2 ** 20).toFixed(1);
    console.log(`${draws.length} million random addresses more: ${heap} MiB on the heap`);
  }
}

const lookupIp = await loadLookupIp();
if (WITH_MEMORY) {
  printMemory(lookupIp);
}

const verifyOtp = unary(
  otpService({ now: () => 1_111_111_109_000, randomBytes: (size) => new Uint8Array(size), maxUrlLength: 1 }),
  "VerifyOtp",
);
const sanitizeEmail = unary(emailService(), "SanitizeEmail");

compare("Handlers", [
  calling("LookupIp, random IPv4", lookupIp, LookupIpRequestSchema, drawFound(lookupIp, randomIpv4)),
  calling("LookupIp, random IPv6", lookupIp, LookupIpRequestSchema, drawFound(lookupIp, randomIpv6)),
  calling("LookupIp, 8.8.8.8", lookupIp, LookupIpRequestSchema, [{ ipAddress: "8.8.8.8" }]),
  calling("VerifyOtp", verifyOtp, VerifyOtpRequestSchema, [{ secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" }]),
  calling("SanitizeEmail", sanitizeEmail, SanitizeEmailRequestSchema, [
    { email: "First.Last+news@Googlemail.com" },
  ]),
]);
