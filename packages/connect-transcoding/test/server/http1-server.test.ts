import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import type { ConnectionHandlers } from "../../src/server/listener.js";
import {
  closeListenersAfterEach,
  connectTo,
  HANDLERS,
  openListener,
  readUntilClose,
} from "./open-listener.js";

closeListenersAfterEach();

// Two spaces: the server passes a connection with an unusual header to `node:http`, which these tests are about.
const GET = "GET / HTTP/1.1\r\nHost:  a\r\n\r\n";
const statuses = (text: string) => text.match(/HTTP\/1\.1 \d+/g);

function handlersWith(
  http1: (request: IncomingMessage, response: ServerResponse) => void,
): ConnectionHandlers {
  return { ...HANDLERS, http1 };
}

/** Responds after 50 ms. */
const slow = handlersWith((_request, response) => {
  setTimeout(() => response.end("done"), 50);
});

describe("a request with a response before its end", () => {
  const rejecting = handlersWith((_request, response) => response.end("rejected"));

  test("gets no other response if the rest does not arrive", async () => {
    const socket = connectTo(await openListener({ requestTimeout: 150 }, rejecting));
    socket.write("POST / HTTP/1.1\r\nHost:  a\r\nContent-Length: 4\r\n\r\nhal");
    expect(statuses(await readUntilClose(socket))).toEqual(["HTTP/1.1 200"]);
  });
});

test("a request has all its headers, however many", async () => {
  const counting = handlersWith(({ rawHeaders }, response) =>
    response.end(`${rawHeaders.length / 2} headers, the last ${rawHeaders.at(-2)}`),
  );
  const socket = connectTo(await openListener({}, counting));
  socket.end(`GET / HTTP/1.1\r\nHost:  a\r\n${"a:\r\n".repeat(3000)}Host: b\r\n\r\n`);
  expect(await readUntilClose(socket)).toMatch(/3002 headers, the last Host$/);
});

describe("an invalid request", () => {
  test.each([
    ["garbage", "garbage\r\n\r\n", 400],
    ["two lengths", `${GET.trim()}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
    ["too long headers", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}`, 431],
    [
      "too long chunk extensions",
      `POST / HTTP/1.1\r\nHost:  a\r\nTransfer-Encoding: chunked\r\n\r\n1;${"x".repeat(20_000)}`,
      413,
    ],
    ["half a request", "POST / HTTP/1.1\r\nHost:  a\r\nContent-Length: 4\r\n\r\nhal", 400],
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost:  a:80\r\n\r\n", 400],
  ])("gets a response: %s", async (_name, bytes, status) => {
    const socket = connectTo(await openListener());
    socket.end(bytes);
    expect(statuses(await readUntilClose(socket))).toEqual([`HTTP/1.1 ${status}`]);
  });

  test.each<[string, string, number[]]>([
    ["garbage", "garbage\r\n\r\n", [400]],
    ["garbage behind a request", `${GET}garbage\r\n\r\n`, [400]],
    ["too long headers", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}`, [431]],
    ["half a header section", "GET / HTTP/1.1\r\nHost", [408]],
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost:  a:80\r\n\r\n", [400]],
    // These are requests, which have records.
    ["a body that does not end", "POST / HTTP/1.1\r\nHost:  a\r\nContent-Length: 4\r\n\r\nhal", []],
    ["garbage in a body", "POST / HTTP/1.1\r\nHost:  a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", []],
  ])("is reported once: %s", async (_name, bytes, expected) => {
    const reported: [number, string][] = [];
    const listener = await openListener({
      headersTimeout: 100,
      requestTimeout: 100,
      onUnreadRequest: (status, peerAddress) => reported.push([status, peerAddress]),
    });
    const socket = connectTo(listener);
    socket.write(bytes);
    await readUntilClose(socket);
    expect(reported).toEqual(expected.map((status) => [status, "127.0.0.1"]));
  });

  test.each<[string, string, (socket: Socket) => unknown]>([
    ["in half a header section", "GET / HTTP/1.1\r\nHost", (socket) => socket.end()],
    ["after a response", GET, (socket) => socket.resetAndDestroy()],
    ["after a response and half a header section", `${GET}GET /`, (socket) => socket.resetAndDestroy()],
  ])("is not reported if the client disconnects %s", async (_name, bytes, disconnect) => {
    const reported: number[] = [];
    const listener = await openListener({ onUnreadRequest: (status) => reported.push(status) });
    const socket = connectTo(listener);
    socket.write(bytes);
    await (bytes.startsWith(GET) ? once(socket, "data") : once(socket, "connect"));
    disconnect(socket);
    await expect.poll(() => listener.connections).toBe(0);
    expect(reported).toEqual([]);
  });

  test("gets its response after those of earlier requests", async () => {
    const socket = connectTo(await openListener({}, slow));
    socket.write(`${GET}${GET}garbage\r\n\r\nmore`);
    expect(statuses(await readUntilClose(socket))).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 400"]);
  });

  test("that is a CONNECT waits as well", async () => {
    const socket = connectTo(await openListener({}, slow));
    socket.write(`${GET}CONNECT a:80 HTTP/1.1\r\nHost:  a:80\r\n\r\n`);
    expect(statuses(await readUntilClose(socket))).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  });
});

describe("a request with Upgrade", () => {
  // Node discards what it has read beyond the end of such a request.
  const UPGRADE = "Connection: Upgrade\r\nUpgrade: h2c\r\n";
  const INNER = "GET /smuggled HTTP/1.1\r\nHost:  a\r\n\r\n";
  const NEXT = `POST /next HTTP/1.1\r\nHost:  a\r\nContent-Length: ${INNER.length}\r\n\r\n${INNER}`;

  test.each([
    ["GET", `GET / HTTP/1.1\r\nHost:  a\r\n${UPGRADE}\r\n`, 200],
    ["a length", `POST / HTTP/1.1\r\nHost:  a\r\n${UPGRADE}Content-Length: 3\r\n\r\nabc`, 200],
    [
      "chunks",
      `POST / HTTP/1.1\r\nHost: a\r\n${UPGRADE}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
      200,
    ],
    ["HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n", 200],
    [
      "an expectation",
      `POST / HTTP/1.1\r\nHost: a\r\n${UPGRADE}Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc`,
      200,
    ],
    ["an unknown expectation", `GET / HTTP/1.1\r\nHost: a\r\n${UPGRADE}Expect: x\r\n\r\n`, 417],
  ])("is the last one on its connection: %s", async (_name, first, status) => {
    const requests: string[] = [];
    const recording: ConnectionHandlers = {
      ...HANDLERS,
      http1: (request, response) => {
        requests.push(request.url ?? "");
        request.resume().once("end", () => response.end("done"));
      },
    };
    const listener = await openListener({}, recording);
    const sent = first + NEXT;
    for (const pieces of [[sent], sent.split(/(?<=\r\n\r\n)/), [...sent]]) {
      requests.length = 0;
      const socket = connectTo(listener);
      const received = readUntilClose(socket);
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(statuses(await received)).toEqual([`HTTP/1.1 ${status}`]);
      expect(requests).toEqual(status === 417 ? [] : ["/"]);
    }
  });
});
