import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { digestOf } from "../../../src/service/access/api-key.js";
import {
  type AccessEvents,
  type AccessSettings,
  openAccess,
} from "../../../src/service/access/open-access.js";
import { incomingRequest, type TestRequest } from "./request.js";
import { startRespServer } from "./resp-server.js";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "access-"));
  path = join(folder, "keys");
  await writeFile(path, `ci ${digestOf("ut_ci").toString("hex")}\n`);
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
    { ...EVENTS, ...events },
    () => 0,
  );

/** The reason with which the rules refuse a request; undefined when they let it pass. */
async function ask(settings: Partial<AccessSettings>, requests: readonly TestRequest[]) {
  const access = await open(settings);
  const reasons: (string | undefined)[] = [];
  for (const request of requests) {
    let reason: string | undefined;
    for (const rule of access.ok ? access.value.admissions : []) {
      reason ??= (await rule(request))?.reason;
    }
    reasons.push(reason);
  }
  if (access.ok) {
    access.value.close();
  }
  return reasons;
}

test("without settings there are no rules", async () => {
  const access = await open({});
  expect(access.ok && access.value.admissions).toEqual([]);
});

test("a limit goes by the name of the key", async () => {
  const headers = { "x-api-key": "ut_ci" };
  const requests = ["192.0.2.1", "192.0.2.2"].map((callerAddress) =>
    incomingRequest({ headers, callerAddress }),
  );
  expect(await ask({ apiKeysFile: path, rateLimit: { limit: 1, window: 60 } }, requests)).toEqual([
    undefined,
    "RATE_LIMIT_EXCEEDED",
  ]);
  expect(requests.map(({ principal }) => principal)).toEqual(["ci", "ci"]);
});

test("areas are open as they are set", async () => {
  const requests = (["docs", "metrics", "service"] as const).map((area) => incomingRequest({ area }));
  expect(await ask({ apiKeysFile: path, openAreas: ["docs"] }, requests)).toEqual([
    undefined,
    "API_KEY_MISSING",
    "API_KEY_MISSING",
  ]);
});

test("a shared store is told of and closed", async () => {
  const server = await startRespServer();
  const state = await new Promise<string>((resolve, reject) => {
    const settings = {
      rateLimit: { limit: 1, window: 60 },
      rateLimitStore: `redis://127.0.0.1:${server.port}`,
    };
    const opened = open(settings, {
      onStoreState: (told) => {
        opened.then((access) => access.ok && access.value.close(), reject);
        resolve(told);
      },
    });
  });
  expect(state).toBe("up");
  await server.stop();
});

test("each request that a store cannot be asked about is told, for as long as that lasts", async () => {
  let counted = 0;
  // A port that nobody listens on.
  const settings = { rateLimit: { limit: 2, window: 60 }, rateLimitStore: "redis://127.0.0.1:1" };
  const access = await open(settings, { onLocalCount: () => counted++ });
  const [rule] = access.ok ? access.value.admissions : [];
  for (let request = 1; request <= 3; request++) {
    await rule?.(incomingRequest());
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
])("a failure names %s", async (setting, settings, reason) => {
  const access = await open(settings());
  expect(access).toMatchObject({ ok: false, failure: { reason } });
  expect(!access.ok && access.failure.description).toMatch(new RegExp(`^${setting}: `));
  expect(JSON.stringify(access)).not.toContain("hunter2");
});
