import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { digestOf } from "connect-transcoding-operations/access/api-keys";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { gatewayTo, startUpstream } from "./support/upstream.js";

const KEY = "ut_test";

/** Responds with the names of the metadata in the title. */
const SHELF = {
  getBook: ({ name }: { name: string }, { requestHeader }: { requestHeader: Headers }) => ({
    name,
    title: [...requestHeader.keys()].sort().join(" "),
  }),
};

/** Writes a file with a key, until the test ends. */
function keysFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "gateway-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "keys");
  writeFileSync(file, `reader ${digestOf(KEY)}\n`);
  return file;
}

const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/shelves/1/books/2`, { headers });

describe("API keys", () => {
  test("are needed in every protocol, and do not reach upstreams", async () => {
    const { url } = await gatewayTo(await startUpstream(SHELF), { apiKeysFile: keysFile() });
    const rejected = await get(url);
    expect([rejected.status, rejected.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="connect-transcoding-gateway"',
    ]);
    expect(await rejected.json()).toMatchObject({ error: { details: [{ reason: "API_KEY_MISSING" }] } });
    for (const headers of [{ authorization: `Bearer ${KEY}` }, { "x-api-key": KEY }]) {
      const response = await get(url, headers);
      const { title } = (await response.json()) as { readonly title: string };
      expect(response.status).toBe(200);
      expect(title.split(" ")).not.toEqual(expect.arrayContaining(["authorization"]));
      expect(title.split(" ")).not.toEqual(expect.arrayContaining(["x-api-key"]));
    }
    const client = createClient(ShelfService, createGrpcTransport({ baseUrl: url }));
    const error = ConnectError.from(await client.getBook({ name: "a" }).catch((thrown: unknown) => thrown));
    expect(error.code).toBe(Code.Unauthenticated);
    const { title } = await client.getBook({ name: "a" }, { headers: { "x-api-key": KEY } });
    expect(title.split(" ")).toContain("x-forwarded-for");
    expect(title.split(" ")).not.toContain("x-api-key");
  });

  test("other credentials reach upstreams", async () => {
    const { url } = await gatewayTo(await startUpstream(SHELF), { apiKeysFile: keysFile() });
    const response = await get(url, { authorization: "Basic YTpi", "x-api-key": KEY });
    const { title } = (await response.json()) as { readonly title: string };
    expect(title.split(" ")).toContain("authorization");
  });

  test("the API reference asks for one", async () => {
    const { url } = await gatewayTo(await startUpstream(SHELF), { apiKeysFile: keysFile() });
    const page = await fetch(`${url}/docs`);
    expect(page.status).toBe(200);
    expect(await page.text()).not.toContain("GetBook");
    expect((await fetch(`${url}/docs/reference.js`)).status).toBe(200);
    expect((await fetch(`${url}/docs/content`)).status).toBe(401);
    const content = await fetch(`${url}/docs/content`, { headers: { "x-api-key": KEY } });
    expect(await content.text()).toContain("GetBook");
  });

  test("open areas need none", async () => {
    const { url } = await gatewayTo(await startUpstream(SHELF), {
      apiKeysFile: keysFile(),
      openAreas: ["docs"],
    });
    const statuses = [];
    for (const path of ["/healthz", "/readyz", "/openapi.json", "/metrics"]) {
      statuses.push((await fetch(url + path)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 401]);
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      readonly components: { readonly securitySchemes: object };
    };
    expect(Object.keys(document.components.securitySchemes)).toEqual(["bearer", "apiKey"]);
  });
});

test("a rate limit counts calls of every protocol", async () => {
  const { url } = await gatewayTo(await startUpstream(SHELF), { rateLimit: { limit: 3, window: 60 } });
  const first = await get(url);
  expect(first.headers.get("ratelimit")).toMatch(/^"default";r=2;t=\d+$/);
  const client = createClient(ShelfService, createGrpcTransport({ baseUrl: url }));
  await client.getBook({ name: "a" });
  expect((await get(url)).status).toBe(200);
  const rejected = await get(url);
  expect([rejected.status, rejected.headers.has("retry-after")]).toEqual([429, true]);
  await expect(client.getBook({ name: "a" })).rejects.toMatchObject({ code: Code.ResourceExhausted });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("the log has a line for each request", async () => {
  const { url, lines } = await gatewayTo(await startUpstream(SHELF), {
    logRequests: "all",
    trustedProxies: ["127.0.0.1"],
  });
  const response = await get(url, { "x-forwarded-for": "192.0.2.7" });
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  const client = createClient(ShelfService, createGrpcTransport({ baseUrl: url }));
  await expect(client.createBook({})).rejects.toMatchObject({ code: Code.Unimplemented });
  const logged = () => lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  await expect.poll(() => logged().length).toBe(2);
  expect(logged()).toMatchObject([
    {
      msg: "request",
      method: `${ShelfService.typeName}.GetBook`,
      protocol: "rest",
      code: "OK",
      status: 200,
      client: "192.0.2.7",
      requestId: response.headers.get("x-request-id"),
    },
    { method: `${ShelfService.typeName}.CreateBook`, protocol: "grpc", code: "UNIMPLEMENTED" },
  ]);
});

test("the client address is that in another header, or of the PROXY protocol", async () => {
  const { url, lines } = await gatewayTo(await startUpstream(SHELF), {
    ...{ logRequests: "all", trustedProxies: ["127.0.0.1"], clientAddressHeader: "x-real-ip" },
    proxyProtocol: true,
  });
  const lineFor = async (source: string, header: string) => {
    lines.length = 0;
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const path = "/v1/shelves/1/books/2";
    socket.end(
      `PROXY TCP4 ${source} 127.0.0.1 1 2\r\nGET ${path} HTTP/1.1\r\nHost: a\r\n${header}Connection: close\r\n\r\n`,
    );
    socket.resume();
    await expect.poll(() => lines.filter((line) => line.startsWith("{")).length).toBe(1);
    return JSON.parse(lines.find((line) => line.startsWith("{")) ?? "").client;
  };
  expect(await lineFor("192.0.2.7", "x-real-ip: 192.0.2.9\r\n")).toBe("192.0.2.7");
  expect(await lineFor("127.0.0.1", "x-forwarded-for: 192.0.2.8\r\nx-real-ip: 192.0.2.9\r\n")).toBe(
    "192.0.2.9",
  );
});

test("exports a span for each request", async () => {
  const bodies: unknown[] = [];
  const collector = createServer(async (request, response) => {
    bodies.push(await json(request));
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  const gateway = await gatewayTo(await startUpstream(SHELF), { otlpEndpoint: `http://127.0.0.1:${port}` });
  await get(gateway.url);
  await gateway.stop();
  const text = JSON.stringify(bodies);
  expect(text).toContain(`"name":"${ShelfService.typeName}/GetBook"`);
  expect(text).toContain('"connect-transcoding-gateway"');
});

test("variables of OpenTelemetry that are not valid end the start, and others that are not honored get a line", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("OTEL_TRACES_SAMPLER_ARG", "2");
  const upstream = await startUpstream(SHELF);
  const otlpEndpoint = "http://127.0.0.1:1";
  await expect(gatewayTo(upstream, { otlpEndpoint })).rejects.toThrow(
    "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1",
  );
  vi.stubEnv("OTEL_TRACES_SAMPLER_ARG", "");
  vi.stubEnv("OTEL_SDK_DISABLED", "true");
  const gateway = await gatewayTo(upstream, { otlpEndpoint });
  expect(gateway.lines).toContain("OTEL_SDK_DISABLED has no effect");
});
