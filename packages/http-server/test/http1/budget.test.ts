import { afterEach, expect, test } from "vitest";
import { ByteBudget } from "../../src/core/byte-budget.js";
import { requestBytes } from "../../src/core/weights.js";
import type { ServerRequest } from "../../src/request.js";
import { connectTo, startServer, type TestServer } from "../support/test-server.js";

let server: TestServer | undefined;
afterEach(() => server?.close());

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

test("a response that the client does not read counts, until it has been read", async () => {
  const budget = new ByteBudget(100_000_000);
  server = await startServer({
    budget,
    onRequest: (request) => request.respond(200, [], Buffer.alloc(20_000_000)),
  });
  const client = await connectTo(server.port);
  client.socket.pause();
  client.write(GET);
  await expect.poll(() => budget.used).toBeGreaterThan(10_000_000);
  client.socket.resume();
  await expect.poll(() => budget.used).toBe(0);
});

test("a request counts with its headers and its body until its response", async () => {
  const budget = new ByteBudget(1_000_000);
  let respond = (): void => {};
  server = await startServer({
    budget,
    onRequest: (request) =>
      request.readBody(10_000, () => {
        respond = () => void request.respond(200, [], "done");
      }),
  });
  const client = await connectTo(server.port);
  const fields = "Host: a\r\nX: 1\r\nContent-Length: 5000\r\n";
  client.write(`POST /path HTTP/1.1\r\n${fields}\r\n`);
  const own = requestBytes(3, fields.length + "/path".length);
  await expect.poll(() => budget.used).toBe(own);
  client.write("x".repeat(5_000));
  await expect.poll(() => budget.used).toBe(own + 5_000);
  respond();
  await client.until((received) => received.endsWith("done"));
  expect(budget.used).toBe(0);
});

test("memory of a handler counts, until the request is closed", async () => {
  const budget = new ByteBudget(1_000_000);
  const requests: ServerRequest[] = [];
  server = await startServer({ budget, onRequest: (request) => requests.push(request) });
  const client = await connectTo(server.port);
  client.write(GET);
  await expect.poll(() => budget.used).toBeGreaterThan(0);
  const own = budget.used;
  const [request] = requests;
  request?.holdMemory(5_000);
  request?.holdMemory(600);
  expect(budget.used).toBe(own + 5_600);
  request?.respond(200, [], "done");
  request?.holdMemory(70);
  await client.until((received) => received.endsWith("done"));
  expect(budget.used).toBe(0);
});

test("requests that wait behind another one count", async () => {
  const budget = new ByteBudget(1_000_000);
  const requests: ServerRequest[] = [];
  server = await startServer({ budget, onRequest: (request) => requests.push(request) });
  const client = await connectTo(server.port);
  client.write(GET + GET.repeat(100));
  await expect.poll(() => budget.used).toBeGreaterThanOrEqual(100 * GET.length);
});

test("a connection that holds too much is closed, and others are not", async () => {
  const budget = new ByteBudget(1_000_000);
  server = await startServer({
    budget,
    onRequest: (request) =>
      request.respond(200, [], request.target === "/" ? Buffer.alloc(20_000_000) : "short"),
  });
  const greedy = await connectTo(server.port);
  greedy.socket.pause();
  greedy.write(GET);
  await expect.poll(() => server?.sockets[0]?.destroyed).toBe(true);
  expect(budget.used).toBe(0);
  const other = await connectTo(server.port);
  other.write(GET.replace("/ ", "/short "));
  expect(await other.until((received) => received.endsWith("short"))).toMatch(/^HTTP\/1\.1 200 /);
});
