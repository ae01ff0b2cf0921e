import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { create, toJson } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import {
  GeoIpService,
  IpDetailsSchema,
  LookupAsnResponseSchema,
  LookupIpResponseSchema,
  LookupView,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { describe, expect, it } from "vitest";
import { memorySource } from "../../../src/tools/geoip/databases/block-source.js";
import { openMmdb } from "../../../src/tools/geoip/databases/mmdb-reader.js";
import { readCountrySources, readLocation } from "../../../src/tools/geoip/databases/records.js";
import { geoIpService } from "../../../src/tools/geoip/geoip-service.js";
import type { GeoIpDatabases } from "../../../src/tools/geoip/lookup-ip.js";
import { type CallError, callHandler, callUnary, errorOf, hasCachedEncodings } from "../call.js";
import { countries as testCountries } from "./test-countries.js";
import { databases, mmdbBytes, REPLACED, replaceRecord, sharedArrays } from "./test-databases.js";

const DATABASES = databases(
  { "8.8.8.0/24": { country_code: "US", latitude: 37.422, longitude: -122.085 }, "2600::/12": {} },
  {
    "8.8.8.0/24": { autonomous_system_number: 15169, autonomous_system_organization: "Google LLC" },
    "2a00::/32": { autonomous_system_number: 4_199_999_999 },
  },
);
/** The fixed time of the tests, in summer. */
const NOW = Date.UTC(2026, 6, 1);
const countries = async () => ({ ok: true, value: testCountries }) as const;
const service = geoIpService({ databases: () => DATABASES, countries, now: () => NOW });

/** Returns a function that runs the garbage collector. */
function exposedGc(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}

async function lookup(ipAddress: string): Promise<unknown> {
  const response = await callUnary(service, GeoIpService.method.lookupIp, { ipAddress });
  return toJson(LookupIpResponseSchema, response, { alwaysEmitImplicit: true });
}

const failure = (ipAddress: string): Promise<CallError> => errorOf(lookup(ipAddress));

describe("a response", () => {
  const raw = (ipAddress: string) => callHandler(service, GeoIpService.method.lookupIp, { ipAddress });

  it("is kept with its encodings from its second use on, by the spelling of the address", async () => {
    const first = await raw("8.8.8.7");
    expect(hasCachedEncodings(first)).toBe(false);
    const second = await raw("8.8.8.7");
    expect(second).not.toBe(first);
    expect(second).toEqual(first);
    expect(hasCachedEncodings(second)).toBe(true);
    expect(await raw("8.8.8.7")).toBe(second);
    const mapped = await raw("::ffff:8.8.8.7");
    expect(hasCachedEncodings(mapped)).toBe(false);
    expect(mapped).toEqual(first);
  });

  it("is frozen if it is kept", async () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== "object" ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    await raw("8.8.8.6");
    expect(frozen(await raw("8.8.8.6"))).toBe(true);
  });

  it("is not cached for a failure", async () => {
    expect(await failure("10.0.0.1")).toMatchObject({ reason: "RESERVED_ADDRESS" });
    expect(await failure("10.0.0.1")).toMatchObject({ reason: "RESERVED_ADDRESS" });
  });
});

describe("LookupIp", () => {
  it.each(["8.8.8.8", "::ffff:8.8.8.8"])("finds %s", async (ipAddress) => {
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

  it("has every field, also for unknown values", async () => {
    expect(await lookup("2a00:0:0:0::1")).toEqual({
      ip: "2a00::1",
      metadata: {
        location: { country: "", eu: false },
        asn: 4_199_999_999,
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
  ])("rejects %j: %s", async (ipAddress, reason) => {
    const { code, reason: outer, violations } = await failure(ipAddress);
    expect([code, outer]).toEqual([Code.InvalidArgument, "INVALID_PARAMETERS"]);
    expect(violations).toEqual([{ field: "ip_address", reason, description: expect.any(String) }]);
  });

  it("does not find a special-purpose address, and returns its range", async () => {
    expect(await failure("::ffff:127.0.0.1")).toMatchObject({
      code: Code.NotFound,
      reason: "RESERVED_ADDRESS",
      message: "127.0.0.1 is a special-purpose address: Loopback (127.0.0.0/8, RFC 1122, section 3.2.1.3)",
      metadata: { range: "Loopback", block: "127.0.0.0/8" },
    });
  });

  it.each(["9.9.9.9", "2600::1"])("does not find %s, which has no records", async (ipAddress) => {
    expect(await failure(ipAddress)).toMatchObject({
      code: Code.NotFound,
      reason: "ADDRESS_NOT_FOUND",
      message: `no data for ${ipAddress}`,
      metadata: {},
    });
  });
});

describe("the full view", () => {
  const shared = databases(
    {
      "8.8.8.0/24": { country_code: "US", latitude: 37.422, longitude: -122.085, state1: "California" },
      "2600::/12": { city: "Nowhere" },
    },
    { "8.8.8.0/24": { autonomous_system_number: 15169 }, "2600::/12": { autonomous_system_number: 1 } },
  );
  const tool = geoIpService({ databases: () => shared, countries, now: () => NOW });
  const { lookupIp, lookupSelf, batchLookupIps } = GeoIpService.method;
  const details = {
    countryName: "United States",
    continent: "North America",
    region: "California",
    regionCode: "US-CA",
    timeZone: "America/Los_Angeles",
    callingCode: "+1",
    callingCodes: ["+1"],
    currency: "USD",
    utcOffset: "-07:00",
    daylightSaving: true,
  };
  const full = (ipAddress: string) => callUnary(tool, lookupIp, { ipAddress, view: LookupView.FULL });

  it("has the fields of the basic view, and the details", async () => {
    const basic = await callUnary(tool, lookupIp, { ipAddress: "8.8.8.8" });
    expect(basic.metadata?.details).toBeUndefined();
    const { ip, metadata } = await full("8.8.8.8");
    expect(metadata?.details).toMatchObject(details);
    expect(ip).toBe(basic.ip);
    expect({ ...metadata, details: undefined }).toEqual(basic.metadata);
  });

  it("has the countries in other tables where they contradict the location", async () => {
    const sources = [
      { source: "IPtoASN", country: "GB" },
      { source: "user-country", country: "IE" },
    ];
    const opened = openMmdb(
      memorySource(mmdbBytes({ "8.8.8.0/25": { country_code: "GB", state1: "IE" } })),
      readCountrySources,
    );
    const other = geoIpService({
      databases: () => ({ ...shared, countrySources: opened.ok ? opened.value : undefined }),
      countries,
      now: () => NOW,
    });
    const sourcesOf = async (ipAddress: string) =>
      (await callUnary(other, lookupIp, { ipAddress, view: LookupView.FULL })).metadata?.details
        ?.countrySources;
    expect(await sourcesOf("8.8.8.8")).toMatchObject([{ source: "DB-IP", country: "US" }, ...sources]);
    expect(await sourcesOf("8.8.8.200")).toEqual([]);
  });

  it("has details without a country and coordinates", async () => {
    const { metadata } = await full("2600::1");
    expect(metadata?.location).toMatchObject({ country: "", eu: false });
    expect(toJson(IpDetailsSchema, metadata?.details ?? create(IpDetailsSchema))).toEqual({
      city: "Nowhere",
    });
  });

  it("has empty details without a record", async () => {
    const response = await callUnary(service, lookupIp, { ipAddress: "2a00::1", view: LookupView.FULL });
    expect(toJson(LookupIpResponseSchema, response, { alwaysEmitImplicit: true })).toMatchObject({
      metadata: { details: {} },
    });
    expect(response.metadata?.details).toEqual(create(IpDetailsSchema));
  });

  it("has the time of now, also for an address that occurs again", async () => {
    let time = Date.UTC(2026, 9, 31, 12);
    const now = () => time;
    const changing = geoIpService({ databases: () => shared, countries, now });
    const offset = async () => {
      const request = { ipAddress: "8.8.8.8", view: LookupView.FULL };
      const { metadata } = await callUnary(changing, lookupIp, request);
      return [metadata?.details?.utcOffset, metadata?.details?.daylightSaving];
    };
    expect([await offset(), await offset(), await offset()]).toEqual(Array(3).fill(["-07:00", true]));
    // The second at which the clocks are turned back.
    time = Date.UTC(2026, 10, 1, 9);
    expect([await offset(), await offset()]).toEqual(Array(2).fill(["-08:00", false]));
  });

  it("is kept apart from the basic view", async () => {
    const call = (view: LookupView) => callHandler(tool, lookupIp, { ipAddress: "8.8.8.9", view });
    await Promise.all([call(LookupView.BASIC), call(LookupView.FULL)]);
    const [basic, complete] = await Promise.all([call(LookupView.BASIC), call(LookupView.FULL)]);
    expect([basic, complete].map(hasCachedEncodings)).toEqual([true, true]);
    expect(basic).not.toHaveProperty("metadata.details");
    expect(complete).toHaveProperty("metadata.details", details);
    expect(await call(LookupView.UNSPECIFIED)).toBe(basic);
    expect(await call(LookupView.FULL)).toBe(complete);
  });

  it("is available for the client's address and in batches", async () => {
    const request = { view: LookupView.FULL };
    const self = await callUnary(tool, lookupSelf, request, { clientAddress: "8.8.8.8" });
    expect(self.metadata?.details).toMatchObject(details);
    const ipAddresses = ["8.8.8.8", "10.0.0.1"];
    const { results } = await callUnary(tool, batchLookupIps, { ipAddresses, ...request });
    expect(results[0]?.outcome.value).toEqual(await full("8.8.8.8"));
    expect(results[1]?.outcome.case).toBe("error");
  });

  it("has a number that is known", async () => {
    const view = 7 as LookupView;
    const calls = [
      callUnary(tool, lookupIp, { ipAddress: "8.8.8.8", view }),
      callUnary(tool, lookupSelf, { view }, { clientAddress: "8.8.8.8" }),
      callUnary(tool, batchLookupIps, { ipAddresses: ["8.8.8.8"], view }),
    ];
    for (const call of calls) {
      expect(await errorOf(call)).toMatchObject({
        code: Code.InvalidArgument,
        violations: [
          { field: "view", reason: "INVALID_VALUE", description: "must be basic or full, is number 7" },
        ],
      });
    }
  });
});

describe("databases", () => {
  const { lookupIp } = GeoIpService.method;
  const asn = { "8.8.8.0/24": { autonomous_system_number: 15169 } };
  const of = (country: string) => databases({ "8.8.8.0/24": { country_code: country } }, asn);
  let current: GeoIpDatabases | undefined;
  const following = geoIpService({ databases: () => current, countries, now: () => NOW });
  const country = async () => {
    const { metadata } = await callUnary(following, lookupIp, { ipAddress: "8.8.8.8" });
    return metadata?.location?.country;
  };

  it("apply at once when they are replaced, also to cached addresses", async () => {
    current = of("AA");
    expect([await country(), await country()]).toEqual(["AA", "AA"]);
    current = of("BB");
    expect([await country(), await country()]).toEqual(["BB", "BB"]);
  });

  it("are garbage-collected with their responses when they are replaced", async () => {
    const collectGarbage = exposedGc();
    current = of("AA");
    const old = new WeakRef(current);
    await country();
    await country();
    await callUnary(following, lookupIp, { ipAddress: "8.8.8.8", view: LookupView.FULL });
    current = of("BB");
    // WeakRef targets stay alive until the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(old.deref()).toBeUndefined();
  });

  it("that are missing make calls UNAVAILABLE, except those with an invalid address", async () => {
    current = undefined;
    expect(await errorOf(country())).toMatchObject({ code: Code.Unavailable, reason: "DATA_UNAVAILABLE" });
    const invalid = callUnary(following, lookupIp, { ipAddress: "x" });
    expect(await errorOf(invalid)).toMatchObject({ code: Code.InvalidArgument });
    current = of("CC");
    expect(await country()).toBe("CC");
  });
});

describe("a damaged record", () => {
  const file = replaceRecord(
    mmdbBytes({ "8.8.8.0/24": { country_code: "US" }, "9.9.9.0/24": REPLACED }),
    (offset) => sharedArrays(offset, 2, 24),
  );
  const opened = openMmdb(memorySource(file), readLocation);
  const city = { 4: opened.ok ? opened.value : undefined, 6: undefined };
  const damaged = geoIpService({
    databases: () => ({ city, asn: { 4: undefined, 6: undefined } }),
    countries,
    now: () => NOW,
  });
  const message = "the geolocation data of 9.9.9.9 is damaged";
  const expected = { code: Code.Unavailable, reason: "DATA_CORRUPTED", message, metadata: {} };

  it("makes its lookups UNAVAILABLE, also repeated ones, and no others", async () => {
    const { lookupIp, lookupSelf } = GeoIpService.method;
    for (let time = 0; time < 3; time++) {
      expect(await errorOf(callUnary(damaged, lookupIp, { ipAddress: "9.9.9.9" }))).toMatchObject(expected);
    }
    const self = callUnary(damaged, lookupSelf, {}, { clientAddress: "9.9.9.9" });
    expect(await errorOf(self)).toMatchObject(expected);
    const full = callUnary(damaged, lookupIp, { ipAddress: "9.9.9.9", view: LookupView.FULL });
    expect(await errorOf(full)).toMatchObject(expected);
    const { metadata } = await callUnary(damaged, lookupIp, { ipAddress: "8.8.8.8" });
    expect(metadata?.location?.country).toBe("US");
  });

  it("of the countries in other tables makes lookups in the full view UNAVAILABLE", async () => {
    const { 4: reader } = city;
    const damage = { record: undefined, prefixLength: 0, damage: "it is truncated" };
    const countrySources = reader && { ...reader.withRecords(() => [], 1), lookup: () => damage };
    const { lookupIp } = GeoIpService.method;
    const service = geoIpService({
      databases: () => ({ city, asn: { 4: undefined, 6: undefined }, countrySources }),
      countries,
      now: () => NOW,
    });
    const full = callUnary(service, lookupIp, { ipAddress: "8.8.8.8", view: LookupView.FULL });
    expect(await errorOf(full)).toMatchObject({ code: Code.Unavailable, reason: "DATA_CORRUPTED" });
    const { metadata } = await callUnary(service, lookupIp, { ipAddress: "8.8.8.8" });
    expect(metadata?.location?.country).toBe("US");
  });

  it("is an error of its items of a batch", async () => {
    const { batchLookupIps } = GeoIpService.method;
    const ipAddresses = ["8.8.8.8", "9.9.9.9", "8.8.8.9"];
    const { results } = await callUnary(damaged, batchLookupIps, { ipAddresses });
    expect(results.map(({ outcome }) => outcome.case)).toEqual(["answer", "error", "answer"]);
    expect(results[1]?.outcome.value).toMatchObject(expected);
  });
});

describe("LookupSelf", () => {
  const lookupSelf = (clientAddress: string) =>
    callUnary(service, GeoIpService.method.lookupSelf, {}, { clientAddress });

  it.each(["8.8.8.8", "::ffff:8.8.8.8"])("looks up the client address %s", async (clientAddress) => {
    expect(await lookupSelf(clientAddress)).toMatchObject({ ip: "8.8.8.8", metadata: { asn: 15169 } });
  });

  it.each([
    ["127.0.0.1", "Loopback"],
    // The system adds the interface to a link-local address.
    ["fe80::1%eth0", "Link-Local Unicast"],
  ])("rejects the special-purpose client address %s: %s", async (clientAddress, range) => {
    expect(await errorOf(lookupSelf(clientAddress))).toMatchObject({
      code: Code.NotFound,
      reason: "RESERVED_ADDRESS",
      metadata: { range },
    });
  });
});

describe("BatchLookupIps", () => {
  const batch = (ipAddresses: string[], from = service) =>
    callUnary(from, GeoIpService.method.batchLookupIps, { ipAddresses });

  it("returns the results of LookupIp in order", async () => {
    const { results } = await batch(["8.8.8.8", "10.0.0.1", "x", "2001:db8::1", "2630::1", "8.8.8.8"]);
    const response = await callUnary(service, GeoIpService.method.lookupIp, { ipAddress: "8.8.8.8" });
    expect(results[0]).toMatchObject({ input: "8.8.8.8", outcome: { case: "answer", value: response } });
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
      ["2630::1", "error", expect.objectContaining({ code: Code.NotFound, reason: "ADDRESS_NOT_FOUND" })],
    ]);
  });

  it("has the messages of LookupIp", async () => {
    const { results } = await batch(["10.0.0.1"]);
    const { message } = await failure("10.0.0.1");
    expect(results[0]?.outcome.value).toMatchObject({ message });
  });

  it("is unavailable as a whole without data", async () => {
    const without = geoIpService({ databases: () => undefined, countries, now: () => NOW });
    expect(await errorOf(batch(["8.8.8.8"], without))).toMatchObject({
      code: Code.Unavailable,
      reason: "DATA_UNAVAILABLE",
    });
  });
});

it("loads what the full view needs with its first call, and fails there if it is broken", async () => {
  let loads = 0;
  const tool = geoIpService({
    databases: () => DATABASES,
    countries: async () => {
      loads += 1;
      return { ok: false, failure: { reason: "MISSING", description: "countries.json does not exist" } };
    },
    now: () => NOW,
  });
  expect(await callUnary(tool, GeoIpService.method.lookupIp, { ipAddress: "8.8.8.8" })).toMatchObject({
    ip: "8.8.8.8",
  });
  expect(loads).toBe(0);
  for (let call = 0; call < 2; call++) {
    await expect(
      callUnary(tool, GeoIpService.method.lookupIp, { ipAddress: "8.8.8.8", view: LookupView.FULL }),
    ).rejects.toMatchObject({ code: Code.Unavailable, rawMessage: "countries.json does not exist" });
  }
  expect(loads).toBe(1);
});

describe("LookupAsn", () => {
  const { lookupAsn } = GeoIpService.method;

  it.each(["15169", "AS15169", "as 15169", "ASN15169", "asn:15169", "AS0000015169"])(
    "summarizes %s",
    async (asn) => {
      const response = await callUnary(service, lookupAsn, { asn });
      expect(toJson(LookupAsnResponseSchema, response, { alwaysEmitImplicit: true })).toEqual({
        asn: 15169,
        asn_name: "Google LLC",
        ipv4_networks: 1,
        ipv4_addresses: 256,
        ipv6_networks: 0,
        countries: [{ country: "US", ipv4_addresses: 256, networks: 1 }],
        largest_ipv4: ["8.8.8.0/24"],
        largest_ipv6: [],
      });
    },
  );

  it.each<
    [asn: string, limit: number | undefined, reasons: readonly (readonly [field: string, reason: string])[]]
  >([
    ["", undefined, [["asn", "REQUIRED"]]],
    ["0", undefined, [["asn", "INVALID_ASN"]]],
    ["AS0", undefined, [["asn", "INVALID_ASN"]]],
    ["4294967296", undefined, [["asn", "INVALID_ASN"]]],
    ["12345678901", undefined, [["asn", "INVALID_ASN"]]],
    ["-1", undefined, [["asn", "INVALID_ASN"]]],
    ["1.5", undefined, [["asn", "INVALID_ASN"]]],
    ["Google", undefined, [["asn", "INVALID_ASN"]]],
    ["7", 0, [["limit", "INVALID_LIMIT"]]],
    ["7", 1_001, [["limit", "INVALID_LIMIT"]]],
    [
      "A7",
      -1,
      [
        ["asn", "INVALID_ASN"],
        ["limit", "INVALID_LIMIT"],
      ],
    ],
  ])("rejects %j with limit %j", async (asn, limit, expected) => {
    const { code, violations } = await errorOf(
      callUnary(service, lookupAsn, { asn, ...(limit !== undefined && { limit }) }),
    );
    expect(code).toBe(Code.InvalidArgument);
    expect(violations.map(({ field, reason }) => [field, reason])).toEqual(expected);
  });

  it.each([
    ["7", Code.NotFound, "ASN_NOT_FOUND", {}],
    ["64512", Code.NotFound, "RESERVED_ASN", { range: "Private use", reference: "RFC 6996" }],
  ])("does not find %s", async (asn, code, reason, metadata) => {
    expect(await errorOf(callUnary(service, lookupAsn, { asn }))).toMatchObject({ code, reason, metadata });
  });

  it("is unavailable without data", async () => {
    const empty = geoIpService({ databases: () => undefined, countries, now: () => NOW });
    expect(await errorOf(callUnary(empty, lookupAsn, { asn: "7" }))).toMatchObject({
      code: Code.Unavailable,
      reason: "DATA_UNAVAILABLE",
    });
  });

  /** Returns databases whose search takes a number of steps and finds nothing, and counts the steps. */
  function slowDatabases(steps: number) {
    const counts = { steps: 0 };
    const [ipv4] = [DATABASES.asn[4]];
    const reader = {
      ...ipv4,
      *networksWith() {
        for (let step = 0; step < steps; step++) {
          counts.steps++;
          yield [];
        }
      },
    } as unknown as typeof ipv4;
    return { counts, databases: { ...DATABASES, asn: { 4: reader, 6: undefined } } };
  }

  it("starts again with the databases that replace others, and reads no more of those", async () => {
    const slow = slowDatabases(1_000);
    const reloaded = geoIpService({
      databases: () => (slow.counts.steps < 500 ? slow.databases : DATABASES),
      countries,
      now: () => NOW,
    });
    expect(await callUnary(reloaded, lookupAsn, { asn: "15169" })).toMatchObject({ asnName: "Google LLC" });
    expect(slow.counts.steps).toBe(500);
  });

  it("ends when the client disconnects or the deadline expires", async () => {
    const endless = slowDatabases(Number.POSITIVE_INFINITY);
    const controller = new AbortController();
    const tool = geoIpService({ databases: () => endless.databases, countries, now: () => NOW });
    const call = callUnary(tool, lookupAsn, { asn: "15169" }, { signal: controller.signal });
    setImmediate(() => controller.abort(new Error("disconnected")));
    await expect(call).rejects.toThrow("disconnected");
    const { steps } = endless.counts;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(endless.counts.steps).toBe(steps);
  });
});
