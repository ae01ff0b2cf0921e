import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { readUntilClose } from "connect-transcoding-testing/open-server.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { afterEach, expect, test, vi } from "vitest";
import { createServer, type TranscodingServer } from "../../src/hosts/server.js";

const GET = "GET /v1/shelves/1/books/2 HTTP/1.1\r\nHost: a\r\n\r\n";
const LONG_GRACE = 20_000;
const servers: TranscodingServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

async function start(options: Parameters<typeof shelfRoutes>[0] = {}) {
  const server = createServer({ routes: shelfRoutes(options) });
  servers.push(server);
  return { server, address: await server.listen("127.0.0.1", 0) };
}

const open = (port: number): Socket => connect({ port, host: "127.0.0.1" });

/** Resolves when a port accepts no more connections. */
async function expectRefused(port: number): Promise<void> {
  for (let isOpen = true; isOpen; ) {
    const socket = open(port);
    isOpen = await new Promise((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("listens on a free port for port 0, and counts its connections", async () => {
  const { server, address } = await start();
  expect([address.address, address.port > 0, server.connections]).toEqual(["127.0.0.1", true, 0]);
  const socket = open(address.port);
  socket.write(GET);
  await once(socket, "data");
  expect(server.connections).toBe(1);
  socket.destroy();
  await vi.waitUntil(() => server.connections === 0, { timeout: 30_000 });
});

test("rejects `listen` if the port is in use, and can be closed without listening", async () => {
  const { address } = await start();
  const other = createServer({ routes: shelfRoutes() });
  await expect(other.listen("127.0.0.1", address.port)).rejects.toMatchObject({ code: "EADDRINUSE" });
  await other.close(0);
});

test("responds to a request that arrives during shutdown, and asks the client to close", async () => {
  const { server, address } = await start();
  const socket = open(address.port);
  socket.write(GET);
  expect(String((await once(socket, "data"))[0])).not.toMatch(/connection: close/i);
  const closed = server.close(LONG_GRACE);
  await expectRefused(address.port);
  const response = readUntilClose(socket);
  socket.write(GET);
  expect(await response).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n/i);
  await closed;
});

test("gives calls in progress the grace period, and then cuts them", async () => {
  let started = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    started = resolve;
  });
  const { server, address } = await start({
    getBook: ({ name }) => {
      started();
      return name === "slow"
        ? new Promise((resolve) => setTimeout(() => resolve({ name }), 300))
        : new Promise(() => {});
    },
  });
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${address.port}` });
  const client = createClient(ShelfService, transport);
  const slow = client.getBook({ name: "slow" });
  const stuck = client.getBook({ name: "stuck" }).catch((error: unknown) => error);
  await waiting;
  await server.close(1500);
  expect(await slow).toMatchObject({ name: "slow" });
  expect(await stuck).toMatchObject({ code: expect.any(Number) });
  expect(await stuck).not.toMatchObject({ code: Code.DeadlineExceeded });
});

test("replaces its routes behind open connections, and keeps the previous ones if the next are invalid", async () => {
  const { server, address } = await start();
  const socket = open(address.port);
  const responseTo = async (path: string) => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return String((await once(socket, "data"))[0]).split(" ")[1];
  };
  expect(await responseTo("/v1/shelves/1/books/2")).toBe("200");
  const page = { status: 200, headers: { "content-type": "text/plain" }, body: "page" };
  server.replace({ routes: () => undefined, transcoding: { pages: new Map([["/page", page]]) } });
  expect(await responseTo("/v1/shelves/1/books/2")).toBe("404");
  expect(await responseTo("/page")).toBe("200");
  const rules = [{ selector: "unknown.Service.Method", pattern: { case: "get" as const, value: "/v1/x" } }];
  expect(() => server.replace({ routes: shelfRoutes(), transcoding: { rules } })).toThrow("unknown.Service");
  expect(await responseTo("/page")).toBe("200");
  server.replace({ routes: shelfRoutes() });
  expect(await responseTo("/v1/shelves/1/books/2")).toBe("200");
  socket.destroy();
});

test("understands the HTTP methods of the routes that it serves now", async () => {
  const { server, address } = await start();
  const socket = open(address.port);
  const responseTo = async (method: string) => {
    socket.write(`${method} /v1/held HTTP/1.1\r\nHost: a\r\n\r\n`);
    return String((await once(socket, "data"))[0]).split(" ")[1];
  };
  expect(await responseTo("HOLD")).toBe("501");
  const rule = { selector: `${ShelfService.typeName}.GetBook` };
  const custom = { kind: "HOLD", path: "/v1/held" };
  server.replace({
    routes: shelfRoutes(),
    transcoding: { rules: [{ ...rule, pattern: { case: "custom", value: custom } }] },
  });
  expect(await responseTo("HOLD")).toBe("200");
  socket.destroy();
});
