import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { toJson } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { GeoIpService, LookupIpResponseSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { KeptAnswer, RpcError } from "connect-transcoding";
import { describe, expect, it } from "vitest";
import { answerOf, callUnary } from "../../../packages/connect-transcoding/test/node/call.js";
import type { GeoIpDatabases } from "../../../src/tools/geoip/geoip-databases.js";
import { geoIpService } from "../../../src/tools/geoip/geoip-service.js";
import { databases } from "./test-databases.js";

const DATABASES = databases(
  { "8.8.8.0/24": { country_code: "US", latitude: 37.422, longitude: -122.085 }, "2600::/12": {} },
  {
    "8.8.8.0/24": { autonomous_system_number: 15169, autonomous_system_organization: "Google LLC" },
    "2a00::/32": { autonomous_system_number: 4_294_967_295 },
  },
);
const service = geoIpService({ databases: () => DATABASES });

/** The garbage collector, which runs when it is called. */
function exposedGc(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}

async function lookup(ipAddress: string): Promise<unknown> {
  const response = await callUnary(service, GeoIpService.method.lookupIp, { ipAddress });
  return toJson(LookupIpResponseSchema, response, { alwaysEmitImplicit: true });
}

async function failure(ipAddress: string): Promise<RpcError> {
  const error = await lookup(ipAddress).catch((thrown: unknown) => thrown);
  if (!(error instanceof RpcError)) {
    throw new Error(`${ipAddress} did not fail as expected`);
  }
  return error;
}

describe("an answer", () => {
  const raw = (ipAddress: string) => answerOf(service, GeoIpService.method.lookupIp, { ipAddress });

  it("is kept from the second time on, by the spelling of its address", async () => {
    const first = await raw("8.8.8.7");
    expect(first).not.toBeInstanceOf(KeptAnswer);
    const second = await raw("8.8.8.7");
    expect(second).toBeInstanceOf(KeptAnswer);
    expect(second).toHaveProperty("message", first);
    expect(await raw("8.8.8.7")).toBe(second);
    expect(await raw("::ffff:8.8.8.7")).not.toBeInstanceOf(KeptAnswer);
    expect(await raw("::ffff:8.8.8.7")).toHaveProperty("message", first);
  });

  it("cannot be changed", async () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== "object" ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(await raw("8.8.8.6"))).toBe(true);
  });

  it("is forgotten when many others were given since", async () => {
    await raw("8.8.8.5");
    const kept = await raw("8.8.8.5");
    for (let index = 0; index < 5000; index++) {
      await raw(`2a00::${index.toString(16)}`);
    }
    const again = await raw("8.8.8.5");
    expect(again).not.toBeInstanceOf(KeptAnswer);
    expect(kept).toHaveProperty("message", again);
  });

  it("is a failure as often as it is one", async () => {
    expect(await failure("10.0.0.1")).toMatchObject({ reason: "RESERVED_ADDRESS" });
    expect(await failure("10.0.0.1")).toMatchObject({ reason: "RESERVED_ADDRESS" });
  });
});

describe("LookupIp", () => {
  it.each(["8.8.8.8", "::ffff:8.8.8.8"])("answers for %s", async (ipAddress) => {
    expect(await lookup(ipAddress)).toEqual({
      ip: "8.8.8.8",
      metadata: {
        location: { country: "US", eu: false },
        asn: 15169,
        asn_name: "Google LLC",
        coords: { lat: 37.422, lon: -122.085 },
        ip: "8.8.8.8",
        subnet: "8.8.8.0/24",
      },
    });
  });

  it("has every field also where nothing is known for it", async () => {
    expect(await lookup("2a00:0:0:0::1")).toEqual({
      ip: "2a00::1",
      metadata: {
        location: { country: "", eu: false },
        asn: 4_294_967_295,
        asn_name: "",
        coords: { lat: 0, lon: 0 },
        ip: "2a00::1",
        subnet: "2a00::/32",
      },
    });
  });

  it.each([
    ["", "REQUIRED"],
    ["8.8.8.0/24", "IP_PREFIX_NOT_ALLOWED"],
    ["fe80::1%eth0", "IP_ZONE_NOT_ALLOWED"],
    ["999.1.1.1", "INVALID_IP_ADDRESS"],
    ["example.com", "INVALID_IP_ADDRESS"],
  ])("refuses %j: %s", async (ipAddress, reason) => {
    const { code, reason: outer, violations } = await failure(ipAddress);
    expect([code, outer]).toEqual([Code.InvalidArgument, "INVALID_PARAMETERS"]);
    expect(violations).toEqual([{ field: "ip_address", reason, description: expect.any(String) }]);
  });

  it("does not find a special-purpose address, and names its range", async () => {
    expect(await failure("::ffff:127.0.0.1")).toMatchObject({
      code: Code.NotFound,
      reason: "RESERVED_ADDRESS",
      message: "127.0.0.1 is a special-purpose address: Loopback (127.0.0.0/8, RFC 1122, section 3.2.1.3).",
      metadata: { range: "Loopback", block: "127.0.0.0/8" },
    });
  });

  it.each(["9.9.9.9", "2600::1"])("does not find %s, of which nothing is known", async (ipAddress) => {
    expect(await failure(ipAddress)).toMatchObject({
      code: Code.NotFound,
      reason: "ADDRESS_NOT_FOUND",
      message: `Nothing is known of ${ipAddress}.`,
      metadata: {},
    });
  });
});

describe("databases", () => {
  const { lookupIp } = GeoIpService.method;
  const asn = { "8.8.8.0/24": { autonomous_system_number: 15169 } };
  const of = (country: string) => databases({ "8.8.8.0/24": { country_code: country } }, asn);
  let current: GeoIpDatabases | undefined;
  const following = geoIpService({ databases: () => current });
  const country = async () => {
    const { metadata } = await callUnary(following, lookupIp, { ipAddress: "8.8.8.8" });
    return metadata?.location?.country;
  };

  it("that come give other answers at once, also to what was asked for before", async () => {
    current = of("AA");
    expect([await country(), await country()]).toEqual(["AA", "AA"]);
    current = of("BB");
    expect([await country(), await country()]).toEqual(["BB", "BB"]);
  });

  it("that are gone are let go, with the answers that came from them", async () => {
    const collectGarbage = exposedGc();
    current = of("AA");
    const old = new WeakRef(current);
    await country();
    await country();
    current = of("BB");
    // A reference that was made or followed lasts until the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(old.deref()).toBeUndefined();
  });

  it("that are not there are UNAVAILABLE, and an address that is none is still the caller's fault", async () => {
    current = undefined;
    await expect(country()).rejects.toMatchObject({ code: Code.Unavailable, reason: "DATA_UNAVAILABLE" });
    const wrong = callUnary(following, lookupIp, { ipAddress: "x" });
    await expect(wrong).rejects.toMatchObject({ code: Code.InvalidArgument });
    current = of("CC");
    expect(await country()).toBe("CC");
  });
});

describe("LookupSelf", () => {
  const lookupSelf = (callerAddress: string) =>
    callUnary(service, GeoIpService.method.lookupSelf, {}, { callerAddress });

  it.each(["8.8.8.8", "::ffff:8.8.8.8"])("answers a caller at %s", async (callerAddress) => {
    expect(await lookupSelf(callerAddress)).toMatchObject({ ip: "8.8.8.8", metadata: { asn: 15169 } });
  });

  it.each([
    ["127.0.0.1", "Loopback"],
    // The system adds the interface that a link-local caller came through.
    ["fe80::1%eth0", "Link-Local Unicast"],
  ])("tells a caller at %s that the address is special: %s", async (callerAddress, range) => {
    await expect(lookupSelf(callerAddress)).rejects.toMatchObject({
      code: Code.NotFound,
      reason: "RESERVED_ADDRESS",
      metadata: { range },
    });
  });
});

describe("BatchLookupIps", () => {
  const batch = (ipAddresses: string[], from = service) =>
    callUnary(from, GeoIpService.method.batchLookupIps, { ipAddresses });

  it("answers each by itself, in order, as LookupIp does", async () => {
    const { results } = await batch(["8.8.8.8", "10.0.0.1", "x", "2001:db8::1", "3000::1", "8.8.8.8"]);
    const answer = await callUnary(service, GeoIpService.method.lookupIp, { ipAddress: "8.8.8.8" });
    expect(results[0]).toMatchObject({ input: "8.8.8.8", outcome: { case: "answer", value: answer } });
    expect(results[5]).toEqual(results[0]);
    expect(results.slice(1, 5).map(({ input, outcome }) => [input, outcome.case, outcome.value])).toEqual([
      [
        "10.0.0.1",
        "error",
        expect.objectContaining({
          code: Code.NotFound,
          reason: "RESERVED_ADDRESS",
          metadata: { range: "Private-Use", block: "10.0.0.0/8", reference: "RFC 1918" },
        }),
      ],
      [
        "x",
        "error",
        expect.objectContaining({ code: Code.InvalidArgument, reason: "INVALID_IP_ADDRESS", metadata: {} }),
      ],
      ["2001:db8::1", "error", expect.objectContaining({ code: Code.NotFound, reason: "RESERVED_ADDRESS" })],
      ["3000::1", "error", expect.objectContaining({ code: Code.NotFound, reason: "ADDRESS_NOT_FOUND" })],
    ]);
  });

  it("has the words of LookupIp", async () => {
    const { results } = await batch(["10.0.0.1"]);
    const { message } = await failure("10.0.0.1");
    expect(results[0]?.outcome.value).toMatchObject({ message });
  });

  it("is unavailable as a whole without data", async () => {
    const without = geoIpService({ databases: () => undefined });
    await expect(batch(["8.8.8.8"], without)).rejects.toMatchObject({
      code: Code.Unavailable,
      reason: "DATA_UNAVAILABLE",
    });
  });
});
