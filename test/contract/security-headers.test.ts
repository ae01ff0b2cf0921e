import { describe, expect, test } from "vitest";
import { useServer } from "./serve.js";

const server = useServer();

const CLOSED = "default-src 'none'; frame-ancestors 'none'";

const connect = (type: string): RequestInit => ({
  method: "POST",
  body: "{}",
  headers: { "content-type": type },
});

describe("security headers", () => {
  test.each<[string, number, string | null]>([
    ["/v1/countries", 200, null],
    ["/v1/geoIp?ip_address=x", 400, null],
    ["/nowhere", 404, null],
    ["/v1/barcode?type=qr_code&data=x", 200, CLOSED],
    ["/v1/barcode?type=qr_code&data=x&format=png", 200, CLOSED],
    ["/docs/docs.js", 200, expect.stringMatching(/^default-src 'none'; script-src 'self'/)],
    ["/docs", 200, expect.stringMatching(/^default-src 'none'; script-src 'self'/)],
  ])("%s", async (path, status, policy) => {
    const response = await fetch(`${server.url}${path}`);
    await response.arrayBuffer();
    const header = (name: string) => response.headers.get(name);
    expect([response.status, header("x-content-type-options"), header("content-security-policy")]).toEqual([
      status,
      "nosniff",
      policy,
    ]);
  });

  // Browsers can load some of these directly, and all of them with scripts.
  const CALL = "/utilitytools.v1.GeoIpService/LookupIp";
  test.each<[string, string, RequestInit]>([
    [
      "a Connect call by GET",
      `${CALL}?connect=v1&encoding=json&message=%7B%22ip_address%22%3A%228.8.8.8%22%7D`,
      {},
    ],
    ["an error of one", `${CALL}?connect=v1&encoding=json&message=%7B%7D`, {}],
    ["an HTTP method that is not allowed", CALL, { method: "DELETE" }],
    ["a form", CALL, { method: "POST", body: new URLSearchParams({ a: "b" }) }],
    ["Connect", CALL, connect("application/json")],
    ["a stream over Connect", "/grpc.health.v1.Health/Watch", connect("application/connect+json")],
    ["gRPC-Web", CALL, connect("application/grpc-web")],
    ["a method that does not exist, over gRPC-Web", "/a/b", connect("application/grpc-web")],
    ["OPTIONS", "/v1/geoIp", { method: "OPTIONS" }],
    ["a page that has moved", "/docs/", { redirect: "manual" }],
    ["health", "/readyz", {}],
  ])("%s", async (_, path, init) => {
    const response = await fetch(`${server.url}${path}`, init);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    await response.body?.cancel();
  });

  test("of an e-mail address as text", async () => {
    const response = await fetch(`${server.url}/v1/sanitizeEmail`, {
      method: "POST",
      body: new URLSearchParams({ email: "a@b.example" }),
    });
    expect(await response.text()).toBe("a@b.example");
    expect(response.headers.get("content-security-policy")).toBe(CLOSED);
  });
});
