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

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const statuses = (text: string) => text.match(/HTTP\/1\.1 \d+/g);

function answeringHttp1(
  http1: (request: IncomingMessage, response: ServerResponse) => void,
): ConnectionHandlers {
  return { ...HANDLERS, http1 };
}

/** Answers a little later. */
const slow = answeringHttp1((_request, response) => {
  setTimeout(() => response.end("done"), 50);
});

describe("a request that is answered before its end", () => {
  const refusing = answeringHttp1((_request, response) => response.end("refused"));

  test.each([
    ["with Connection: close", "1.1\r\nHost: a\r\nConnection: close"],
    ["over HTTP/1.0", "1.0\r\nHost: a"],
  ])("%s, leaves the connection open to be read from until its caller is done", async (_name, head) => {
    const listener = await openListener({}, refusing);
    const socket = connectTo(listener);
    socket.allowHalfOpen = true;
    socket.write(`POST / HTTP/${head}\r\nContent-Length: 200\r\n\r\n${"x".repeat(100)}`);
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*refused$/);
    await once(socket, "end");
    expect(listener.connections).toBe(1);
    socket.end("x".repeat(100));
    const [hadError] = await once(socket, "close");
    expect(hadError).toBe(false);
  });

  test("is told of nothing else when the rest does not come", async () => {
    const socket = connectTo(await openListener({ requestTimeout: 150 }, refusing));
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nhal");
    expect(statuses(await readUntilClose(socket))).toEqual(["HTTP/1.1 200"]);
  });
});

test("a request has all of its headers, however many", async () => {
  const counting = answeringHttp1(({ rawHeaders }, response) =>
    response.end(`${rawHeaders.length / 2} headers, the last ${rawHeaders.at(-2)}`),
  );
  const socket = connectTo(await openListener({}, counting));
  socket.end(`GET / HTTP/1.1\r\nHost: a\r\n${"a:\r\n".repeat(3000)}Host: b\r\n\r\n`);
  expect(await readUntilClose(socket)).toMatch(/3002 headers, the last Host$/);
});

describe("what is no request", () => {
  test.each([
    ["garbage", "garbage\r\n\r\n", 400],
    [
      "two ways to tell a length",
      `${GET.trim()}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      400,
    ],
    ["headers that are too long", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}`, 431],
    [
      "extensions of chunks that are too long",
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${"x".repeat(20_000)}`,
      413,
    ],
    ["half a request", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nhal", 400],
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", 400],
  ])("is answered: %s", async (_name, octets, status) => {
    const socket = connectTo(await openListener());
    socket.end(octets);
    expect(statuses(await readUntilClose(socket))).toEqual([`HTTP/1.1 ${status}`]);
  });

  test.each<[string, string, number[]]>([
    ["garbage", "garbage\r\n\r\n", [400]],
    ["garbage behind a request", `${GET}garbage\r\n\r\n`, [400]],
    ["headers that are too long", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}`, [431]],
    ["half a header section", "GET / HTTP/1.1\r\nHost", [408]],
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", [400]],
    // These are requests, whose records tell what became of them.
    ["a body that does not end", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nhal", []],
    ["garbage in a body", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", []],
  ])("is told of once: %s", async (_name, octets, statusesTold) => {
    const told: [number, string][] = [];
    const listener = await openListener({
      headersTimeout: 100,
      requestTimeout: 100,
      onUnreadRequest: (status, peerAddress) => told.push([status, peerAddress]),
    });
    const socket = connectTo(listener);
    socket.write(octets);
    await readUntilClose(socket);
    expect(told).toEqual(statusesTold.map((status) => [status, "127.0.0.1"]));
  });

  test.each<[string, string, (socket: Socket) => unknown]>([
    ["in half a header section", "GET / HTTP/1.1\r\nHost", (socket) => socket.end()],
    ["behind an answer", GET, (socket) => socket.resetAndDestroy()],
    ["behind an answer and half a header section", `${GET}GET /`, (socket) => socket.resetAndDestroy()],
  ])("is not what a caller has sent who goes %s", async (_name, octets, go) => {
    const told: number[] = [];
    const listener = await openListener({ onUnreadRequest: (status) => told.push(status) });
    const socket = connectTo(listener);
    socket.write(octets);
    await (octets.startsWith(GET) ? once(socket, "data") : once(socket, "connect"));
    go(socket);
    await expect.poll(() => listener.connections).toBe(0);
    expect(told).toEqual([]);
  });

  test("is answered behind the requests that came before it", async () => {
    const socket = connectTo(await openListener({}, slow));
    socket.write(`${GET}${GET}garbage\r\n\r\nmore`);
    expect(statuses(await readUntilClose(socket))).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 400"]);
  });

  test("behind a request that CONNECT follows waits as well", async () => {
    const socket = connectTo(await openListener({}, slow));
    socket.write(`${GET}CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n`);
    expect(statuses(await readUntilClose(socket))).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  });
});

describe("a caller that closes its half", () => {
  test("gets an answer that takes a moment", async () => {
    const socket = connectTo(await openListener({}, slow));
    socket.end(GET);
    expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*done$/);
  });

  test.each([
    ["that does not begin", () => {}],
    ["that does not end", (response: ServerResponse) => void response.write("begun")],
  ])("has gone where there is an answer %s", async (_name, answer) => {
    let closed: Promise<unknown> | undefined;
    const door = answeringHttp1((_request, response) => {
      closed = once(response, "close");
      answer(response);
    });
    const socket = connectTo(await openListener({}, door));
    socket.end(GET);
    await readUntilClose(socket);
    await closed;
  });

  test("has gone where an answer waits behind one that does not end", async () => {
    const door = answeringHttp1(({ url }, response) => {
      url === "/" ? response.end("done") : response.write("begun");
    });
    const listener = await openListener({}, door);
    const socket = connectTo(listener);
    socket.end(`GET /stream HTTP/1.1\r\nHost: a\r\n\r\n${GET}`);
    expect(await readUntilClose(socket)).toMatch(/begun/);
  });
});
