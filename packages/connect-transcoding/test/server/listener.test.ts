import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { describe, expect, test } from "vitest";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  openRawHttp2,
  requestBlock,
} from "../../../http-server/test/http2/raw-http2.js";
import { type Listener, listen } from "../../src/server/listener.js";
import { closeListenersAfterEach, connectTo, openListener, readUntilClose } from "./open-listener.js";

closeListenersAfterEach();

const LONG_GRACE = 20_000;

/** Whether a listener accepts connections. */
function canConnect(listener: Listener): Promise<boolean> {
  const socket = connectTo(listener);
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}

describe("closing", () => {
  test("completes a request in progress, and closes idle connections", async () => {
    const listener = await openListener();
    const idle = connectTo(listener);
    idle.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(idle, "data");
    const busy = connectTo(listener);
    busy.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nhal");
    await once(busy, "connect");
    const [idleText, busyText] = [readUntilClose(idle), readUntilClose(busy)];

    const closed = listener.close(LONG_GRACE);
    expect(await idleText).toBe("");
    busy.write("f");
    expect(await busyText).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*done/);
    await closed;
  });

  test("closes connections of node:http that are idle, and others after their response", async () => {
    const listener = await openListener();
    const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    const idle = connectTo(listener);
    idle.write(`${head}0\r\n\r\n`);
    await once(idle, "data");
    const [busy, late] = [connectTo(listener), connectTo(listener)];
    busy.write(`${head}4\r\nha`);
    late.write(`${head}0\r\n\r\n`);
    await once(late, "data");
    const texts = [idle, busy, late].map(readUntilClose);

    const closed = listener.close(LONG_GRACE);
    // The port is closed before the connections are.
    await expect.poll(() => canConnect(listener)).toBe(false);
    late.write(`${head}0\r\n\r\n`);
    expect(await texts[0]).toBe("");
    busy.write("lf\r\n0\r\n\r\n");
    const [, ...responses] = await Promise.all(texts);
    for (const response of responses) {
      expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*connection: close\r\n[\s\S]*done/i);
    }
    await closed;
  });

  test("sends GOAWAY over HTTP/2, and completes requests in progress", async () => {
    const listener = await openListener();
    const session = connectHttp2(`http://127.0.0.1:${listener.address.port}`);
    const stream = session.request({ ":method": "POST", ":path": "/" });
    stream.setEncoding("utf8");
    stream.write("half");
    await once(session, "remoteSettings");
    const goaway = once(session, "goaway");
    await new Promise((resolve) => setTimeout(resolve, 50));

    const closed = listener.close(LONG_GRACE);
    const [code, lastStream] = await goaway;
    expect([code, lastStream]).toEqual([0, 2 ** 31 - 1]);
    stream.end();
    const [body] = await once(stream, "data");
    expect(body).toBe("done");
    await closed;
  });

  test("serves HTTP/2 requests that cross the first GOAWAY, and names the last of them in the second", async () => {
    const listener = await openListener();
    const raw = await openRawHttp2(listener.address.port);
    const closed = listener.close(LONG_GRACE);
    const first = await raw.next(({ type }) => type === FRAME.GOAWAY);
    expect(first.payload.readUInt32BE(0)).toBe(2 ** 31 - 1);
    for (const stream of [1, 3]) {
      raw.socket.write(frame(FRAME.HEADERS, END_HEADERS | END_STREAM, stream, requestBlock()));
      const response = await raw.next(({ type }) => type === FRAME.DATA);
      expect([response.stream, String(response.payload)]).toEqual([stream, "done"]);
    }
    const last = await raw.next(({ type }) => type === FRAME.GOAWAY);
    expect([last.payload.readUInt32BE(0), last.payload.readUInt32BE(4)]).toEqual([3, 0]);
    await closed;
  });

  test("serves HTTP/1.1 requests that arrive during the linger time, on used and on unused connections", async () => {
    const listener = await openListener();
    const used = connectTo(listener);
    used.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(used, "data");
    const unused = connectTo(listener);
    await once(unused, "connect");
    // The server has accepted the connection once it responds on a later one.
    const later = connectTo(listener);
    later.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(later, "data");

    const closed = listener.close(LONG_GRACE);
    for (const socket of [used, unused]) {
      const response = once(socket, "data");
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      expect(String((await response)[0])).toMatch(/^HTTP\/1\.1 200 /);
    }
    await closed;
  });

  test("does not linger without connections", async () => {
    const listener = await openListener({ linger: LONG_GRACE });
    const started = performance.now();
    await listener.close(LONG_GRACE);
    expect(performance.now() - started).toBeLessThan(LONG_GRACE / 2);
  });

  test("closes connections whose requests do not complete in time", async () => {
    const listener = await openListener();
    const stuck = connectTo(listener);
    stuck.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
    const session = connectHttp2(`http://127.0.0.1:${listener.address.port}`);
    session.on("error", () => {});
    session.request({ ":method": "POST", ":path": "/" }).on("error", () => {});
    await once(session, "remoteSettings");
    const cut = Promise.all([readUntilClose(stuck), once(session, "close")]);
    await listener.close(100);
    expect((await cut)[0]).toBe("");
  });

  test("accepts no new connection", async () => {
    const listener = await openListener();
    await listener.close(0);
    const [error] = await once(connectTo(listener), "error");
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
  });
});

describe("listen rejects", () => {
  const handlers = { http1: () => {}, http2: () => {}, serve: () => {} };

  test("if the port is in use", async () => {
    const { port } = (await openListener()).address;
    await expect(listen({ host: "127.0.0.1", port, handlers })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  test("if the address is not one of this machine", async () => {
    const listening = listen({ host: "192.0.2.1", port: 0, handlers });
    await expect(listening).rejects.toMatchObject({ code: "EADDRNOTAVAIL" });
  });
});
