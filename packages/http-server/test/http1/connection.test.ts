import { describe, expect, test } from "vitest";
import type { BodyWriter, ServerRequest } from "../../src/index.js";
import { Stage } from "../../src/port/stage.js";
import { connectTo, exchange, turns, useServers, withoutDate } from "../support/test-server.js";

const servers = useServers();
const { start } = servers;

const MIB = 1024 * 1024;
const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

function ok(body: string, connection: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: ${connection}\r\n\r\n${body}`;
}

// RFC 9112, appendix C.2.2.
test("keeps the connection for a client of HTTP/1.0 that asks for that", async () => {
  const port = await start({
    onRequest: (request) =>
      request.readBody(100, (body) => {
        const { httpVersion, authority, method } = request;
        request.respond(200, [], `${method} ${httpVersion} ${authority} ${Buffer.from(body)}`);
      }),
  });
  const client = await connectTo(port);
  const post = "POST / HTTP/1.0\r\nHost: b\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc";
  client.write(`${post}${post}GET / HTTP/1.0\r\n\r\nGET /next HTTP/1.0\r\n\r\n`);
  expect(withoutDate(await client.ended)).toBe(
    ok("POST 1.0 b abc", "keep-alive").repeat(2) + ok("GET 1.0 undefined ", "close"),
  );
});

describe("a client that closes its half", () => {
  test("gets the response to a request in progress, which closes the connection", async () => {
    const requests: ServerRequest[] = [];
    const port = await start({ onRequest: (request) => requests.push(request) });
    const client = await connectTo(port);
    client.write(GET);
    client.socket.end();
    await expect.poll(() => requests).toHaveLength(1);
    await expect.poll(() => servers.server?.sockets[0]?.readableEnded).toBe(true);
    requests[0]?.respond(200, [], "late");
    expect(withoutDate(await client.ended)).toBe(ok("late", "close"));
    await client.closed;
  });

  test("without a request is disconnected", async () => {
    const port = await start({});
    expect(await exchange(port)).toBe("");
    expect(withoutDate(await exchange(port, GET))).toBe(ok("", "keep-alive"));
  });

  test("while it reads a stream gets the rest of it", async () => {
    const writers: BodyWriter[] = [];
    const port = await start({
      onRequest: (request) => {
        const writer = request.openResponse(200, []);
        writer.write(Buffer.from("abc"), () => {});
        writers.push(writer);
      },
    });
    const client = await connectTo(port);
    client.write(GET);
    await client.until((text) => text.endsWith("abc\r\n"));
    client.socket.end();
    await expect.poll(() => servers.server?.sockets[0]?.readableEnded).toBe(true);
    writers[0]?.end(Buffer.from("def"));
    expect(await client.ended).toMatch(/\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n$/);
    await client.closed;
  });
});

describe("after the last response", () => {
  const isStopping = () => true;

  test.each([
    ["a rejection", {}, "garbage\r\n\r\n"],
    ["a response that closes the connection", { isStopping }, GET + GET],
  ])("the connection reads at most 1 MiB: %s", async (_title, options, sent) => {
    const port = await start(options);
    const client = await connectTo(port);
    client.write(sent);
    await client.ended;
    client.write(Buffer.alloc(MIB - 1000));
    await expect.poll(() => servers.server?.sockets[0]?.bytesRead).toBe(sent.length + MIB - 1000);
    await turns(5);
    expect(servers.server?.sockets[0]?.destroyed).toBe(false);
    expect(servers.server?.connections[0]?.stage).toBe(Stage.LINGERING);
    client.write(Buffer.alloc(50 * MIB));
    await client.closed;
    expect(servers.server?.sockets[0]?.bytesRead).toBeLessThan(3 * MIB);
  });

  test("the client can read the response whatever it has sent", async () => {
    const port = await start({
      onRequest: (request) => request.respond(200, [], "x".repeat(500_000)),
      isStopping,
    });
    const client = await connectTo(port);
    client.socket.pause();
    client.write(GET);
    client.write(Buffer.alloc(MIB / 2));
    await turns(50);
    client.socket.resume();
    expect(withoutDate(await client.ended)).toBe(ok("x".repeat(500_000), "close"));
  });

  test("further connections than 512 that linger are closed at once", async () => {
    const lingering = new Set<object>(Array.from({ length: 512 }, () => ({})));
    const port = await start({ lingering });
    const client = await connectTo(port);
    client.write("garbage\r\n\r\n");
    expect(await client.ended).toMatch(/^HTTP\/1\.1 400 /);
    await expect.poll(() => servers.server?.sockets[0]?.destroyed).toBe(true);
    lingering.clear();
    const other = await connectTo(port);
    other.write("garbage\r\n\r\n");
    await other.ended;
    expect(lingering.size).toBe(1);
    other.socket.destroy();
    await expect.poll(() => lingering.size).toBe(0);
  });
});
