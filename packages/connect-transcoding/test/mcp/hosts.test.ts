import { createServer as createHttp1Server, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import express from "express";
import fastify from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTranscodingMiddleware } from "../../src/hosts/express.js";
import { fastifyTranscodingPlugin } from "../../src/hosts/fastify.js";
import { createTranscodingHandler } from "../../src/hosts/fetch.js";
import { createTranscodingAdapter } from "../../src/hosts/node.js";
import { createServer } from "../../src/hosts/server.js";
import { mcpPage } from "../../src/mcp/index.js";

// All hosts have the same page, each with its own adapter.
const page = mcpPage({ info: { name: "library", version: "1.0.0" } });
const options = { routes: shelfRoutes(), transcoding: { pages: new Map([["/mcp", page]]), checkHost: true } };

interface Host {
  readonly url: string;
  readonly fetch?: typeof fetch;
}

async function listen(handler: RequestListener): Promise<Host> {
  const server = createHttp1Server(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const HOSTS: readonly [name: string, start: () => Host | Promise<Host>][] = [
  [
    "the server of the engine",
    async () => {
      const server = createServer(options);
      const { port } = await server.listen("127.0.0.1", 0);
      onTestFinished(() => server.close(0));
      return { url: `http://127.0.0.1:${port}` };
    },
  ],
  ["node:http", () => listen(createTranscodingAdapter(options))],
  ["Express", () => listen(express().use(createTranscodingMiddleware(options)))],
  [
    "Express with a parser",
    () => listen(express().use(express.json()).use(createTranscodingMiddleware(options))),
  ],
  [
    "Fastify",
    async () => {
      const instance = fastify();
      await instance.register(fastifyTranscodingPlugin, options);
      onTestFinished(() => instance.close());
      return { url: await instance.listen({ port: 0, host: "127.0.0.1" }) };
    },
  ],
  [
    "fetch",
    () => {
      const handler = createTranscodingHandler(options);
      return { url: "http://localhost", fetch: async (input, init) => handler(new Request(input, init)) };
    },
  ],
];

describe.each(HOSTS)("on %s", (_, start) => {
  test.each(["2025-11-25", "2026-07-28"])("a client calls a tool in revision %s", async (version) => {
    const { url, fetch } = await start();
    const client = new Client(
      { name: "test", version: "1.0.0" },
      version === "2026-07-28" ? { versionNegotiation: { mode: { pin: version } } } : {},
    );
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { ...(fetch && { fetch }) }),
    );
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("service_get_book");
    const call = (args: Record<string, string>) =>
      client.callTool({ name: "service_get_book", arguments: args });
    expect(await call({ name: "shelves/1/books/2" })).toMatchObject({
      structuredContent: { name: "shelves/1/books/2" },
    });
    expect(await call({ titel: "x" })).toMatchObject({ isError: true });
    await client.close();
  });

  test("other HTTP methods are not allowed", async () => {
    const { url, fetch = globalThis.fetch } = await start();
    const send = async (method: string) => {
      const { status, headers } = await fetch(`${url}/mcp`, { method });
      return [method, status, headers.get("allow")];
    };
    const allow = "POST, OPTIONS";
    expect(await Promise.all(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"].map(send))).toEqual([
      ...["GET", "HEAD", "PUT", "DELETE"].map((method) => [method, 405, allow]),
      ["OPTIONS", 204, allow],
    ]);
  });
});
