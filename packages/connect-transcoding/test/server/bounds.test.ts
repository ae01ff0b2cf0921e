import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { describe, expect, test } from "vitest";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  openRawHttp2,
  PREFACE,
  rawHttp2,
  requestBlock,
} from "../../../http-server/test/http2/raw-http2.js";
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
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("maxConnections", () => {
  test("closes the connection that has been silent longest for a new one", async () => {
    const dropped: string[] = [];
    const listener = await openListener({
      maxConnections: 2,
      onConnectionDropped: (which) => dropped.push(which),
    });
    const older = connectTo(listener);
    await once(older, "connect");
    const younger = connectTo(listener);
    await once(younger, "connect");
    await pause(600);
    const olderClosed = once(older, "close");
    const newest = connectTo(listener);
    newest.write(GET);
    expect(String((await once(newest, "data"))[0])).toMatch(/^HTTP\/1\.1 200 /);
    await olderClosed;
    expect(dropped).toEqual(["idle"]);
    expect(younger.closed).toBe(false);
    expect(listener.connections).toBe(2);
  });

  test("rejects a new connection if all are in use", async () => {
    const dropped: string[] = [];
    const listener = await openListener({
      maxConnections: 1,
      onConnectionDropped: (which) => dropped.push(which),
    });
    const busy = connectTo(listener);
    busy.write("GET /never HTTP/1.1\r\nHost: a\r\n\r\n");
    await pause(700);
    expect(await readUntilClose(connectTo(listener))).toBe("");
    expect(dropped).toEqual(["new"]);
    expect(busy.closed).toBe(false);
    busy.destroy();
  });

  test("closes an idle HTTP/2 connection", async () => {
    const listener = await openListener({ maxConnections: 1 });
    const session = connectHttp2(`http://127.0.0.1:${listener.address.port}`);
    session.on("error", () => {});
    await once(session, "remoteSettings");
    const closed = once(session, "close");
    // The first check finds the connection idle; it is closed half a second later at the earliest.
    await readUntilClose(connectTo(listener));
    await pause(600);
    const newest = connectTo(listener);
    newest.write(GET);
    expect(String((await once(newest, "data"))[0])).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
  });
});

describe("maxHeaderBytes", () => {
  const bounds = { maxHeaderBytes: 4096 };

  test("responds with 431 over HTTP/1.1", async () => {
    const socket = connectTo(await openListener(bounds));
    socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(5000)}\r\n\r\n`);
    expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("is in the SETTINGS of HTTP/2, and resets streams that exceed it", async () => {
    const { address } = await openListener(bounds);
    const session = connectHttp2(`http://127.0.0.1:${address.port}`);
    const [settings] = await once(session, "remoteSettings");
    expect(settings.maxHeaderListSize).toBe(4096);
    const stream = session.request({ ":path": "/", x: "x".repeat(5000) });
    stream.on("error", () => {});
    await new Promise((resolve) => stream.once("close", resolve));
    // ENHANCE_YOUR_CALM (RFC 9113, section 7).
    expect(stream.rstCode).toBe(11);
    const next = session.request({ ":path": "/", x: "x".repeat(3000) }).setEncoding("utf8");
    expect(await once(next, "data")).toEqual(["done"]);
    session.close();
  });

  test("applies to HTTP/2 clients that have not acknowledged it", async () => {
    const raw = rawHttp2(connectTo(await openListener(bounds)));
    const request = (stream: number, length: number): Buffer => {
      const fields = Array.from({ length }, (_, index) => [`x-${index}`, "x".repeat(100)]);
      const block = Buffer.concat([requestBlock(), headerBlock(Object.fromEntries(fields))]);
      return frame(FRAME.HEADERS, END_STREAM | END_HEADERS, stream, block);
    };
    raw.socket.write(Buffer.concat([PREFACE, request(1, 40), request(3, 20)]));
    // 40 × (32 + 4 + 100) bytes, and half as many.
    const { payload } = await raw.next(({ type, stream }) => type === FRAME.RST_STREAM && stream === 1);
    expect(payload.readUInt32BE(0)).toBe(11);
    await raw.next(({ type, stream }) => type === FRAME.DATA && stream === 3);
    raw.socket.destroy();
  });

  test("ends an HTTP/2 connection with a flood of CONTINUATION frames", async () => {
    const { address } = await openListener(bounds);
    const raw = await openRawHttp2(address.port);
    raw.socket.write(frame(FRAME.HEADERS, END_STREAM, 1, requestBlock()));
    for (let count = 0; count < 1000; count++) {
      raw.socket.write(frame(FRAME.CONTINUATION, 0, 1, headerBlock({ x: "y" })));
    }
    await raw.next(({ type }) => type === FRAME.GOAWAY);
    raw.socket.destroy();
  });
});

describe("maxConcurrentStreams", () => {
  test("is in the SETTINGS of HTTP/2, and refuses streams that exceed it", async () => {
    const { address } = await openListener({ maxConcurrentStreams: 2 });
    const raw = await openRawHttp2(address.port);
    for (const stream of [1, 3, 5]) {
      raw.socket.write(frame(FRAME.HEADERS, END_HEADERS | END_STREAM, stream, requestBlock("GET", "/never")));
    }
    // REFUSED_STREAM (RFC 9113, section 5.1.2).
    const reset = await raw.next(({ type }) => type === FRAME.RST_STREAM);
    expect([reset.stream, reset.payload.readUInt32BE(0)]).toEqual([5, 7]);
    raw.socket.destroy();
  });
});

describe("a connection whose client resets streams", () => {
  test("is closed gracefully after many resets", async () => {
    const { address } = await openListener();
    const session = connectHttp2(`http://127.0.0.1:${address.port}`);
    await once(session, "remoteSettings");
    const goaway = once(session, "goaway");
    const kept = session.request({ ":method": "POST", ":path": "/" }).setEncoding("utf8");
    for (let resets = 0; resets < 1000 && !session.closed; resets++) {
      const stream = session.request({ ":path": "/never" });
      stream.on("error", () => {});
      await new Promise((resolve) => setImmediate(resolve));
      stream.close(8);
      await once(stream, "close");
    }
    expect((await goaway)[0]).toBe(0);
    kept.end();
    expect(await once(kept, "data")).toEqual(["done"]);
  });
});

describe("pipelined requests", () => {
  const echo: ConnectionHandlers = {
    ...HANDLERS,
    serve: (request) => request.respond(200, [], `<${request.target}>`),
  };

  test("are served in order", async () => {
    const socket = connectTo(await openListener({}, echo));
    const paths = Array.from({ length: 1000 }, (_, index) => `/${index}`);
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
    socket.write("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const responses = [...(await readUntilClose(socket)).matchAll(/<(.*?)>/g)].map((match) => match[1]);
    expect(responses).toEqual([...paths, "/last"]);
  });

  test("close the connection if `node:http` has too many", async () => {
    let served = 0;
    const counting: ConnectionHandlers = {
      ...HANDLERS,
      http1: (_request, response) => {
        served += 1;
        response.end("done");
      },
    };
    const socket = connectTo(await openListener({}, counting));
    // The server's own connections do not accept the chunked coding.
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".repeat(1000));
    await readUntilClose(socket);
    // Requests whose responses are sent before the next one is parsed do not count.
    expect(served).toBeGreaterThanOrEqual(128);
    expect(served).toBeLessThan(200);
  });
});
