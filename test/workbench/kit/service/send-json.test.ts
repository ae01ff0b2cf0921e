import { afterEach, expect, test, vi } from "vitest";
import { pageModule } from "../../page-module.js";

const { createCallJson } = await pageModule<{
  readonly createCallJson: (
    baseUrl: string,
    apiKey: () => string,
  ) => (method: string, request: object, signal: AbortSignal) => Promise<unknown>;
}>("kit/service/send-json.ts");

afterEach(() => {
  vi.unstubAllGlobals();
});

const respond = (body: string, init: ResponseInit) =>
  vi.fn<typeof fetch>(async () => new Response(body, init));

const never = new AbortController().signal;

test("a call has its request in the body and the key in a header", async () => {
  const fetched = respond('{"ip":"8.8.8.8"}', { status: 200 });
  vi.stubGlobal("fetch", fetched);
  const call = createCallJson("http://host/tools", () => "key");
  expect(await call("GeoIpService/LookupIp", { ip_address: "8.8.8.8" }, never)).toEqual({
    ok: true,
    value: { ip: "8.8.8.8" },
  });
  const [url, init] = fetched.mock.calls[0] ?? [];
  expect(url).toBe("http://host/tools/utilitytools.v1.GeoIpService/LookupIp");
  expect(init?.body).toBe('{"ip_address":"8.8.8.8"}');
  expect(new Headers(init?.headers).get("authorization")).toBe("Bearer key");
});

const violation = { field: "email", description: "must have an @", reason: "NO_AT" };
const none = { reason: "", metadata: {}, violations: [], retryAfter: undefined };

test.each([
  [
    "an error with its details",
    JSON.stringify({
      code: "invalid_argument",
      message: "wrong",
      details: [
        { debug: { fieldViolations: [violation] } },
        { debug: { reason: "INVALID", metadata: { a: "b" } } },
      ],
    }),
    {
      ...none,
      code: "INVALID_ARGUMENT",
      message: "wrong",
      reason: "INVALID",
      metadata: { a: "b" },
      violations: [violation],
    },
  ],
  ["a page of a proxy", "<h1>Bad gateway</h1>", { ...none, code: "UNAVAILABLE", message: "" }],
])("%s is a failure", async (_, body, failure) => {
  vi.stubGlobal("fetch", respond(body, { status: 502 }));
  expect(await createCallJson("", () => "")("A/B", {}, never)).toEqual({ ok: false, failure });
});

test("a broken connection is a failure, and an aborted call throws", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("network")));
  const call = createCallJson("", () => "");
  expect(await call("A/B", {}, never)).toMatchObject({
    ok: false,
    failure: { code: "UNAVAILABLE", reason: "" },
  });
  await expect(call("A/B", {}, AbortSignal.abort())).rejects.toThrow("aborted");
});
