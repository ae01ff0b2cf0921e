import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import {
  closeServersAfterAll,
  connectTo,
  type OpenServer,
  openServer,
  readUntilClose,
} from "connect-transcoding-testing/open-server.js";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  get,
  openRawHttp2,
  post,
  requestBlock,
} from "connect-transcoding-testing/raw-http2.js";
import { describe, expect, test } from "vitest";
import { CONNECTION_BYTES } from "../src/core/weights.js";
import { createHttpServer } from "../src/index.js";

closeServersAfterAll();

/** Longer than the timeout of a test: a shutdown that waits for it fails. */
const LONG_GRACE = 3_600_000;

function canConnect(server: OpenServer): Promise<boolean> {
  const socket = connectTo(server);
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}

describe.concurrent("closing", () => {
  test("completes a request in progress, and closes idle connections", async () => {
    const server = await openServer();
    const idle = connectTo(server);
    idle.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(idle, "data");
    const busy = connectTo(server);
    busy.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nhal");
    await once(busy, "connect");
    const [idleText, busyText] = [readUntilClose(idle), readUntilClose(busy)];

    const closed = server.close(LONG_GRACE);
    expect(await idleText).toBe("");
    busy.write("f");
    expect(await busyText).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*done/);
    await closed;
  });

  test("sends GOAWAY over HTTP/2, and completes requests in progress", async () => {
    const server = await openServer();
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    const stream = session.request({ ":method": "POST", ":path": "/" });
    stream.setEncoding("utf8");
    stream.write("half");
    await once(session, "remoteSettings");
    const goaway = once(session, "goaway");
    await new Promise((resolve) => setTimeout(resolve, 50));

    const closed = server.close(LONG_GRACE);
    const [code, lastStream] = await goaway;
    expect([code, lastStream]).toEqual([0, 2 ** 31 - 1]);
    stream.end();
    const [body] = await once(stream, "data");
    expect(body).toBe("done");
    await closed;
  });

  test("serves HTTP/1.1 requests that arrive during the linger time, on used and on unused connections", async () => {
    const server = await openServer();
    const used = connectTo(server);
    used.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(used, "data");
    const unused = connectTo(server);
    await once(unused, "connect");
    // The server has accepted the connection once it responds on a later one.
    const later = connectTo(server);
    later.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(later, "data");

    const closed = server.close(LONG_GRACE);
    for (const socket of [used, unused]) {
      const response = once(socket, "data");
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      expect(String((await response)[0])).toMatch(/^HTTP\/1\.1 200 /);
    }
    await closed;
  });

  test("does not linger without connections", async () => {
    const server = await openServer({ linger: LONG_GRACE });
    await server.close(LONG_GRACE);
  });

  test("closes connections whose requests do not complete in time", async () => {
    const server = await openServer();
    const stuck = connectTo(server);
    stuck.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    session.on("error", () => {});
    session.request({ ":method": "POST", ":path": "/" }).on("error", () => {});
    await once(session, "remoteSettings");
    const cut = Promise.all([readUntilClose(stuck), once(session, "close")]);
    await server.close(100);
    expect((await cut)[0]).toBe("");
  });

  test("accepts no new connection", async () => {
    const server = await openServer();
    await server.close(0);
    const [error] = await once(connectTo(server), "error");
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
  });
});

describe.concurrent("a shutdown ends soon for a client that has stopped sending", () => {
  test.each([
    ["half a head", "GET / HTTP/1.1\r\nHo"],
    ["half a body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nha"],
    ["half a chunk", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nha"],
  ])("%s", async (_name, sent) => {
    const server = await openServer();
    const socket = connectTo(server);
    socket.write(sent);
    const received = readUntilClose(socket);
    await expect.poll(() => server.heldBytes).toBeGreaterThan(8_192);
    await server.close(LONG_GRACE);
    expect(await received).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("half a preface", async () => {
    const server = await openServer();
    const socket = connectTo(server);
    socket.write("PR");
    await expect.poll(() => server.connections).toBe(1);
    await server.close(LONG_GRACE);
  });

  test.each([
    ["nothing, and keeps its half of an idle HTTP/2 connection open", Buffer.alloc(0)],
    ["half a frame", get(1).subarray(0, 20)],
    ["a header section without its end", frame(FRAME.HEADERS, END_STREAM, 1, requestBlock())],
    ["a request without its body", post(1)],
  ])("%s", async (_name, sent) => {
    const server = await openServer();
    const raw = await openRawHttp2(server.port);
    raw.socket.allowHalfOpen = true;
    raw.socket.write(sent);
    raw.socket.write(frame(FRAME.PING, 0, 0, Buffer.alloc(8)).subarray(0, sent.length === 0 ? 17 : 0));
    await server.close(LONG_GRACE);
  });
});

describe("listen", () => {
  const create = () => createHttpServer({ onRequest: () => {} });

  test("listens on a free port for port 0, and counts connections and their bytes", async () => {
    const server = await openServer();
    expect([server.port > 0, server.connections, server.heldBytes]).toEqual([true, 0, 0]);
    const socket = connectTo(server);
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(socket, "data");
    expect([server.connections, server.heldBytes]).toEqual([1, CONNECTION_BYTES]);
    socket.destroy();
    await expect.poll(() => [server.connections, server.heldBytes]).toEqual([0, 0]);
  });

  test("rejects if the port is in use", async () => {
    const { port } = await openServer();
    const other = create();
    await expect(other.listen("127.0.0.1", port)).rejects.toMatchObject({ code: "EADDRINUSE" });
    await other.close(0);
  });

  test("rejects if the address is not one of this machine", async () => {
    await expect(create().listen("192.0.2.1", 0)).rejects.toMatchObject({ code: "EADDRNOTAVAIL" });
  });
});

test("stopAccepting closes the port, and keeps connections", async () => {
  const server = await openServer();
  const socket = connectTo(server);
  await once(socket, "connect");
  await server.stopAccepting();
  expect(await canConnect(server)).toBe(false);
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(String((await once(socket, "data"))[0])).toMatch(
    /^HTTP\/1\.1 200 [\s\S]*\r\nconnection: keep-alive\r\n/,
  );
});

test("reports rejections of both versions, in the format of an option", async () => {
  const rejections: string[] = [];
  const server = await openServer({
    methods: new Set(["GET"]),
    onReject: ({ reason, status }, peerAddress) => rejections.push(`${status} ${reason} ${peerAddress}`),
    formatRejection: ({ message }) => ({ headers: ["content-type", "text/x"], body: `<${message}>` }),
  });
  const socket = connectTo(server);
  socket.end("POST / HTTP/1.1\r\nHost: a\r\n\r\n");
  const message = "<the HTTP method is not supported; allowed: GET>";
  expect(await readUntilClose(socket)).toContain(
    `\r\ncontent-type: text/x\r\ncontent-length: ${message.length}\r\n`,
  );
  const raw = await openRawHttp2(server.port);
  raw.socket.write(frame(FRAME.HEADERS, END_HEADERS | END_STREAM, 1, requestBlock("POST")));
  expect(String((await raw.next(({ type }) => type === FRAME.DATA)).payload)).toBe(message);
  expect(rejections).toEqual(Array(2).fill("501 UNSUPPORTED_HTTP_METHOD 127.0.0.1"));
  raw.socket.destroy();
});
