import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../server-process.js";
import { METHOD_CASES, METHODS, PROTOCOLS } from "./cases.js";
import { tablesOf, withTables } from "./document.js";
import { isCacheable, type Measurements, parseMix, planFor } from "./model.js";

const MEASUREMENTS: Measurements = {
  conditions: ["2026-11-22"],
  methods: [
    { name: "geoIp:grpc", microseconds: 6, requestBytes: 50, responseBytes: 125, residentMemory: 256 },
    { name: "country:rest", microseconds: 30, requestBytes: 100, responseBytes: 1250, residentMemory: 512 },
  ],
  limits: [
    { store: "no limit", serviceMicroseconds: 6 },
    {
      store: "Redis",
      serviceMicroseconds: 20,
      commands: 1,
      redisMicroseconds: 4,
      redisBytes: 500,
      connections: 2,
    },
  ],
  proxies: [
    { name: "nginx, REST", microseconds: 15 },
    { name: "nginx, cache hit", microseconds: 10 },
  ],
};
const DEMAND = { rate: 1_000_000, mix: { "geoIp:grpc": 100 }, utilization: 0.6, hitRatio: 0 };

describe("planFor", () => {
  test("computes processors, memory, network, proxies and Redis of one case", () => {
    expect(planFor(MEASUREMENTS, DEMAND)).toEqual({
      replicas: 10,
      memory: 2.5,
      incoming: 0.4,
      outgoing: 1,
      proxies: [{ name: "nginx, REST", processors: 25 }],
      cacheProcessors: 0,
      redis: { commands: 1_000_000, servers: 7, connections: 20, gigabits: 4 },
    });
  });

  test("weights the cases of a mix, and takes the largest memory", () => {
    const mix = { "geoIp:grpc": 75, "country:rest": 25 };
    // (0.75 × 6 + 0.25 × 30) µs = 12 µs
    expect(planFor(MEASUREMENTS, { ...DEMAND, mix })).toMatchObject({ replicas: 20, memory: 10 });
  });

  test.each([
    [0, 50, 0],
    [0.5, 25, 8.333],
    [0.9, 5, 15],
    [1, 1, 16.667],
  ])(
    "with a hit ratio of %d, %d replicas and %d processors of a cache remain",
    (hitRatio, replicas, processors) => {
      const plan = planFor(MEASUREMENTS, { ...DEMAND, mix: { "country:rest": 100 }, hitRatio });
      expect(plan.replicas).toBe(replicas);
      expect(plan.cacheProcessors).toBeCloseTo(processors, 3);
    },
  );

  test("a cache does not affect responses that it must not store", () => {
    expect(planFor(MEASUREMENTS, { ...DEMAND, hitRatio: 0.9 })).toEqual(planFor(MEASUREMENTS, DEMAND));
  });

  test("leaves out what was not measured", () => {
    const plan = planFor({ ...MEASUREMENTS, limits: [], proxies: [] }, DEMAND);
    expect([plan.redis, plan.proxies, plan.cacheProcessors]).toEqual([undefined, [], 0]);
  });

  test.each([
    [{ "geoIp:grpc": 99 }, "the shares of the mix are 99 in total, and must be 100"],
    [{ "geoIp:soap": 100 }, "geoIp:soap is no case; there are geoIp:grpc, country:rest"],
  ])("rejects %j", (mix, message) => {
    expect(() => planFor(MEASUREMENTS, { ...DEMAND, mix: { ...mix } })).toThrow(new RangeError(message));
  });
});

test("parses a mix", () => {
  expect(parseMix("geoIp:rest=60.5, otpVerify:grpc=39.5")).toEqual({
    "geoIp:rest": 60.5,
    "otpVerify:grpc": 39.5,
  });
});

test.each(["", "geoIp=100", "geoIp:rest", "geoIp:rest=-1", "geoIp:rest=1;"])("rejects the mix %j", (text) => {
  expect(() => parseMix(text)).toThrow(RangeError);
});

test("caches may store responses of countries over REST", () => {
  expect(METHOD_CASES.map(({ name }) => name).filter(isCacheable)).toEqual(
    ["countries", "country", "search"].flatMap((name) => [`${name}:rest`, `${name}:restH2`]),
  );
});

test.each(METHOD_CASES)("$name has as many different requests as it needs", ({ candidates, count }) => {
  const different = new Set(candidates.requests.map(({ path, body }) => path + body.toString("latin1")));
  expect(different.size).toBeGreaterThanOrEqual(count);
});

describe("withTables", () => {
  const document = "a\n<!-- begin one -->\nold\n<!-- end -->\nb\n";

  test("replaces what is between the markers", () => {
    expect(withTables(document, new Map([["one", "new"]]))).toBe(
      "a\n<!-- begin one -->\n\nnew\n\n<!-- end -->\nb\n",
    );
  });

  test("rejects a document with other tables", () => {
    expect(() => withTables(document, new Map())).toThrow("there is no table one");
    const two = new Map([
      ["one", ""],
      ["two", ""],
    ]);
    expect(() => withTables(document, two)).toThrow("the document lacks two");
  });
});

describe("docs/guide/capacity", () => {
  const file = (name: string) => readFileSync(join(ROOT, "docs", "guide", name), "utf8");
  const measurements: Measurements = JSON.parse(file("capacity.json"));

  test("has figures of every case", () => {
    expect(measurements.methods.map(({ name }) => name)).toEqual(METHOD_CASES.map(({ name }) => name));
  });

  test("has the tables of these figures", () => {
    const document = file("capacity.md");
    expect(withTables(document, tablesOf(measurements, METHODS, PROTOCOLS))).toBe(document);
  });
});
