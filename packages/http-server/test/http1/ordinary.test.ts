import { expect, test } from "vitest";
import type { ServerRequest } from "../../src/index.js";
import { connectTo, useServers, withoutDate } from "../support/test-server.js";

const servers = useServers();
const { start } = servers;

/** Responds with what it has read. */
function echo(request: ServerRequest): void {
  request.readBody(1_000, (body) => {
    const text = body === "too large" ? body : Buffer.from(body).toString("latin1");
    request.respond(200, [], `${request.method} ${request.target} ${request.authority} ${text}`);
  });
}

function ok(body: string, connection = "keep-alive"): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: ${connection}\r\n\r\n${body}`;
}

const HOST = "Host: a\r\n";

test.each<[title: string, sent: string, received: string]>([
  ["GET", `GET / HTTP/1.1\r\n${HOST}\r\n`, ok("GET / a ")],
  ["a query", `GET /a?b=c&d=%20 HTTP/1.1\r\n${HOST}\r\n`, ok("GET /a?b=c&d=%20 a ")],
  ["unusual characters", `GET //"<>\\^\`{|}~ HTTP/1.1\r\n${HOST}\r\n`, ok('GET //"<>\\^`{|}~ a ')],
  ["POST", `POST /x HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`, ok("POST /x a abc")],
  ["POST without a body", `POST /x HTTP/1.1\r\n${HOST}\r\n`, ok("POST /x a ")],
  ["PUT", `PUT /x HTTP/1.1\r\n${HOST}content-length: 1\r\n\r\n\n`, ok("PUT /x a \n")],
  ["PATCH", `PATCH /x HTTP/1.1\r\n${HOST}CONTENT-LENGTH:0\r\n\r\n`, ok("PATCH /x a ")],
  ["DELETE", `DELETE /x HTTP/1.1\r\n${HOST}\r\n`, ok("DELETE /x a ")],
  ["OPTIONS", `OPTIONS /x HTTP/1.1\r\n${HOST}\r\n`, ok("OPTIONS /x a ")],
  ["GET with a body", `GET /x HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\nab`, ok("GET /x a ab")],
  ["Connection: keep-alive", `GET / HTTP/1.1\r\n${HOST}Connection: Keep-Alive\r\n\r\n`, ok("GET / a ")],
  ["Connection: close", `GET / HTTP/1.1\r\n${HOST}connection: Close\r\n\r\n`, ok("GET / a ", "close")],
  [
    "Connection: close with a body",
    `POST / HTTP/1.1\r\n${HOST}Connection: close\r\nContent-Length: 2\r\n\r\nab`,
    ok("POST / a ab", "close"),
  ],
  [
    "a list of connection options",
    `GET / HTTP/1.1\r\n${HOST}Connection: keep-alive,Close\r\n\r\n`,
    ok("GET / a ", "close"),
  ],
  // A server may ignore Upgrade (RFC 9110, section 7.8).
  [
    "Upgrade: h2c",
    `GET / HTTP/1.1\r\n${HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
    ok("GET / a "),
  ],
  [
    "Upgrade: websocket",
    `GET / HTTP/1.1\r\n${HOST}Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ok("GET / a "),
  ],
  ["Upgrade without Connection", `GET / HTTP/1.1\r\n${HOST}Upgrade: a/1, b\r\n\r\n`, ok("GET / a ")],
  [
    "Upgrade with a body",
    `POST / HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nab`,
    ok("POST / a ab"),
  ],
  [
    "Upgrade with Connection: close",
    `GET / HTTP/1.1\r\n${HOST}Connection: upgrade, close\r\nUpgrade: h2c\r\n\r\n`,
    ok("GET / a ", "close"),
  ],
  ["a port", "GET / HTTP/1.1\r\nhost: [::1]:80\r\n\r\n", ok("GET / [::1]:80 ")],
  ["white space", "GET / HTTP/1.1\r\nHost:a\r\nX:\t \t a \t \r\n\r\n", ok("GET / a ")],
])("serves %s", async (_title, sent, received) => {
  const port = await start({ onRequest: echo });
  const client = await connectTo(port);
  client.write(sent);
  await client.until((text) => withoutDate(text).length >= received.length);
  expect(withoutDate(client.received)).toBe(received);
  client.socket.end();
  expect(withoutDate(await client.ended)).toBe(received);
});

test("passes on headers in order, in lower case and without white space around values", async () => {
  const requests: ServerRequest[] = [];
  const port = await start({
    onRequest: (request) => {
      requests.push(request);
      request.respond(204, [], undefined);
    },
  });
  const client = await connectTo(port);
  client.write(
    "GET / HTTP/1.1\r\nHOST: a\r\nX-One:  1\t\r\ncookie: a=b\r\nx-empty:\r\nX-ONE: \xa0\xe9 2\r\nCookie: c=d\r\n\r\n",
  );
  await client.until((text) => text.endsWith("\r\n\r\n"));
  const headers = requests[0]?.headers;
  expect(headers?.list).toEqual([
    ...["host", "a", "x-one", "1", "cookie", "a=b", "x-empty", "", "x-one", "\xa0\xe9 2", "cookie", "c=d"],
  ]);
  expect(headers?.get("x-one")).toBe("1, \xa0\xe9 2");
  expect(headers?.get("cookie")).toBe("a=b; c=d");
  expect(headers?.get("x-empty")).toBe("");
  expect(headers?.get("toString")).toBeUndefined();
  expect(requests[0]?.trailers).toBeUndefined();
  expect(requests[0]?.httpVersion).toBe("1.1");
});

test("describes the connection", async () => {
  const requests: ServerRequest[] = [];
  const port = await start({
    onRequest: (request) => {
      requests.push(request);
      request.respond(204, [], undefined);
    },
  });
  const client = await connectTo(port);
  client.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
  await client.until((text) => text.endsWith("\r\n\r\n"));
  client.socket.destroy();
  await client.closed;
  expect(requests[0]?.connection.peerAddress).toBe("127.0.0.1");
  expect(requests[0]?.connection.isSecure).toBe(false);
  expect(requests[0]?.connection.socket).toBe(servers.server?.sockets[0]);
});

test("does not confuse requests whose headers are similar", async () => {
  const port = await start({
    onRequest: (request) => request.respond(200, [], `${request.target} ${request.headers.get("x")} `),
  });
  const client = await connectTo(port);
  const values = ["1", "1", "2", "12", "1", ""];
  client.write(values.map((value, index) => `GET /${index} HTTP/1.1\r\n${HOST}X: ${value}\r\n\r\n`).join(""));
  const received = await client.until((text) => text.includes("/5"));
  expect(received.match(/\/\d \d* /g)).toEqual(values.map((value, index) => `/${index} ${value} `));
});

test("does not confuse requests that differ in the length of the body", async () => {
  const headers: unknown[] = [];
  const port = await start({
    onRequest: (request) => {
      headers.push(request.headers.get("content-length"), request.headers.list);
      echo(request);
    },
  });
  const client = await connectTo(port);
  const bodies = ["abc", "", "x".repeat(150), "ab", "xy"];
  client.write(
    bodies
      .map((body) => `POST / HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\nX: 1\r\n\r\n${body}`)
      .join(""),
  );
  const expected = bodies.map((body) => ok(`POST / a ${body}`)).join("");
  await client.until((text) => withoutDate(text) === expected);
  expect(headers).toEqual(
    bodies.flatMap(({ length }) => [`${length}`, ["host", "a", "content-length", `${length}`, "x", "1"]]),
  );
});

test("does not find a content length in a request without one", async () => {
  const lengths: (string | undefined)[] = [];
  const port = await start({
    onRequest: (request) => {
      lengths.push(request.headers.get("content-length"));
      echo(request);
    },
  });
  const client = await connectTo(port);
  client.write(`POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\n\r\naGET / HTTP/1.1\r\n${HOST}\r\n`);
  await client.until((text) => withoutDate(text) === ok("POST / a a") + ok("GET / a "));
  expect(lengths).toEqual(["1", undefined]);
});

test("closes the connection after a response while the server stops", async () => {
  const port = await start({ onRequest: echo, isStopping: () => true });
  const client = await connectTo(port);
  client.write(`GET / HTTP/1.1\r\n${HOST}\r\nGET /next HTTP/1.1\r\n${HOST}\r\n`);
  expect(withoutDate(await client.ended)).toBe(ok("GET / a ", "close"));
});

test("parses nothing after a request with Connection: close", async () => {
  const port = await start({ onRequest: echo });
  const client = await connectTo(port);
  client.write(`GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\nGET /next HTTP/1.1\r\n${HOST}\r\n`);
  expect(withoutDate(await client.ended)).toBe(ok("GET / a ", "close"));
});
