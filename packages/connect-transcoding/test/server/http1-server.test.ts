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
const POST = "POST / HTTP/1.1\r\nHost: a\r\n";
const CHUNKED = "3\r\nabc\r\n0\r\n\r\n";
const statuses = (text: string) => text.match(/HTTP\/1\.1 \d+/g);

function handlersWith(
  http1: (request: IncomingMessage, response: ServerResponse) => void,
): ConnectionHandlers {
  return { ...HANDLERS, http1 };
}

/** Responds after 50 ms, once the request has been read. */
const slow = handlersWith((request, response) => {
  request.resume().once("end", () => setTimeout(() => response.end("done"), 50));
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
    // RFC 9112, sections 5.2 and 6.
    ["no chunked coding", `${POST}Transfer-Encoding: gzip\r\n\r\n${CHUNKED}`, 400],
    ["no final chunked coding", `${POST}Transfer-Encoding: chunked, gzip\r\n\r\n${CHUNKED}`, 400],
    ["chunked twice", `${POST}Transfer-Encoding: chunked, chunked\r\n\r\n${CHUNKED}`, 400],
    ["two chunked codings", `${POST}${"Transfer-Encoding: chunked\r\n".repeat(2)}\r\n${CHUNKED}`, 400],
    ["a coding with obs-fold", `${POST}Transfer-Encoding:\r\n chunked\r\n\r\n${CHUNKED}`, 400],
    ["a coding with a parameter", `${POST}Transfer-Encoding: chunked;a=b\r\n\r\n${CHUNKED}`, 400],
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

  test.each([
    ["chunks", "x\r\n", "HTTP/1.1 400"],
    ["a rest that does not arrive", "3\r\nab", "HTTP/1.1 408"],
  ])(
    "gets its response after those of earlier requests if part of it has been read: %s",
    async (_name, rest, status) => {
      const socket = connectTo(await openListener({ requestTimeout: 100 }, slow));
      const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
      socket.write(`${head}0\r\n\r\n${head}${rest}`);
      expect(statuses(await readUntilClose(socket))).toEqual(["HTTP/1.1 200", status]);
    },
  );

  test("that is a CONNECT waits as well", async () => {
    const socket = connectTo(await openListener({}, slow));
    socket.write(`${GET}CONNECT a:80 HTTP/1.1\r\nHost:  a:80\r\n\r\n`);
    expect(statuses(await readUntilClose(socket))).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  });
});

describe("a request that ends its connection", () => {
  const UPGRADE = "Connection: Upgrade\r\nUpgrade: h2c\r\n";
  const INNER = "GET /smuggled HTTP/1.1\r\nHost:  a\r\n\r\n";
  const NEXT = `POST /next HTTP/1.1\r\nHost:  a\r\nContent-Length: ${INNER.length}\r\n\r\n${INNER}`;

  // Node discards what it has read beyond the end of a request with Upgrade.
  test.each([
    ["Upgrade", `GET / HTTP/1.1\r\nHost:  a\r\n${UPGRADE}\r\n`, 200],
    ["Upgrade with a length", `POST / HTTP/1.1\r\nHost:  a\r\n${UPGRADE}Content-Length: 3\r\n\r\nabc`, 200],
    ["Upgrade with chunks", `${POST}${UPGRADE}Transfer-Encoding: chunked\r\n\r\n${CHUNKED}`, 200],
    [
      "Upgrade over HTTP/1.0",
      "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n",
      200,
    ],
    [
      "Upgrade with an expectation",
      `${POST}${UPGRADE}Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc`,
      200,
    ],
    ["Upgrade with an unknown expectation", `${POST}${UPGRADE}Expect: x\r\n\r\n`, 417],
    // The adapter rejects these.
    ["an unknown transfer coding", `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n${CHUNKED}`, 200],
    [
      "a transfer coding over HTTP/1.0",
      `${POST.replace("1.1", "1.0")}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED}`,
      200,
    ],
  ])("is the last one that is served: %s", async (_name, first, status) => {
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
