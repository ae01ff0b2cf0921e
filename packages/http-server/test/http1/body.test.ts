import { describe, expect, test } from "vitest";
import type { Body, ServerRequest } from "../../src/index.js";
import { type ReadParts, readParts } from "../support/read-parts.js";
import { connectTo, turns, useServers, withoutDate } from "../support/test-server.js";

const servers = useServers();
const { start } = servers;

const NEXT = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
const MIB = 1024 * 1024;

function post(length: number): string {
  return `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
}

function response(status: string, body: string, connection = "keep-alive"): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\nconnection: ${connection}\r\n\r\n${body}`;
}

/** Reads the body of POST and responds with its length, or with 413. */
function measure(request: ServerRequest): void {
  request.readBody(100_000, (body) =>
    body === "too large"
      ? request.respond(413, [], "too large")
      : request.respond(200, [], `${request.method} ${body.length}`),
  );
}

test("reads a body that arrives in pieces", async () => {
  const bodies: Buffer[] = [];
  const port = await start({
    onRequest: (request) =>
      request.readBody(100_000, (body) => {
        bodies.push(Buffer.from(body as Uint8Array));
        request.respond(204, [], undefined);
      }),
  });
  const client = await connectTo(port);
  const sent = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
  client.write(post(sent.length));
  for (let at = 0; at < sent.length; at += 9_999) {
    client.write(sent.subarray(at, at + 9_999));
    await turns(2);
  }
  await client.until((text) => text.includes("\r\n\r\n"));
  expect(bodies).toHaveLength(1);
  expect(bodies[0]?.equals(sent)).toBe(true);
});

test("reads a body that the handler asks for later", async () => {
  const requests: ServerRequest[] = [];
  const port = await start({ onRequest: (request) => requests.push(request) });
  const client = await connectTo(port);
  client.write(`${post(3)}abc${NEXT}`);
  await turns(10);
  expect(requests).toHaveLength(1);
  const bodies: string[] = [];
  requests[0]?.readBody(10, (body) => bodies.push(Buffer.from(body).toString()));
  await turns(10);
  expect(bodies).toEqual(["abc"]);
  requests[0]?.respond(200, [], "1");
  await client.until((text) => text.endsWith("1"));
  await turns(10);
  expect(requests.map(({ target }) => target)).toEqual(["/", "/next"]);
});

test("passes on the bytes that were read as a view of them", async () => {
  const bodies: Body[] = [];
  const port = await start({ onRequest: (request) => request.readBody(100, (body) => bodies.push(body)) });
  const client = await connectTo(port);
  client.write(`${post(3)}abc`);
  await turns(10);
  expect((bodies[0] as Uint8Array).buffer.byteLength).toBe(post(3).length + 3);
});

test.each([
  ["sent at once", 100_001, 100_001],
  ["that the client does not send", 100_001, 0],
  ["of 1 MiB", MIB, MIB],
])("discards a body that is too large, %s", async (_title, length, sent) => {
  const port = await start({ onRequest: measure });
  const client = await connectTo(port);
  client.write(post(length));
  client.write(Buffer.alloc(sent));
  const rejected = response("413 Payload Too Large", "too large");
  await client.until((text) => withoutDate(text) === rejected);
  client.write(Buffer.alloc(length - sent));
  client.write(NEXT);
  await client.until((text) => withoutDate(text) === rejected + response("200 OK", "GET 0"));
});

test("closes the connection after the response to a body of more than 1 MiB", async () => {
  const port = await start({ onRequest: measure });
  const client = await connectTo(port);
  client.write(post(MIB + 1));
  client.write(Buffer.alloc(MIB + 1));
  client.write(NEXT);
  expect(withoutDate(await client.ended)).toBe(response("413 Payload Too Large", "too large", "close"));
});

test("discards 1 MiB of a body that is too large, and then waits for the response", async () => {
  const requests: ServerRequest[] = [];
  const port = await start({
    onRequest: (request) => request.readBody(10, () => requests.push(request)),
  });
  const client = await connectTo(port);
  client.write(post(1e9));
  client.write(Buffer.alloc(50 * MIB));
  await expect.poll(() => servers.server?.sockets[0]?.isPaused()).toBe(true);
  requests[0]?.respond(413, [], undefined);
  expect(await client.ended).toMatch(/^HTTP\/1\.1 413 /);
  // A chunk more may have been read.
  expect(servers.server?.sockets[0]?.bytesRead).toBeLessThan(3 * MIB);
});

test.each([
  ["before the body arrives", 0],
  ["before the rest of the body arrives", 50],
  ["after the body has arrived", 100],
])("discards a body that the handler does not read and responds %s", async (_title, early) => {
  const port = await start({ onRequest: (request) => request.respond(200, [], request.target) });
  const client = await connectTo(port);
  client.write(post(100) + "x".repeat(early));
  await client.until((text) => withoutDate(text) === response("200 OK", "/"));
  client.write("x".repeat(100 - early) + NEXT);
  await client.until((text) => withoutDate(text) === response("200 OK", "/") + response("200 OK", "/next"));
});

test("closes the connection if the unread body is longer than 1 MiB", async () => {
  const port = await start({ onRequest: (request) => request.respond(200, [], request.target) });
  const client = await connectTo(port);
  client.write(post(2 * MIB));
  client.write(Buffer.alloc(2 * MIB));
  expect(withoutDate(await client.ended)).toBe(response("200 OK", "/", "close"));
});

test("does not call back if the client disconnects before the end of the body", async () => {
  const bodies: Body[] = [];
  const closed: string[] = [];
  const port = await start({
    onRequest: (request) => {
      request.onClose(() => closed.push(request.target));
      request.readBody(100, (body) => bodies.push(body));
    },
  });
  const client = await connectTo(port);
  client.write(`${post(10)}abc`);
  await turns(10);
  client.socket.resetAndDestroy();
  await new Promise((resolve) => servers.server?.sockets[0]?.once("close", resolve));
  expect(bodies).toEqual([]);
  expect(closed).toEqual(["/"]);
});

test("responds with 400 if the client closes its half before the end of the body", async () => {
  const bodies: Body[] = [];
  const port = await start({ onRequest: (request) => request.readBody(100, (body) => bodies.push(body)) });
  const client = await connectTo(port);
  client.write(`${post(10)}abc`);
  client.socket.end();
  const rejected = response("400 Bad Request", "the request is incomplete\n", "close");
  expect(withoutDate(await client.ended).replace(/content-type: .*\r\n/, "")).toBe(rejected);
  expect(bodies).toEqual([]);
});

test("reads nothing after the response", async () => {
  const bodies: Body[] = [];
  const port = await start({
    onRequest: (request) => {
      request.respond(200, [], "ok");
      request.readBody(100, (body) => bodies.push(body));
      expect(request.openBody(() => bodies.push("too large")).take()).toBeUndefined();
    },
  });
  const client = await connectTo(port);
  client.write(`${post(1)}a`);
  await client.until((text) => text.endsWith("ok"));
  await turns(5);
  expect(bodies).toEqual([]);
});

function chunked(...chunks: readonly string[]): string {
  const lines = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${lines.join("")}0\r\n\r\n`;
}

describe("chunked bodies", () => {
  test("are read whole, and their trailers are there then", async () => {
    const trailers: (readonly string[] | undefined)[] = [];
    const port = await start({
      onRequest: (request) => {
        trailers.push(request.trailers?.list);
        request.readBody(100_000, (body) => {
          trailers.push(request.trailers?.list);
          request.respond(200, [], `${body.length}`);
        });
      },
    });
    const client = await connectTo(port);
    const sent = chunked("x".repeat(10_000), "y".repeat(70_000));
    client.write(sent.replace(/0\r\n\r\n$/, "0\r\nX: 1\r\ny:\r\n\r\n") + chunked());
    await client.until((text) => withoutDate(text) === response("200 OK", "80000") + response("200 OK", "0"));
    expect(trailers).toEqual([undefined, ["x", "1", "y", ""], undefined, undefined]);
  });

  test("that are too large get their response, and are discarded up to 1 MiB", async () => {
    const port = await start({ onRequest: measure });
    const client = await connectTo(port);
    const rejected = response("413 Payload Too Large", "too large");
    client.write(chunked(...Array<string>(9).fill("x".repeat(100_000))) + NEXT);
    await client.until((text) => withoutDate(text) === rejected + response("200 OK", "GET 0"));
    client.write(chunked(...Array<string>(12).fill("x".repeat(100_000))) + NEXT);
    expect(withoutDate(await client.ended)).toBe(rejected + response("200 OK", "GET 0") + rejected);
  });

  test("are discarded after the response, and so is the connection if they are invalid", async () => {
    const port = await start({ onRequest: (request) => request.respond(200, [], request.target) });
    const client = await connectTo(port);
    client.write(chunked("abc") + chunked().slice(0, -5));
    const expected = response("200 OK", "/").repeat(2);
    await client.until((text) => withoutDate(text) === expected);
    client.write(`invalid\r\n${NEXT}`);
    expect(withoutDate(await client.ended)).toBe(expected);
  });
});

describe("openBody", () => {
  const content = Buffer.from(Array.from({ length: MIB }, (_, index) => index % 251)).toString("latin1");

  test.each([
    ["of known length", post(MIB) + content],
    ["with chunks", chunked(content.slice(0, 100), content.slice(100, 70_000), content.slice(70_000))],
  ])("reads a body %s part by part", async (_title, sent) => {
    const port = await start({
      onRequest: (request) =>
        readParts(request, (text) => request.respond(200, [], `${text.length} ${text === content}`)),
    });
    const client = await connectTo(port);
    client.write(sent);
    await client.until((text) => withoutDate(text) === response("200 OK", `${MIB} true`));
    // A body without bytes has ended when it is opened.
    client.write(post(0) + chunked());
    await client.until((text) => text.split("0 false").length > 2);
  });

  test("opens a body that has arrived before, which is a copy then", async () => {
    const requests: ServerRequest[] = [];
    const port = await start({ onRequest: (request) => requests.push(request) });
    const client = await connectTo(port);
    client.write(`${post(3)}abc`);
    await expect.poll(() => requests).toHaveLength(1);
    const reader = requests[0]?.openBody(() => {});
    const part = reader?.take();
    expect(Buffer.from(part ?? []).toString()).toBe("abc");
    expect(part?.buffer.byteLength).toBe(3);
    expect(reader?.isTaken).toBe(true);
  });

  test("reads only as fast as its reader takes", async () => {
    const requests: ServerRequest[] = [];
    const port = await start({ onRequest: (request) => requests.push(request) });
    const client = await connectTo(port);
    client.write(post(50 * MIB));
    client.write(Buffer.alloc(50 * MIB));
    await expect.poll(() => requests).toHaveLength(1);
    let length = 0;
    let isReading = false;
    const take = (): void => {
      // The next part may arrive meanwhile.
      const part = isReading ? reader?.take() : undefined;
      length += part?.length ?? 0;
    };
    const reader = requests[0]?.openBody(take);
    for (let before = -1; before !== servers.server?.sockets[0]?.bytesRead; await turns(50)) {
      before = servers.server?.sockets[0]?.bytesRead ?? 0;
    }
    expect(servers.server?.sockets[0]?.bytesRead).toBeLessThan(MIB);
    isReading = true;
    take();
    await expect.poll(() => reader?.isTaken, { timeout: 20_000 }).toBe(true);
    expect(length).toBe(50 * MIB);
  });

  test.each(["the client disconnects", "the response is sent", "the request is aborted"])(
    "closes the request if %s before the end",
    async (end) => {
      const requests: ServerRequest[] = [];
      const bodies: ReadParts[] = [];
      const closed: string[] = [];
      const port = await start({
        onRequest: (request) => {
          requests.push(request);
          request.onClose(() => closed.push("closed"));
          bodies.push(readParts(request));
        },
      });
      const client = await connectTo(port);
      client.write(`${post(10)}abc`);
      await expect.poll(() => bodies[0]?.parts).toEqual(["abc"]);
      if (end === "the client disconnects") {
        client.socket.resetAndDestroy();
      } else if (end === "the response is sent") {
        requests[0]?.respond(200, [], "");
      } else {
        requests[0]?.abort();
      }
      await expect.poll(() => closed).toEqual(["closed"]);
      client.write("def");
      await turns(5);
      expect([bodies[0]?.parts, bodies[0]?.isTaken()]).toEqual([["abc"], false]);
    },
  );
});
