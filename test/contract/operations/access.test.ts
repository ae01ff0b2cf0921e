import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Access, openAccess } from "connect-transcoding-operations/access/access";
import { makeApiKey } from "connect-transcoding-operations/access/api-keys";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  openRawHttp2,
  requestBlock,
} from "connect-transcoding-testing/raw-http2.js";
import { afterAll, describe, expect, test } from "vitest";
import { expectValid } from "../../../packages/connect-transcoding/test/openapi/describe.js";
import { ACCESS_NAMES } from "../../../src/service/access-names.js";
import { PROTOCOL_CASES } from "../support/every-protocol.js";
import { sendRaw } from "../support/raw-http.js";
import { useServer } from "../support/serve.js";

// API keys and rate limits in every protocol, as configured by the settings.

const LIMIT = 4;
const opened: Access[] = [];
afterAll(() => {
  for (const access of opened) {
    access.close();
  }
});

/** One key per protocol, so that each has its own limit, and one more. */
const keys = ["spare", ...PROTOCOL_CASES.map((_, index) => `way-${index}`)].map((name, index) => {
  const made = makeApiKey(name, (size) => new Uint8Array(size).fill(index + 1));
  if (!made.ok) {
    throw new Error(made.failure.description);
  }
  return made.value;
});

async function access(settings: Partial<Parameters<typeof openAccess>[0]>): Promise<Access> {
  const file = join(mkdtempSync(join(tmpdir(), "utility-tools-")), "keys");
  writeFileSync(file, keys.map(({ line }) => `${line}\n`).join(""));
  const all = { apiKeysFile: file, openAreas: [], rateLimit: undefined, rateLimitStore: undefined };
  const events = {
    onKeyCheck: () => {},
    onKeysReload: () => {},
    onDecision: () => {},
    onLocalCount: () => {},
    onStoreState: () => {},
  };
  const result = await openAccess({ ...all, ...settings }, ACCESS_NAMES, events, () => performance.now());
  if (!result.ok) {
    throw new Error(result.failure.description);
  }
  opened.push(result.value);
  return result.value;
}

const rateLimit = { limit: LIMIT, window: 600 };
const closed = useServer(() => access({ rateLimit }));
const open = useServer(() => access({ openAreas: ["docs", "reflection"] }));
const unlimited = useServer(() => access({ apiKeysFile: undefined }));
const limited = useServer(() => access({ apiKeysFile: undefined, rateLimit: { limit: 1, window: 600 } }));

describe.each(PROTOCOL_CASES.map((way, index) => ({ ...way, key: keys[index + 1]?.key ?? "" })))(
  "$name",
  ({ ask, key, method, protocol }) => {
    test("requires a key", async () => {
      const { code, reason, header } = await ask(closed.url, {});
      expect({ code, reason }).toEqual({ code: "UNAUTHENTICATED", reason: "API_KEY_MISSING" });
      expect(header("www-authenticate")).toBe('Bearer realm="utility-tools"');
    });

    test.each<[string, Record<string, string>]>([
      ["an unknown key", { authorization: "Bearer ut_x" }],
      ["an unknown key in the other header", { "x-api-key": "ut_x" }],
      ["two keys", { authorization: `Bearer ${key}`, "x-api-key": keys[0]?.key ?? "" }],
    ])("rejects %s", async (_, headers) => {
      const { code, reason, header } = await ask(closed.url, headers);
      expect({ code, reason }).toEqual({ code: "UNAUTHENTICATED", reason: "API_KEY_INVALID" });
      expect(header("www-authenticate")).toBe('Bearer realm="utility-tools", error="invalid_token"');
    });

    test("accepts a key in either header until the limit is reached, then returns the time to wait", async () => {
      const headers = [{ authorization: `bearer ${key}` }, { "x-api-key": key }];
      for (let count = 1; count <= LIMIT; count++) {
        const { code, header } = await ask(closed.url, headers[count % 2] ?? {});
        expect([code, header("ratelimit-policy")]).toEqual(["OK", `"default";q=${LIMIT};w=600`]);
        expect(header("ratelimit")).toMatch(new RegExp(`^"default";r=${LIMIT - count};t=(600|59\\d)$`));
      }
      const { code, reason, hasRetryInfo, header } = await ask(closed.url, headers[0] ?? {});
      expect({ code, reason }).toEqual({ code: "RESOURCE_EXHAUSTED", reason: "RATE_LIMIT_EXCEEDED" });
      expect(hasRetryInfo).toBe(true);
      expect(header("retry-after")).toMatch(/^(600|59\d)$/);
      expect(header("ratelimit")).toMatch(/^"default";r=0;t=/);
    });

    test("requires no key for open kinds of requests", async () => {
      const isOpen = protocol === "page" || method?.startsWith("grpc.reflection") === true;
      expect((await ask(open.url, {})).code).toBe(isOpen ? "OK" : "UNAUTHENTICATED");
    });
  },
);

describe("rejects two Authorization headers, of which Node returns only the first", () => {
  const [one = "", other = ""] = keys.map(({ key }) => `Bearer ${key}`);
  test.each([
    ["two keys", other],
    ["the same key twice", one],
    ["a second one with another scheme", "Basic YTpi"],
  ])("%s", async (_, second) => {
    const lines = ["GET /v1/about HTTP/1.1", "Host: a", `Authorization: ${one}`, `authorization: ${second}`];
    const { body } = await sendRaw(closed.port, `${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`);
    expect(body).toContain("API_KEY_INVALID");

    const { socket, next } = await openRawHttp2(closed.port);
    const block = [
      requestBlock("GET", "/v1/about"),
      ...[one, second].map((authorization) => headerBlock({ authorization })),
    ];
    socket.write(frame(FRAME.HEADERS, END_HEADERS | END_STREAM, 1, Buffer.concat(block)));
    expect((await next(({ type }) => type === FRAME.DATA)).payload.toString()).toContain("API_KEY_INVALID");
    socket.destroy();
  });
});

test.each(["/", "/docs"])("the page at %s is open to browsers, and to all if documents are", async (path) => {
  const rejected = await fetch(`${closed.url}${path}`);
  expect([rejected.status, await rejected.json()]).toMatchObject([
    401,
    { error: { status: "UNAUTHENTICATED" } },
  ]);
  expect((await fetch(`${open.url}${path}`)).status).toBe(200);

  const shown = await fetch(`${closed.url}${path}`, { headers: { accept: "text/html" } });
  expect(shown.status).toBe(200);
  expect(shown.headers.get("vary")?.split(", ")).toContain("accept");
  const [, script = ""] = /<script [^>]*src="([^"]+)"/.exec(await shown.text()) ?? [];
  expect((await fetch(new URL(script, `${closed.url}/`))).status).toBe(200);
});

test("browsers need a key for everything else", async () => {
  for (const path of ["/openapi.json", "/metrics", "/workbench/absent.js", "/v1/about", "/absent"]) {
    const { status } = await fetch(`${closed.url}${path}`, { headers: { accept: "text/html" } });
    expect([path, status]).toEqual([path, 401]);
  }
});

test("without keys, an address has one limit for all protocols", async () => {
  const codes = [];
  for (const { ask } of PROTOCOL_CASES) {
    codes.push((await ask(limited.url, {})).code);
  }
  expect(codes).toEqual(["OK", ...new Array<string>(PROTOCOL_CASES.length - 1).fill("RESOURCE_EXHAUSTED")]);
});

test("health checks need no key and are not counted", async () => {
  for (let count = 0; count < 2 * LIMIT; count++) {
    for (const path of ["/healthz", "/readyz"]) {
      const response = await fetch(`${closed.url}${path}`);
      expect([response.status, response.headers.get("ratelimit")]).toEqual([200, null]);
    }
    const response = await health(closed.url, "Check");
    expect(await response.json()).toEqual({ status: "SERVING" });
  }
});

test("a list of the health of all services needs a key, unless reflection is open", async () => {
  const rejected = await health(closed.url, "List");
  expect([rejected.status, await rejected.json()]).toMatchObject([401, { code: "unauthenticated" }]);
  const { statuses } = (await (await health(open.url, "List")).json()) as { statuses: object };
  expect(Object.keys(statuses)).toContain("utilitytools.v1.GeoIpService");
});

function health(url: string, method: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${url}/grpc.health.v1.Health/${method}`, { method: "POST", body: "{}", headers });
}

test("the API document describes keys and limits", async () => {
  const document = await fetch(`${closed.url}/openapi.json`, {
    headers: { "x-api-key": keys[0]?.key ?? "" },
  });
  const described = (await document.json()) as {
    security: unknown;
    components: { securitySchemes: object };
    paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>;
  };
  const { security, components, paths } = described;
  await expectValid(described);
  expect(security).toEqual([{ bearer: [] }, { apiKey: [] }]);
  expect(components.securitySchemes).toMatchObject({
    bearer: { type: "http", scheme: "bearer" },
    apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
  });
  const { responses } = paths["/v1/geoIp"]?.get ?? { responses: {} };
  expect(responses["401"]?.description).toMatch(/API_KEY_MISSING.*API_KEY_INVALID/s);
  expect(responses["429"]?.description).toContain("RATE_LIMIT_EXCEEDED");
});

test("the API document of a service without keys says that none is needed", async () => {
  const document = (await (await fetch(`${unlimited.url}/openapi.json`)).json()) as {
    security: unknown;
    components: object;
    paths: Record<string, Record<string, { responses: object }>>;
  };
  expect(document.security).toEqual([]);
  expect(document.components).not.toHaveProperty("securitySchemes");
  expect(document.paths["/v1/geoIp"]?.get?.responses).not.toHaveProperty("401");
  expect((await fetch(`${unlimited.url}/v1/geoIp?ip_address=8.8.8.8`)).status).toBe(200);
});

test("unknown paths also require a key, so that clients without one cannot probe the API", async () => {
  expect((await fetch(`${closed.url}/v1/nothing`)).status).toBe(401);
  expect((await fetch(`${closed.url}/v1/geoIp`, { method: "PUT" })).status).toBe(401);
});
