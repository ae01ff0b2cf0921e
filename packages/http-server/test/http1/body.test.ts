import { expect, test } from "vitest";
import type { Body, ServerRequest } from "../../src/index.js";
import { connectTo, turns, useServers, withoutDate } from "./test-server.js";

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

test("does not read a body of more than 1 MiB before the response", async () => {
  const requests: ServerRequest[] = [];
  const port = await start({
    onRequest: (request) => {
      requests.push(request);
      request.readBody(10, () => {});
    },
  });
  const client = await connectTo(port);
  client.write(post(1e9));
  client.write(Buffer.alloc(50 * MIB));
  for (let before = -1; before !== servers.server?.sockets[0]?.bytesRead; await turns(50)) {
    before = servers.server?.sockets[0]?.bytesRead ?? 0;
  }
  expect(servers.server?.sockets[0]?.bytesRead).toBeLessThan(MIB);
  requests[0]?.respond(413, [], "no");
  await client.until((text) => withoutDate(text) === response("413 Payload Too Large", "no", "close"));
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
  expect(await client.ended).toBe(
    "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
  );
  expect(bodies).toEqual([]);
});

test("reads a body once", async () => {
  const port = await start({
    onRequest: (request) => {
      request.readBody(100, () => request.respond(200, [], "ok"));
      expect(() => request.readBody(100, () => {})).toThrow("The request body has been read already");
      expect(() => request.readStream()).toThrow("The request body has been read already");
    },
  });
  const client = await connectTo(port);
  client.write(`${post(1)}a`);
  await client.until((text) => text.endsWith("ok"));
});

test("reads nothing after the response", async () => {
  const bodies: Body[] = [];
  const errors: Error[] = [];
  const port = await start({
    onRequest: (request) => {
      request.respond(200, [], "ok");
      request.readBody(100, (body) => bodies.push(body));
      request.readStream().on("error", (error) => errors.push(error));
    },
  });
  const client = await connectTo(port);
  client.write(`${post(1)}a`);
  await client.until((text) => text.endsWith("ok"));
  await turns(5);
  expect(bodies).toEqual([]);
  expect(errors).toHaveLength(1);
});

test("streams a body", async () => {
  const port = await start({
    onRequest: async (request) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request.readStream()) {
        chunks.push(chunk);
      }
      const body = Buffer.concat(chunks);
      request.respond(200, [], `${body.length} ${body.every((byte, index) => byte === index % 251)}`);
    },
  });
  const client = await connectTo(port);
  client.write(post(MIB));
  client.write(Buffer.from(Array.from({ length: MIB }, (_, index) => index % 251)));
  client.write(post(0));
  await client.until(
    (text) => withoutDate(text) === response("200 OK", `${MIB} true`) + response("200 OK", "0 true"),
  );
});

test("reads a stream only as fast as its consumer", async () => {
  const requests: ServerRequest[] = [];
  const port = await start({ onRequest: (request) => requests.push(request) });
  const client = await connectTo(port);
  client.write(post(50 * MIB));
  client.write(Buffer.alloc(50 * MIB));
  await turns(10);
  const stream = requests[0]?.readStream();
  stream?.read(0);
  for (let before = -1; before !== servers.server?.sockets[0]?.bytesRead; await turns(50)) {
    before = servers.server?.sockets[0]?.bytesRead ?? 0;
  }
  expect(servers.server?.sockets[0]?.bytesRead).toBeLessThan(MIB);
  let length = 0;
  stream?.on("data", (chunk: Buffer) => {
    length += chunk.length;
  });
  await new Promise((resolve) => stream?.once("end", resolve));
  expect(length).toBe(50 * MIB);
});

test("discards the rest of a stream that is destroyed", async () => {
  const port = await start({
    onRequest: (request) => {
      if (request.method === "GET") {
        request.respond(200, [], "next");
        return;
      }
      const stream = request.readStream();
      stream.once("data", () => {
        stream.destroy();
        stream.once("close", () => request.respond(200, [], "first"));
      });
    },
  });
  const client = await connectTo(port);
  client.write(post(500_000));
  client.write(Buffer.alloc(500_000));
  client.write(NEXT);
  await client.until(
    (text) => withoutDate(text) === response("200 OK", "first") + response("200 OK", "next"),
  );
});

test.each<[end: string, message: string]>([
  ["the client disconnects", "The client disconnected before the end of the request body"],
  ["the response is sent", "The response was sent before the end of the request body"],
])("destroys a stream with an error if %s before its end", async (end, message) => {
  const errors: Error[] = [];
  const requests: ServerRequest[] = [];
  const port = await start({
    onRequest: (request) => {
      requests.push(request);
      request
        .readStream()
        .on("error", (error) => errors.push(error))
        .resume();
    },
  });
  const client = await connectTo(port);
  client.write(`${post(10)}abc`);
  await turns(10);
  if (end === "the client disconnects") {
    client.socket.destroy();
    await new Promise((resolve) => servers.server?.sockets[0]?.once("close", resolve));
  } else {
    requests[0]?.respond(200, [], "");
  }
  await turns(5);
  expect(errors.map((error) => error.message)).toEqual([message]);
});
