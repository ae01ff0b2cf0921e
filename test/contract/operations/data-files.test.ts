import { EventEmitter, on } from "node:events";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "connect-transcoding/gen/health/v1/health_pb.js";
import { watchFiles } from "connect-transcoding-operations/files/data-files";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Server, startServer } from "../../../src/service/server.js";
import { emailService } from "../../../src/tools/email/email-service.js";
import { loadGeoIpService } from "../../../src/tools/geoip/load-geoip.js";
import type { ToolEvent } from "../../../src/tools/tool.js";
import { mmdbBytes, REPLACED, replaceRecord, sharedArrays } from "../../tools/geoip/test-databases.js";
import { connectClients, grpcJsClient, restOutcome, send } from "../support/clients.js";
import { errorOf } from "../support/documented-examples.js";

const GEO_IP = GeoIpService.typeName;
const WATCH_INTERVAL = 20;
const asn = mmdbBytes({ "8.0.0.0/8": { autonomous_system_number: 64301 } });
const city = (country: string) => mmdbBytes({ "8.0.0.0/8": { country_code: country } });
const bugs: unknown[] = [];
let folder: string;
let cityFile: string;
let server: Server;
const emitter = new EventEmitter();
// Records all events, so that none is lost between two waits.
const events = on(emitter, "event");

async function nextEvent(): Promise<unknown> {
  const { value } = await events.next();
  return value[0];
}

/** Waits until data is loaded. A file that is written in place may be rejected before it is complete. */
async function nextLoad(): Promise<unknown> {
  for (;;) {
    const event = await nextEvent();
    if ((event as ToolEvent).kind === "data_loaded") {
      return event;
    }
  }
}

const lookUp = () => send(`${server.url}/v1/geoIp?ip_address=8.8.8.8`);
const country = async () => {
  const { json } = await lookUp();
  return (json as { metadata: { location: { country: string } } }).metadata.location.country;
};
const ready = () => send(`${server.url}/readyz`);
const health = () => createClient(Health, createGrpcTransport({ baseUrl: server.url }));

// The city file does not exist at startup.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "data-files-"));
  cityFile = join(folder, "city.mmdb");
  await writeFile(join(folder, "asn.mmdb"), asn);
  const geoIp = await loadGeoIpService(
    { geoIpCityFiles: [cityFile], geoIpAsnFiles: [join(folder, "asn.mmdb")], dataDir: folder },
    async () => ({ ok: true, value: [] }),
    {
      now: () => 0,
      watchFiles: (paths, onChange) => watchFiles(paths, onChange, WATCH_INTERVAL),
      report: (event) => emitter.emit("event", event),
    },
  );
  const started = await startServer({
    host: "127.0.0.1",
    port: 0,
    publicBaseUrl: undefined,
    unknownParameters: "reject",
    tools: [geoIp, emailService()],
    reportBug: (bug) => bugs.push(bug),
  });
  if (!started.ok) {
    throw new Error(started.failure.description);
  }
  server = started.value;
});
afterAll(async () => {
  await server.stop(0);
  await rm(folder, { recursive: true });
  expect(bugs).toEqual([]);
});

describe("without usable data", () => {
  test("the reason is reported, and the service is not ready", async () => {
    expect(await nextEvent()).toMatchObject({
      kind: "data_refused",
      service: GEO_IP,
      reason: "FILE_NOT_FOUND",
      description: `GEOIP_CITY_FILES: ${cityFile} does not exist`,
      hasOlderData: false,
    });
    const { status, headers, json } = await ready();
    expect([status, headers.get("cache-control")]).toEqual([503, "no-store"]);
    expect(json).toEqual({ ready: false, stopping: false, not_ready: [GEO_IP] });
    expect(await send(`${server.url}/healthz`)).toMatchObject({ status: 200, json: { healthy: true } });
    const { statuses } = await health().list({});
    expect(Object.entries(statuses).map(([name, { status }]) => [name, status])).toEqual([
      ["", Status.NOT_SERVING],
      [GEO_IP, Status.NOT_SERVING],
      ["utilitytools.v1.EmailService", Status.SERVING],
    ]);
  });

  test("lookups are UNAVAILABLE over every protocol, as documented, and other tools respond", async () => {
    const exchange = await lookUp();
    expect(errorOf(exchange)).toMatchObject({ status: 503, reason: "DATA_UNAVAILABLE" });
    const outcome = restOutcome(exchange);
    const { lookupIp } = GeoIpService.method;
    const request = { ip_address: "8.8.8.8" };
    for (const [name, call] of connectClients(server.url)) {
      expect([name, await call(lookupIp, request)]).toEqual([name, outcome]);
    }
    const grpcJs = grpcJsClient(server.url);
    expect(await grpcJs(lookupIp, request)).toEqual(outcome);
    grpcJs.close();
    const { json } = await send(`${server.url}/openapi.json`);
    expect(JSON.stringify(json)).toContain(
      "`DATA_UNAVAILABLE`: The service currently has no usable geolocation data",
    );
    expect((await send(`${server.url}/v1/sanitizeEmail?email=A@b.example`, { method: "POST" })).text).toBe(
      "a@b.example",
    );
  });

  test("the service becomes ready when data is available", async () => {
    const watches = ["", GEO_IP].map((service) => health().watch({ service })[Symbol.asyncIterator]());
    const nextStatuses = () => Promise.all(watches.map(async (watch) => (await watch.next()).value?.status));
    expect(await nextStatuses()).toEqual([Status.NOT_SERVING, Status.NOT_SERVING]);
    const next = nextStatuses();
    await writeFile(cityFile, city("AA"));
    expect(await nextLoad()).toMatchObject({ kind: "data_loaded", service: GEO_IP, isReplacement: false });
    expect(await next).toEqual([Status.SERVING, Status.SERVING]);
    await Promise.all(watches.map((watch) => watch.return?.()));
    expect(await ready()).toMatchObject({ status: 200, json: { ready: true, not_ready: [] } });
    expect(await country()).toBe("AA");
  });
});

describe("a replaced file", () => {
  async function putAside(bytes: Buffer): Promise<void> {
    await writeFile(`${cityFile}.new`, bytes);
    await rename(`${cityFile}.new`, cityFile);
  }

  test.each([
    ["by renaming", "BB", (bytes: Buffer) => putAside(bytes)],
    ["in place", "CC", (bytes: Buffer) => writeFile(cityFile, bytes)],
    ["by removal and creation", "DD", (bytes: Buffer) => rm(cityFile).then(() => writeFile(cityFile, bytes))],
  ])("%s is loaded", async (_name, code, put) => {
    // Requested twice, so that the response is cached.
    expect(await country()).toBe(await country());
    await put(city(code));
    expect(await nextLoad()).toMatchObject({ kind: "data_loaded", isReplacement: true });
    expect([await country(), await country()]).toEqual([code, code]);
    expect((await ready()).status).toBe(200);
  });

  test("that is incomplete is rejected, and the previous data stays in use", async () => {
    const good = city("EE");
    await putAside(good.subarray(0, good.length / 2));
    expect(await nextEvent()).toMatchObject({
      kind: "data_refused",
      reason: "CORRUPT_MMDB",
      description: expect.stringContaining(`GEOIP_CITY_FILES: ${cityFile} is damaged: `),
      hasOlderData: true,
    });
    expect([await country(), (await ready()).status]).toEqual(["DD", 200]);
    await writeFile(cityFile, good);
    await nextLoad();
    expect(await country()).toBe("EE");
  });

  /** Returns a file whose last record has more values than there is memory. */
  const hostile = (records: Parameters<typeof mmdbBytes>[0]) =>
    replaceRecord(mmdbBytes({ ...records, "9.9.9.0/24": REPLACED }), (offset) => sharedArrays(offset, 2, 24));

  test("that would need too much memory is rejected", async () => {
    await putAside(hostile({}));
    expect(await nextEvent()).toMatchObject({
      kind: "data_refused",
      reason: "CORRUPT_MMDB",
      description: expect.stringContaining(`GEOIP_CITY_FILES: ${cityFile} is damaged: `),
      hasOlderData: true,
    });
    expect([await country(), (await ready()).status]).toEqual(["EE", 200]);
  });

  test("with a damaged record that the load does not find makes only its lookups fail", async () => {
    // The load tries the 1,000 lowest networks, which end before 9.9.9.0.
    const networks = Array.from({ length: 1_000 }, (_, index) => `1.${index >> 7}.${2 * (index & 127)}.0/24`);
    const records = Object.fromEntries(networks.map((cidr) => [cidr, { country_code: "AA" }]));
    await putAside(hostile({ ...records, "8.0.0.0/8": { country_code: "EF" } }));
    expect(await nextEvent()).toMatchObject({ kind: "data_loaded" });
    expect(await country()).toBe("EF");

    const exchange = await send(`${server.url}/v1/geoIp?ip_address=9.9.9.9`);
    expect(errorOf(exchange)).toMatchObject({ status: 503, reason: "DATA_CORRUPTED" });
    const { lookupIp } = GeoIpService.method;
    for (const [name, call] of connectClients(server.url)) {
      expect([name, await call(lookupIp, { ip_address: "9.9.9.9" })]).toEqual([name, restOutcome(exchange)]);
    }
    const { status, json } = await send(`${server.url}/v1/geoIp:batch`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ip_addresses: ["8.8.8.8", "9.9.9.9"] }),
    });
    expect([status, json]).toEqual([
      200,
      {
        results: [
          { input: "8.8.8.8", answer: (await lookUp()).json },
          {
            input: "9.9.9.9",
            error: {
              code: "UNAVAILABLE",
              reason: "DATA_CORRUPTED",
              message: "the geolocation data of 9.9.9.9 is damaged",
              metadata: {},
            },
          },
        ],
      },
    ]);
    expect(await country()).toBe("EF");
  });

  test("does not affect calls in progress", async () => {
    let isOver = false;
    const asking = Promise.all(
      Array.from({ length: 4 }, async () => {
        const seen = new Set<unknown>();
        while (!isOver) {
          const { status, json } = await lookUp();
          seen.add(status === 200 ? (json as { metadata: { asn: number } }).metadata.asn : status);
        }
        return [...seen];
      }),
    );
    try {
      for (const code of ["FA", "FB", "FC", "FD", "FE"]) {
        await putAside(city(code));
        expect(await nextEvent()).toMatchObject({ kind: "data_loaded" });
      }
    } finally {
      isOver = true;
    }
    expect(await asking).toEqual(Array.from({ length: 4 }, () => [64301]));
    expect(await country()).toBe("FE");
  });
});
