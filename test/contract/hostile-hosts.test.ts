import { afterEach, describe, expect, test } from "vitest";
import { send } from "./clients.js";
import { type RawExchange, sendHttp2, sendRaw } from "./raw-http.js";
import { useServer } from "./serve.js";

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
];

/** Hosts for which the HTTP/2 stream is reset as malformed (RFC 9113, section 8.1.1). */
const MALFORMED_HOSTS = [
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

const isInvalidHost = ({ status, body }: RawExchange): unknown => [
  status,
  JSON.parse(body).error.details[0].reason,
];
const REFUSED = [400, "INVALID_HOST"];

afterEach(async () => {
  const { status } = await send(`${server.url}${RPC_PATH}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect([status, server.bugs]).toEqual([200, []]);
});

describe.each([
  ["REST", `GET ${REST_PATH}`],
  ["RPC", `POST ${RPC_PATH}`],
])("over HTTP/1.1, %s", (_protocol, line) => {
  const head = (version: string, ...hosts: string[]) =>
    [`${line} HTTP/${version}`, ...hosts.map((host) => `Host: ${host}`), "Content-Type: application/json"]
      .concat("Content-Length: 0", "Connection: close", "", "")
      .join("\r\n");

  test.each([...HOSTS, ...MALFORMED_HOSTS])("Host: %j", async (host) => {
    expect(isInvalidHost(await sendRaw(server.port, head("1.1", host)))).toEqual(REFUSED);
  });
  test("no Host", async () => {
    expect(isInvalidHost(await sendRaw(server.port, head("1.1")))).toEqual(REFUSED);
  });
  test("no Host, HTTP/1.0", async () => {
    expect(isInvalidHost(await sendRaw(server.port, head("1.0")))).toEqual(REFUSED);
  });
  test("two Hosts", async () => {
    expect(isInvalidHost(await sendRaw(server.port, head("1.1", "a", "b")))).toEqual(REFUSED);
  });
  test("two Hosts with many headers between them", async () => {
    const many = head("1.1", "a", "b").replace("Host: b", `${"x:\r\n".repeat(3000)}Host: b`);
    expect(isInvalidHost(await sendRaw(server.port, many))).toEqual(REFUSED);
  });
  test("a target with a bad authority", async () => {
    const [httpMethod, path] = line.split(" ");
    const absolute = head("1.1", "good").replace(`${httpMethod} ${path}`, `${httpMethod} http://[bad${path}`);
    expect(isInvalidHost(await sendRaw(server.port, absolute))).toEqual(REFUSED);
  });
});

describe.each([
  ["REST", "GET", REST_PATH],
  ["RPC", "POST", RPC_PATH],
])("over HTTP/2, %s", (_protocol, method, path) => {
  const headers = { ":method": method, ":path": path, ":scheme": "http", "content-type": "application/json" };

  test.each(HOSTS)(":authority %j", async (authority) => {
    expect(isInvalidHost(await sendHttp2(server.url, { ...headers, ":authority": authority }))).toEqual(
      REFUSED,
    );
  });
  test.each(MALFORMED_HOSTS)(":authority %j", async (authority) => {
    await expect(sendHttp2(server.url, { ...headers, ":authority": authority })).rejects.toThrow(
      "Stream closed with error code NGHTTP2_PROTOCOL_ERROR",
    );
  });
  test("a Host that is not the :authority", async () => {
    const exchange = await sendHttp2(server.url, { ...headers, ":authority": "a", host: "b" });
    expect(isInvalidHost(exchange)).toEqual(REFUSED);
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
