import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AccessEvents, type AccessSettings, openAccess } from "../../src/access/access.js";
import { digestOf } from "../../src/access/api-keys.js";
import { MAX_WATCHES } from "../../src/access/watch-limit.js";
import { ACCESS_NAMES } from "./access-names.js";
import { accessRequest, reasonOf, rejectionOf, type TestRequest } from "./access-request.js";
import { startRespServer } from "./resp-server.js";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "access-"));
  path = join(folder, "keys");
  await writeFile(path, `ci ${digestOf("ut_ci")}\n`);
});
afterEach(() => rm(folder, { recursive: true }));

const EVENTS: AccessEvents = {
  onKeyCheck: () => {},
  onKeysReload: () => {},
  onDecision: () => {},
  onLocalCount: () => {},
  onStoreState: () => {},
};
const open = (settings: Partial<AccessSettings>, events: Partial<AccessEvents> = {}) =>
  openAccess(
    { apiKeysFile: undefined, openAreas: [], rateLimit: undefined, rateLimitStore: undefined, ...settings },
    ACCESS_NAMES,
    { ...EVENTS, ...events },
    () => 0,
  );

/** Returns the reason each request is rejected with; undefined if it is accepted. */
async function reasonsFor(settings: Partial<AccessSettings>, requests: readonly TestRequest[]) {
  const access = await open(settings);
  if (!access.ok) {
    throw new Error(access.failure.description);
  }
  const { onRequest, close } = access.value;
  const rejections = requests.map((request) => rejectionOf(onRequest, request));
  close();
  return rejections.map((error) => error && reasonOf(error));
}

test("without settings all requests are accepted", async () => {
  const access = await open({});
  expect(access).toMatchObject({ ok: true, value: { rejections: [], securitySchemes: undefined } });
  const request = accessRequest();
  expect(access.ok && access.value.onRequest(request)).toBeUndefined();
  expect(request.added).toEqual({});
});

test("rejections are the errors of all checks, for the API document", async () => {
  const access = await open({ apiKeysFile: path, rateLimit: { limit: 1, window: 60 } });
  expect(access.ok && access.value.rejections.map(({ error }) => reasonOf(error))).toEqual([
    "API_KEY_MISSING",
    "API_KEY_INVALID",
    "RATE_LIMIT_EXCEEDED",
  ]);
  if (access.ok) {
    access.value.close();
  }
});

test("limits count per key name", async () => {
  const headers = { "x-api-key": "ut_ci" };
  const requests = ["192.0.2.1", "192.0.2.2"].map((clientAddress) =>
    accessRequest({ headers, clientAddress }),
  );
  expect(await reasonsFor({ apiKeysFile: path, rateLimit: { limit: 1, window: 60 } }, requests)).toEqual([
    undefined,
    "RATE_LIMIT_EXCEEDED",
  ]);
  expect(requests.map(({ principal }) => principal)).toEqual(["ci", "ci"]);
});

test("open kinds of requests need no key", async () => {
  const requests = (["docs", "metrics", "service"] as const).map((kind) => accessRequest({ kind }));
  expect(await reasonsFor({ apiKeysFile: path, openAreas: ["docs"] }, requests)).toEqual([
    undefined,
    "API_KEY_MISSING",
    "API_KEY_MISSING",
  ]);
});

test("open Watch calls are limited per client, with and without a key, and whatever its path is below", async () => {
  const access = await open({ apiKeysFile: path, openAreas: [] });
  if (!access.ok) {
    throw new Error(access.failure.description);
  }
  const { onRequest, close } = access.value;
  const watch = (clientAddress: string, headers = {}, prefix = "") =>
    accessRequest({
      path: `${prefix}/grpc.health.v1.Health/Watch`,
      protocol: "grpc",
      clientAddress,
      headers,
    });
  const key = { "x-api-key": "ut_ci" };
  const of = (index: number) =>
    watch(`2001:db8::${index.toString(16)}`, ...(index % 2 === 0 ? [] : [key, "/api"]));
  const opened = Array.from({ length: MAX_WATCHES }, (_, index) => of(index));
  expect(opened.map((request) => rejectionOf(onRequest, request))).toEqual(opened.map(() => undefined));
  const error = rejectionOf(onRequest, of(200));
  expect([error?.code, reasonOf(error), error?.rawMessage]).toEqual([
    Code.ResourceExhausted,
    "TOO_MANY_WATCHES",
    "too many open calls of grpc.health.v1.Health/Watch; allowed: 100 per client",
  ]);
  expect(rejectionOf(onRequest, watch("2001:db8:0:1::1"))).toBeUndefined();
  opened[7]?.close();
  expect([of(201), of(202)].map((request) => reasonOf(rejectionOf(onRequest, request)))).toEqual([
    undefined,
    "TOO_MANY_WATCHES",
  ]);
  close();
});

test("reports the state of a shared store and closes it", async () => {
  const server = await startRespServer();
  const state = await new Promise<string>((resolve, reject) => {
    const settings = {
      rateLimit: { limit: 1, window: 60 },
      rateLimitStore: `redis://127.0.0.1:${server.port}`,
    };
    const opened = open(settings, {
      onStoreState: (state) => {
        opened.then((access) => access.ok && access.value.close(), reject);
        resolve(state);
      },
    });
  });
  expect(state).toBe("up");
  await server.stop();
});

test("reports each request that is counted locally because the store is unavailable", async () => {
  let counted = 0;
  // No server listens on this port.
  const settings = { rateLimit: { limit: 2, window: 60 }, rateLimitStore: "redis://127.0.0.1:1" };
  const access = await open(settings, { onLocalCount: () => counted++ });
  for (let request = 1; request <= 3; request++) {
    const onRequest = access.ok ? access.value.onRequest : () => {};
    rejectionOf(onRequest, accessRequest());
    expect(counted).toBe(request);
  }
  if (access.ok) {
    access.value.close();
  }
});

test.each([
  ["API_KEYS_FILE", () => ({ apiKeysFile: join(folder, "none") }), "FILE_NOT_FOUND"],
  [
    "RATE_LIMIT_STORE",
    () => ({ apiKeysFile: path, rateLimit: { limit: 1, window: 1 }, rateLimitStore: "http://hunter2@host" }),
    "INVALID_STORE_URL",
  ],
])("a failure starts with %s", async (setting, settings, reason) => {
  const access = await open(settings());
  expect(access).toMatchObject({ ok: false, failure: { reason } });
  expect(!access.ok && access.failure.description).toMatch(new RegExp(`^${setting}: `));
  expect(JSON.stringify(access)).not.toContain("hunter2");
});
