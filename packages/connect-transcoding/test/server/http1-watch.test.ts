import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Http1Watch } from "../../src/server/http1-watch.js";

const MAX_IDLE = 100;
const HEADERS_TIMEOUT = 50;
const STALL_TIMEOUT = 300;
let latest: ServerResponse;
let watch: Http1Watch;
// Requests for /wait get no response, those for /much get more than a connection buffers.
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  latest = response;
  watch.onRequest(response);
  if (request.url !== "/wait") {
    response.end(request.url === "/much" ? Buffer.alloc(50_000_000) : "done");
  }
});
server.on("connection", (socket) => {
  const times = { idleTimeout: MAX_IDLE, headersTimeout: HEADERS_TIMEOUT, requestTimeout: STALL_TIMEOUT };
  watch = new Http1Watch(socket, times, () => socket.destroy());
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
});

async function open(path: string): Promise<Socket> {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  const seen = once(server, "request");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await seen;
  if (path !== "/wait") {
    await once(socket, "data");
  }
  return socket.resume();
}

describe("a connection", () => {
  test("is closed after its idle timeout", async () => {
    const socket = await open("/");
    watch.check(1000);
    watch.check(1000 + MAX_IDLE - 1);
    expect(socket.readableEnded).toBe(false);
    const closed = once(socket, "close");
    watch.check(1000 + MAX_IDLE);
    await closed;
  });

  test("stays open if it has been used in between", async () => {
    const socket = await open("/");
    watch.check(1000);
    const responded = once(socket, "data");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await responded;
    watch.check(1000 + MAX_IDLE);
    watch.check(1000 + 2 * MAX_IDLE - 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(socket.closed).toBe(false);
    const closed = once(socket, "close");
    watch.check(1000 + 2 * MAX_IDLE);
    await closed;
  });

  test("stays open during a request of any duration", async () => {
    const socket = await open("/wait");
    for (const now of [1000, 2000, 3000]) {
      watch.check(now);
    }
    const responded = once(socket, "data");
    latest.end("late");
    expect(String((await responded)[0])).toContain("late");
    socket.destroy();
  });

  test("is closed if the data that arrives is not a request", async () => {
    const accepted = once(server, "connection");
    const socket = await open("/");
    const [theirs] = (await accepted) as [Socket];
    const closed = once(socket, "close");
    for (let now = 1000; now < 1000 + MAX_IDLE + HEADERS_TIMEOUT; now += MAX_IDLE / 2) {
      watch.check(now);
      expect(theirs.destroyed).toBe(false);
      const before = theirs.bytesRead;
      socket.write("\r\n");
      while (theirs.bytesRead === before) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    watch.check(1000 + MAX_IDLE + HEADERS_TIMEOUT);
    await closed;
  });

  test("reports since when it is idle", async () => {
    const socket = await open("/");
    expect(watch.idleSince).toBeUndefined();
    watch.check(1000);
    watch.check(1010);
    expect(watch.idleSince).toBe(1000);
    const responded = once(socket, "data");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await responded;
    expect(watch.idleSince).toBeUndefined();
    socket.destroy();
  });

  test("is closed if the client does not read the response", async () => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
    const seen = once(server, "request");
    const closed = once(server, "connection").then(([accepted]) => once(accepted, "close"));
    socket.pause();
    socket.write("GET /much HTTP/1.1\r\nHost: a\r\n\r\n");
    await seen;
    for (let now = 0; now < 2000; now += 50) {
      watch.check(now);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await closed;
    socket.destroy();
  });
});
