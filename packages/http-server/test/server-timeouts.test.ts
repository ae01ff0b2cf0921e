import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { describe, expect, test } from "vitest";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  openRawHttp2,
  PREFACE,
  rawHttp2,
  requestBlock,
} from "./http2/raw-http2.js";
import { closeServersAfterAll, connectTo, openServer, readUntilClose } from "./support/open-server.js";

closeServersAfterAll();

const SHORT = 150;
const LONG = 20_000;
const TIMES = { headersTimeout: LONG, requestTimeout: LONG, idleTimeout: LONG, pingTimeout: LONG };

/** Resolves with the duration of a promise in milliseconds. */
async function timed(promise: Promise<unknown>): Promise<number> {
  const started = performance.now();
  await promise;
  return performance.now() - started;
}

describe.concurrent("headersTimeout", () => {
  const times = { ...TIMES, headersTimeout: SHORT };

  test.each([
    ["sends nothing", ""],
    ["sends half of a preface", "PR"],
  ])("closes a connection that %s", async (_name, text) => {
    const socket = connectTo(await openServer(times));
    socket.write(text);
    const closed = readUntilClose(socket);
    expect(await timed(closed)).toBeGreaterThan(SHORT - 20);
    expect(await closed).toBe("");
  });

  test("responds with 408 to incomplete headers over HTTP/1.1", async () => {
    const socket = connectTo(await openServer(times));
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n");
    expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("responds with 408 to incomplete headers after an earlier response", async () => {
    const socket = connectTo(await openServer(times));
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n");
    expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 408 /);
  });

  test("closes an HTTP/2 connection without SETTINGS", async () => {
    const raw = rawHttp2(connectTo(await openServer(times)));
    raw.socket.write(PREFACE.subarray(0, 24));
    await raw.closed;
  });

  test.each([
    ["header section", frame(FRAME.HEADERS, END_STREAM, 1, requestBlock())],
    ["frame", frame(FRAME.HEADERS, END_STREAM | END_HEADERS, 1, requestBlock()).subarray(0, 12)],
  ])("closes an HTTP/2 connection with an incomplete %s", async (_name, bytes) => {
    const server = await openServer(times);
    const raw = await openRawHttp2(server.port);
    raw.socket.write(bytes);
    await raw.closed;
  });
});

describe.concurrent("requestTimeout", () => {
  const times = { ...TIMES, requestTimeout: SHORT };

  test("responds with 408 to an incomplete body over HTTP/1.1", async () => {
    const socket = connectTo(await openServer(times));
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nhal");
    expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("resets a stream with an incomplete body, and no other streams", async () => {
    const server = await openServer(times);
    const raw = await openRawHttp2(server.port);
    raw.socket.write(frame(FRAME.HEADERS, END_HEADERS, 1, requestBlock("POST")));
    raw.socket.write(frame(FRAME.HEADERS, END_HEADERS | END_STREAM, 3, requestBlock("GET", "/never")));
    expect(await raw.next(({ type }) => type === FRAME.RST_STREAM)).toMatchObject({ stream: 1 });
    raw.socket.write(frame(FRAME.HEADERS, END_HEADERS | END_STREAM, 5, requestBlock()));
    expect(await raw.next(({ type }) => type === FRAME.DATA)).toMatchObject({ stream: 5 });
    raw.socket.destroy();
  });

  test("does not apply to streams of requests", async () => {
    const server = await openServer({
      ...times,
      isOpenEnded: (target) => target === "/stream",
    });
    const raw = await openRawHttp2(server.port);
    raw.socket.write(frame(FRAME.HEADERS, END_HEADERS, 1, requestBlock("POST", "/stream")));
    raw.socket.write(frame(FRAME.HEADERS, END_HEADERS, 3, requestBlock("POST")));
    expect(await raw.next(({ type }) => type === FRAME.RST_STREAM)).toMatchObject({ stream: 3 });
    raw.socket.write(frame(FRAME.DATA, END_STREAM, 1, Buffer.from("end")));
    expect(await raw.next(({ type }) => type === FRAME.DATA)).toMatchObject({ stream: 1 });
    raw.socket.destroy();
  });

  test("closes an HTTP/1.1 connection whose client does not read the response", async () => {
    const server = await openServer(times);
    const socket = connectTo(server).pause();
    socket.write("GET /much HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(socket, "readable");
    await until(() => server.connections === 0);
    socket.destroy();
  });

  test("resets a stream whose client does not read the response", async () => {
    const server = await openServer(times);
    const raw = await openRawHttp2(server.port);
    // Without WINDOW_UPDATE, at most 65,535 bytes are sent (RFC 9113, section 6.9.2).
    raw.socket.write(frame(FRAME.HEADERS, END_HEADERS | END_STREAM, 1, requestBlock("GET", "/much")));
    expect(await raw.next(({ type }) => type === FRAME.RST_STREAM)).toMatchObject({ stream: 1 });
    raw.socket.destroy();
  });
});

describe("idleTimeout", () => {
  const times = { ...TIMES, idleTimeout: SHORT };

  test("closes an HTTP/1.1 connection without a request", async () => {
    const socket = connectTo(await openServer(times));
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("sends GOAWAY to an HTTP/2 client without a stream", async () => {
    const server = await openServer(times);
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    const closed = once(session, "close");
    const [code] = await once(session, "goaway");
    expect(code).toBe(0);
    await closed;
  });

  test("is not extended by PINGs", async () => {
    const server = await openServer(times);
    const raw = await openRawHttp2(server.port);
    const pings = setInterval(() => raw.socket.write(frame(FRAME.PING, 0, 0, Buffer.alloc(8))), 10);
    await raw.next(({ type }) => type === FRAME.GOAWAY);
    clearInterval(pings);
    raw.socket.destroy();
  });

  test("closes a connection that the client keeps open after a GOAWAY", async () => {
    const server = await openServer({ ...times, pingTimeout: SHORT });
    const raw = await openRawHttp2(server.port);
    // This client never closes its half.
    raw.socket.allowHalfOpen = true;
    await raw.next(({ type }) => type === FRAME.GOAWAY);
    await until(() => server.connections === 0);
    raw.socket.destroy();
  });

  test("keeps a quiet stream while its client acknowledges PINGs", async () => {
    const server = await openServer({ ...times, pingTimeout: SHORT });
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    session.request({ ":path": "/never" }).on("error", () => {});
    for (let pings = 0; pings < 3; pings++) {
      await once(session, "ping");
    }
    expect(session.destroyed).toBe(false);
    expect(server.connections).toBe(1);
    session.destroy();
  });

  test("closes a connection with a quiet stream whose client does not acknowledge PINGs", async () => {
    const server = await openServer({ ...times, pingTimeout: SHORT });
    const raw = await openRawHttp2(server.port);
    raw.socket.write(frame(FRAME.HEADERS, END_HEADERS | END_STREAM, 1, requestBlock("GET", "/never")));
    await raw.next(({ type }) => type === FRAME.PING);
    await raw.closed;
  });
});

test("an HTTP/2 connection ends when its client closes its half", async () => {
  const server = await openServer(TIMES);
  const raw = await openRawHttp2(server.port);
  raw.socket.end();
  await raw.closed;
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
