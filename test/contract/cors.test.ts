import { describe, expect, test } from "vitest";
import { useServer } from "./serve.js";

// https://fetch.spec.whatwg.org/#http-cors-protocol

const some = useServer({ corsOrigins: ["https://a.example", "http://localhost:3000"] });
const all = useServer({ corsOrigins: ["*"] });
const none = useServer();

const PATHS = [
  "/v1/geoIp?ip_address=8.8.8.8",
  "/v1/otp",
  "/utilitytools.v1.GeoIpService/LookupIp",
  "/openapi.json",
  "/nothing/here",
];

function preflight(url: string, origin: string, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST", ...headers },
  });
}

const corsHeaders = (response: Response) =>
  Object.fromEntries([...response.headers].filter(([name]) => name.startsWith("access-control-")));

describe.each(PATHS)("%s", (path) => {
  test("responds to a preflight request", async () => {
    const response = await preflight(`${some.url}${path}`, "https://a.example", {
      "access-control-request-headers": "content-type,x-api-key",
    });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(corsHeaders(response)).toEqual({
      "access-control-allow-origin": "https://a.example",
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "content-type,x-api-key",
      "access-control-max-age": "7200",
    });
    expect(response.headers.get("vary")).toBe(
      "origin, access-control-request-method, access-control-request-headers",
    );
  });

  test.each(["https://evil.example", "null", "https://a.example.evil", "http://a.example"])(
    "sends no CORS headers to %s",
    async (origin) => {
      const response = await preflight(`${some.url}${path}`, origin);
      expect(corsHeaders(response)).toEqual({});
      expect(response.headers.get("vary")).toContain("origin");
    },
  );

  test("allows every page if all origins are allowed", async () => {
    const first = await preflight(`${all.url}${path}`, "https://whoever.example");
    expect(corsHeaders(first)["access-control-allow-origin"]).toBe("*");
    const then = await fetch(`${all.url}${path}`, { headers: { origin: "null" } });
    expect(corsHeaders(then)["access-control-allow-origin"]).toBe("*");
  });

  test("has Vary: origin, also without an Origin header", async () => {
    for (const { url } of [some, all]) {
      expect((await fetch(`${url}${path}`)).headers.get("vary")).toMatch(/\borigin\b/);
    }
    expect((await fetch(`${none.url}${path}`)).headers.get("vary") ?? "").not.toContain("origin");
  });

  test("sends no CORS headers without the setting", async () => {
    expect(corsHeaders(await preflight(`${none.url}${path}`, "https://a.example"))).toEqual({});
  });
});

test("errors are readable for the page, too", async () => {
  const response = await fetch(`${some.url}/v1/geoIp`, { headers: { origin: "http://localhost:3000" } });
  expect(response.status).toBe(400);
  expect(response.headers.get("access-control-allow-origin")).toBe("http://localhost:3000");
});

test.each([["GET\t"], ["x".repeat(2000)]])("an invalid list of names is not echoed: %j", async (headers) => {
  const response = await preflight(`${some.url}/v1/otp`, "https://a.example", {
    "access-control-request-headers": headers,
  });
  const allowed = response.headers.get("access-control-allow-headers");
  expect(allowed === null || allowed === headers.trim()).toBe(true);
  expect(response.status).toBe(204);
});

test("an OPTIONS request that is not a preflight has the usual response", async () => {
  const response = await fetch(`${some.url}/v1/otp`, {
    method: "OPTIONS",
    headers: { origin: "https://a.example" },
  });
  expect([response.status, response.headers.get("allow")]).toEqual([204, "POST, OPTIONS"]);
});
