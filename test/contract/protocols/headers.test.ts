import { afterEach, describe, expect, test } from "vitest";
import { send } from "../support/clients.js";
import { type RawExchange, sendHttp2, sendRaw } from "../support/raw-http.js";
import { useServer } from "../support/serve.js";

describe("Host and :authority", () => {
  const server = useServer({ tools: [] });

  const REST_PATH = "/v1/geoIp?ip_address=8.8.8.8";
  const RPC_PATH = "/grpc.health.v1.Health/Check";

  /** Invalid hosts. connect-node throws on some of them where the exception cannot be caught. */
  const HOSTS = [
    "[bad",
    "bad]",
    "[::1",
    "[::g]",
    "[fe80::1%25eth0]",
    "x:99999",
    "x:-1",
    "x:1:2",
    "x:8a",
    ":80",
    "user@host",
    "user:password@host",
    "a,b",
    "a%20b",
    "%",
    "1.2.3.4.5",
    "999.999.999.999",
    "x".repeat(300),
    "",
    "a b",
    "a\tb",
    "host/path",
    "host?query",
    "host#fragment",
    "<script>",
    '"',
    "\\\\host",
  ];

  const errorOf = ({ status, body }: RawExchange): unknown => [
    status,
    JSON.parse(body).error.details[0].reason,
  ];
  const REJECTED = [400, "INVALID_HOST"];

  afterEach(async () => {
    const { status } = await send(`${server.url}${RPC_PATH}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect([status, server.bugs]).toEqual([200, []]);
  });

  describe.each([
    ["REST", `GET ${REST_PATH}`, 404],
    ["RPC", `POST ${RPC_PATH}`, 400],
  ])("over HTTP/1.1, %s", (_protocol, line, statusWithHost) => {
    const head = (version: string, ...hosts: string[]) =>
      [`${line} HTTP/${version}`, ...hosts.map((host) => `Host: ${host}`), "Content-Type: application/json"]
        .concat("Content-Length: 0", "Connection: close", "", "")
        .join("\r\n");

    test.each(HOSTS)("Host: %j", async (host) => {
      expect(errorOf(await sendRaw(server.port, head("1.1", host)))).toEqual(REJECTED);
    });
    test("no Host", async () => {
      expect(errorOf(await sendRaw(server.port, head("1.1")))).toEqual(REJECTED);
    });
    test("no Host, HTTP/1.0, which does not need one", async () => {
      const withHost = await sendRaw(server.port, head("1.0", "a"));
      expect(withHost.status).toBe(statusWithHost);
      expect(await sendRaw(server.port, head("1.0"))).toEqual(withHost);
    });
    test("two Hosts", async () => {
      expect(errorOf(await sendRaw(server.port, head("1.1", "a", "b")))).toEqual(REJECTED);
    });
    test("two Hosts with many headers between them", async () => {
      const many = head("1.1", "a", "b").replace("Host: b", `${"x:\r\n".repeat(90)}Host: b`);
      expect(errorOf(await sendRaw(server.port, many))).toEqual(REJECTED);
    });
    test("a target with a bad authority", async () => {
      const [httpMethod, path] = line.split(" ");
      const absolute = head("1.1", "good").replace(
        `${httpMethod} ${path}`,
        `${httpMethod} http://[bad${path}`,
      );
      expect(errorOf(await sendRaw(server.port, absolute))).toEqual(REJECTED);
    });
  });

  describe.each([
    ["REST", "GET", REST_PATH],
    ["RPC", "POST", RPC_PATH],
  ])("over HTTP/2, %s", (_protocol, method, path) => {
    const headers = {
      ":method": method,
      ":path": path,
      ":scheme": "http",
      "content-type": "application/json",
    };

    test.each(HOSTS)(":authority %j", async (authority) => {
      expect(errorOf(await sendHttp2(server.url, { ...headers, ":authority": authority }))).toEqual(REJECTED);
    });
    test("a Host that is not the :authority", async () => {
      const exchange = await sendHttp2(server.url, { ...headers, ":authority": "a", host: "b" });
      expect(errorOf(exchange)).toEqual(REJECTED);
    });
  });

  describe("valid hosts", () => {
    const request = (target: string, host: string) =>
      [`POST ${target} HTTP/1.1`, `Host: ${host}`, "Content-Type: application/json", "Content-Length: 2"]
        .concat("Connection: close", "", "{}")
        .join("\r\n");

    test.each([
      "a",
      "a.example:",
      "a.example:65535",
      "under_score.example",
      "127.0.0.1:8080",
      "[::1]:1",
      "[2001:db8::1]",
    ])("Host: %j", async (host) => {
      expect((await sendRaw(server.port, request(RPC_PATH, host))).status).toBe(200);
    });
    test("a target with an authority of its own", async () => {
      const target = `http://other.example${RPC_PATH}`;
      expect((await sendRaw(server.port, request(target, "a"))).status).toBe(200);
    });
  });
});

describe("security headers", () => {
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
      ["/docs/reference.js", 200, expect.stringMatching(/^default-src 'none'; script-src 'self'/)],
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
      ["gRPC-Web in base64", CALL, connect("application/grpc-web-text")],
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
});

describe("CORS", () => {
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
        "origin, accept-encoding, access-control-request-method, access-control-request-headers",
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
      const first = await preflight(`${all.url}${path}`, "https://other.example");
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

  test.each([["GET\t"], ["x".repeat(2000)]])(
    "an invalid list of names is not echoed: %j",
    async (headers) => {
      const response = await preflight(`${some.url}/v1/otp`, "https://a.example", {
        "access-control-request-headers": headers,
      });
      const allowed = response.headers.get("access-control-allow-headers");
      expect(allowed === null || allowed === headers.trim()).toBe(true);
      expect(response.status).toBe(204);
    },
  );

  test("an OPTIONS request that is not a preflight has the usual response", async () => {
    const response = await fetch(`${some.url}/v1/otp`, {
      method: "OPTIONS",
      headers: { origin: "https://a.example" },
    });
    expect([response.status, response.headers.get("allow")]).toEqual([204, "POST, OPTIONS"]);
  });
});

// RFC 9110, section 5.6.3: optional white space is SP and HTAB, which 0xA0 is not.
describe("white space in a header", () => {
  const server = useServer();
  const BODY = '{"ip_addresses":["8.8.8.8"]}';
  const TYPE = "Content-Type: application/json";
  const LENGTH = `Content-Length: ${BODY.length}`;

  test.each([
    [`${TYPE}\t \r\n${LENGTH}`, 200],
    [`${TYPE}\xa0\r\n${LENGTH}`, 415],
    [`${TYPE}\r\nContent-Encoding: identity\xa0\r\n${LENGTH}`, 415],
    [`${TYPE}\r\nTransfer-Encoding: gzip,\xa0chunked`, 400],
  ])("%j: status %i", async (headers, status) => {
    const head = `POST /v1/geoIp:batch HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n\r\n`;
    expect((await sendRaw(server.port, head + BODY)).status).toBe(status);
  });
});
