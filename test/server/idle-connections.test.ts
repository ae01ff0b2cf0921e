import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { watchIdleConnections } from "../../src/server/idle-connections.js";

const MAX_IDLE = 100;
const idle = watchIdleConnections(MAX_IDLE);
let latest: ServerResponse;
// Requests for /wait are left unanswered.
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  latest = response;
  idle.onRequest(request.socket, response);
  if (request.url !== "/wait") {
    response.end("done");
  }
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
  test("is ended when nothing has moved for long enough", async () => {
    const socket = await open("/");
    idle.sweep(1000);
    idle.sweep(1000 + MAX_IDLE - 1);
    expect(socket.readableEnded).toBe(false);
    const closed = once(socket, "close");
    idle.sweep(1000 + MAX_IDLE);
    await closed;
  });

  test("is left alone when it was used in between", async () => {
    const socket = await open("/");
    idle.sweep(1000);
    const answered = once(socket, "data");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await answered;
    idle.sweep(1000 + MAX_IDLE);
    idle.sweep(1000 + 2 * MAX_IDLE - 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(socket.closed).toBe(false);
    const closed = once(socket, "close");
    idle.sweep(1000 + 2 * MAX_IDLE);
    await closed;
  });

  test("is left alone while a request is under way, however long", async () => {
    const socket = await open("/wait");
    for (const now of [1000, 2000, 3000]) {
      idle.sweep(now);
    }
    const answered = once(socket, "data");
    latest.end("late");
    expect(String((await answered)[0])).toContain("late");
    socket.destroy();
  });
});
