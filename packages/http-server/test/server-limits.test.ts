import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { Server } from "node:net";
import {
  closeServersAfterAll,
  connectTo,
  openServer,
  readUntilClose,
} from "connect-transcoding-testing/open-server.js";
import { FRAME, get, openRawHttp2 } from "connect-transcoding-testing/raw-http2.js";
import { describe, expect, test, vi } from "vitest";

closeServersAfterAll();

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("maxConnections", () => {
  test.each([
    [2, 511],
    [5_000, 5_000],
  ])("of %i lets %i connections wait until they are accepted", async (maxConnections, backlog) => {
    const listen = vi.spyOn(Server.prototype, "listen");
    await openServer({ maxConnections });
    expect(listen.mock.calls).toMatchObject([[{ backlog }, expect.any(Function)]]);
    listen.mockRestore();
  });

  test("closes the connection that has been silent longest for a new one", async () => {
    const dropped: string[] = [];
    const server = await openServer({
      maxConnections: 2,
      onConnectionDropped: (which) => dropped.push(which),
    });
    const older = connectTo(server);
    await once(older, "connect");
    const younger = connectTo(server);
    await once(younger, "connect");
    await pause(600);
    const olderClosed = once(older, "close");
    const newest = connectTo(server);
    newest.write(GET);
    expect(String((await once(newest, "data"))[0])).toMatch(/^HTTP\/1\.1 200 /);
    await olderClosed;
    expect(dropped).toEqual(["idle"]);
    expect(younger.closed).toBe(false);
    expect(server.connections).toBe(2);
  });

  test("closes one of the client with the most if all are in use, and this machine gets in beyond the limit", async () => {
    const [dropped, received]: [string[], string[]] = [[], []];
    const server = await openServer({
      maxConnections: 2,
      onConnectionDropped: (which, client) => dropped.push(`${which} of ${client}`),
      onRequest: (request) => {
        received.push(request.target);
        if (request.target === "/") {
          request.respond(200, [], "done");
        }
      },
    });
    const [head, request] = ["GET / HTTP/1.1\r\n", "GET /never HTTP/1.1\r\nHost: a\r\n\r\n"].map((text) => {
      const socket = connectTo(server, "127.0.0.2");
      socket.write(text);
      return socket;
    });
    // Before its head is read, the request has advanced less than the other one.
    await expect.poll(() => [server.connections, received]).toEqual([2, ["/never"]]);
    const other = connectTo(server, "127.0.0.3");
    other.write("GET /never HTTP/1.1\r\nHost: a\r\n\r\n");
    await vi.waitUntil(() => head?.closed);
    const third = connectTo(server, "127.0.0.4");
    third.write(GET);
    expect(String((await once(third, "data"))[0])).toMatch(/^HTTP\/1\.1 200 /);
    expect([dropped, request?.closed, server.connections]).toEqual([["in_use of 127.0.0.2"], false, 3]);
  });
});

describe("maxHeaderBytes", () => {
  const bounds = { maxHeaderBytes: 4096 };

  test("responds with 431 over HTTP/1.1", async () => {
    const socket = connectTo(await openServer(bounds));
    socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(5000)}\r\n\r\n`);
    expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("is in the SETTINGS of HTTP/2, and requests that exceed it get 431", async () => {
    const server = await openServer(bounds);
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    const [settings] = await once(session, "remoteSettings");
    expect(settings.maxHeaderListSize).toBe(4096);
    const stream = session.request({ ":path": "/", x: "x".repeat(5000) });
    const [headers] = await once(stream, "response");
    expect(headers[":status"]).toBe(431);
    const next = session.request({ ":path": "/", x: "x".repeat(3000) }).setEncoding("utf8");
    expect(await once(next, "data")).toEqual(["done"]);
    session.close();
  });
});

describe("maxConcurrentStreams", () => {
  test("is in the SETTINGS of HTTP/2, and refuses streams that exceed it", async () => {
    const server = await openServer({ maxConcurrentStreams: 2 });
    const raw = await openRawHttp2(server.port);
    for (const stream of [1, 3, 5]) {
      raw.socket.write(get(stream, "/never"));
    }
    // REFUSED_STREAM (RFC 9113, section 5.1.2).
    const reset = await raw.next(({ type }) => type === FRAME.RST_STREAM);
    expect([reset.stream, reset.payload.readUInt32BE(0)]).toEqual([5, 7]);
    raw.socket.destroy();
  });
});
