import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { createSecureServer } from "node:http2";
import { get } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { create } from "@bufbuild/protobuf";
import { Code, createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createGrpcTransport } from "@connectrpc/connect-node";
import { healthRoutes, reflectionRoutes } from "connect-transcoding";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "connect-transcoding/gen/health/v1/health_pb.js";
import { TLS } from "connect-transcoding-testing/files.js";
import { BookSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, onTestFinished, test } from "vitest";
import type { GatewayOptions } from "../src/options.js";
import { gatewayTo, startTestGateway, startUpstream } from "./support/upstream.js";

const SHELF = { getBook: ({ name }: { name: string }) => ({ name, title: "T" }) };

describe("the form of REST", () => {
  test("follows the options", async () => {
    const upstream = await startUpstream({
      getBook: ({ name }: { name: string }) => ({ name, isbn: 5n, authorNames: ["x"] }),
    });
    const { url } = await gatewayTo(upstream, {
      json: ["proto-names", "omit-defaults", "number-longs"],
      errors: "rfc-9457",
      systemParameters: true,
      methodOverride: true,
    });
    const book = { name: "shelves/1/books/2", isbn: 5, author_names: ["x"] };
    const path = "/v1/shelves/1/books/2";
    expect(await (await fetch(url + path)).json()).toEqual(book);
    expect(await (await fetch(`${url}${path}?$fields=isbn`)).json()).toEqual({ isbn: 5 });
    const headers = { "x-http-method-override": "GET" };
    expect(await (await fetch(url + path, { method: "POST", headers })).json()).toEqual(book);
    const failed = await fetch(`${url}${path}?color=red`);
    expect([failed.status, failed.headers.get("content-type")]).toEqual([400, "application/problem+json"]);
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      components: { schemas: Record<string, { required?: string[] }> };
    };
    expect(document.components.schemas.Error?.required).toEqual(["type", "title", "status"]);
  });
});

test("requests as other gateways accept them, if the options say so", async () => {
  const upstream = await startUpstream({ ...SHELF, createBook: ({ book = create(BookSchema) }) => book });
  const directory = mkdtempSync(join(tmpdir(), "gateway-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const rules = join(directory, "rules.json");
  const rule = {
    selector: `${ShelfService.typeName}.CreateBook`,
    post: "/v1/books",
    body: "book",
    additional_bindings: [{ delete: "/v1/books" }],
  };
  writeFileSync(rules, JSON.stringify({ http: { rules: [rule] } }));
  const query = "/v1/books?book.labels[color]=red";
  const send = async (options: Partial<GatewayOptions>): Promise<unknown[]> => {
    const { url } = await gatewayTo(upstream, { rules, ...options });
    const body = new Blob(['{"title":"T"}']);
    const untyped = await fetch(`${url}/v1/books`, { method: "POST", body });
    const unexpected = await fetch(url + query, { method: "DELETE", body });
    const { labels } = (await unexpected.json()) as { labels?: object };
    return [
      untyped.status,
      unexpected.status,
      labels,
      (await (await fetch(`${url}/openapi.json`)).text()).includes("deepObject"),
    ];
  };
  expect(await send({})).toEqual([415, 400, undefined, false]);
  expect(await send({ mapParameters: true, unexpectedBodies: "ignore", untypedBodies: "json" })).toEqual([
    200,
    200,
    { color: "red" },
    true,
  ]);
});

test("agents can use the methods as tools at /mcp, if the option says so", async () => {
  const received: string[] = [];
  const upstream = await startUpstream({
    getBook: ({ name }, { requestHeader }) => {
      received.push(...requestHeader.keys());
      return { name, title: "T" };
    },
    async *watchBook({ name }: { name: string }) {
      for (const pages of [1, 2, 3]) {
        yield { name, pages };
      }
    },
  });
  const { url } = await gatewayTo(upstream, { mcp: true });
  const request = async (method: string, params: object): Promise<unknown> => {
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", "x-reader": "Ada" },
        ...{ "mcp-session-id": "s", "mcp-protocol-version": "2025-11-25", "mcp-name": "n" },
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return response.json();
  };
  const tools = [
    { name: "service_get_book" },
    { name: "service_create_book" },
    { name: "service_watch_book" },
  ];
  expect(await request("tools/list", {})).toMatchObject({ result: { tools } });
  const call = (name: string, args: object) => request("tools/call", { name, arguments: args });
  expect(await call("service_get_book", { name: "shelves/1/books/2" })).toMatchObject({
    result: { structuredContent: { name: "shelves/1/books/2", title: "T" } },
  });
  expect(received.filter((name) => /^(?:mcp|x-reader)/.test(name))).toEqual(["x-reader"]);
  expect(await call("service_watch_book", { name: "x", max_items: 2 })).toMatchObject({
    result: { structuredContent: { items: [{ pages: 1 }, { pages: 2 }] } },
  });
  expect(await call("service_create_book", {})).toMatchObject({
    result: { isError: true, content: [{ text: expect.stringMatching(/^UNIMPLEMENTED/) }] },
  });
  // A page of another site, whose name is resolved to this address (DNS rebinding).
  const headers = { host: "evil.example", "content-type": "application/json" };
  const foreign = httpRequest(`${url}/mcp`, { method: "POST", headers }).end("{}");
  const [{ statusCode }] = await once(foreign, "response");
  expect(statusCode).toBe(403);
  const without = await gatewayTo(upstream);
  expect((await fetch(`${without.url}/mcp`, { method: "POST" })).status).toBe(404);
});

describe("pages", () => {
  test("the OpenAPI document has the routes and the prefix", async () => {
    const upstream = await startUpstream(SHELF);
    const { url } = await gatewayTo(upstream, { prefix: "/api", openApiTitle: "Shelves" });
    expect((await fetch(`${url}/api/v1/shelves/1/books/2`)).status).toBe(200);
    expect((await fetch(`${url}/v1/shelves/1/books/2`)).status).toBe(404);
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
    expect(document).toMatchObject({
      openapi: "3.1.1",
      info: { title: "Shelves" },
      servers: [{ url: "/api" }],
    });
    expect(Object.keys(document.paths)).toHaveLength(3);
    expect(Object.keys(document.paths)[0]).toMatch(/^\/v1\/shelves\/\{\w+\}\/books\/\{\w+\}$/);
  });

  test("the API reference has the methods, and sends requests below the prefix", async () => {
    const { url } = await gatewayTo(await startUpstream(SHELF), { prefix: "/api" });
    const page = await fetch(`${url}/docs`);
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    const html = await page.text();
    expect(html).toContain('data-base-url="api"');
    expect(html).toMatch(/<h3 id="GetBook"/);
    // The URL of the page comes from the script.
    expect(html).toContain(`</span>/${ShelfService.typeName}/GetBook'`);
    for (const file of ["reference.js", "reference.css", "icon.svg"]) {
      expect((await fetch(`${url}/docs/${file}`)).status).toBe(200);
    }
  });

  test("metrics count requests by method, protocol and code", async () => {
    const { url } = await gatewayTo(await startUpstream(SHELF));
    await fetch(`${url}/v1/shelves/1/books/2`);
    await createClient(ShelfService, createGrpcTransport({ baseUrl: url }))
      .createBook({})
      .catch(() => {});
    await fetch(`${url}/unknown`);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain(
      'gateway_requests_total{method="test.Service.GetBook",protocol="rest",code="OK"} 1',
    );
    expect(metrics).toContain('{method="test.Service.CreateBook",protocol="grpc",code="UNIMPLEMENTED"} 1');
    expect(metrics).toContain('{method="none",protocol="rest",code="NOT_FOUND"} 1');
    expect(metrics).toContain(
      'gateway_request_duration_seconds_count{method="test.Service.GetBook",protocol="rest"} 1',
    );
  });

  test("readiness and grpc.health are those of the upstream", async () => {
    let isServing = true;
    const health = {
      services: [ShelfService.typeName],
      isServing: () => isServing,
      isStopping: () => false,
      onChange: () => () => {},
    };
    const upstream = await startUpstream(SHELF, { routes: (router) => healthRoutes(health)(router) });
    const { url } = await gatewayTo(upstream);
    const client = createClient(Health, createGrpcTransport({ baseUrl: url }));
    const ready = async () => (await fetch(`${url}/readyz`)).status;
    expect([await ready(), (await client.check({ service: ShelfService.typeName })).status]).toEqual([
      200,
      Status.SERVING,
    ]);
    await expect(client.check({ service: "unknown" })).rejects.toMatchObject({ code: Code.NotFound });
    isServing = false;
    expect((await client.check({})).status).toBe(Status.NOT_SERVING);
    await expect.poll(ready).toBe(503);
    isServing = true;
    await expect.poll(ready).toBe(200);
    await upstream.kill();
    await expect.poll(ready).toBe(503);
  });
});

test("stops after the calls in progress", async () => {
  let finish: (() => void) | undefined;
  const upstream = await startUpstream({
    getBook: ({ name }) =>
      new Promise((resolve) => {
        finish = () => resolve({ name, title: "last" });
      }),
  });
  const gateway = await gatewayTo(upstream, { gracePeriod: 60_000, stopDelay: 200 });
  const last = fetch(`${gateway.url}/v1/shelves/1/books/2`);
  await expect.poll(() => finish).toBeDefined();
  const stopped = gateway.stop();
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(503);
  finish?.();
  expect(await (await last).json()).toMatchObject({ title: "last" });
  await stopped;
  await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
});

test("TLS with a certificate of the client to the upstream, and TLS on the port", async () => {
  const pem = (name: string) => join(TLS, name);
  const seen: string[] = [];
  const server = createSecureServer(
    {
      cert: readFileSync(pem("first-cert.pem")),
      key: readFileSync(pem("first-key.pem")),
      ca: readFileSync(pem("second-cert.pem")),
      requestCert: true,
      rejectUnauthorized: true,
    },
    connectNodeAdapter({
      routes: (router) => {
        router.service(ShelfService, SHELF);
        reflectionRoutes([ShelfService])(router);
      },
    }),
  );
  server.on("session", (session) => seen.push(session.alpnProtocol ?? ""));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { url, stop } = await startTestGateway({
    upstreams: [{ prefix: "", url: `https://localhost:${port}` }],
    ca: pem("first-cert.pem"),
    cert: pem("second-cert.pem"),
    key: pem("second-key.pem"),
    tlsCert: pem("first-cert.pem"),
    tlsKey: pem("first-key.pem"),
  });
  expect(url).toMatch(/^https:/);
  const body = await new Promise<string>((resolve, reject) => {
    const options = { ca: readFileSync(pem("first-cert.pem")), agent: false };
    get(`${url}/v1/shelves/1/books/2`, options, (response) => resolve(text(response))).on("error", reject);
  });
  expect(JSON.parse(body)).toMatchObject({ title: "T" });
  expect(seen).toEqual(["h2"]);
  await stop();
});
