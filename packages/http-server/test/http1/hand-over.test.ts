import { afterEach, expect, test } from "vitest";
import { connectTo, exchange, startServer, type TestServer, withoutDate } from "./test-server.js";

let server: TestServer | undefined;
afterEach(() => server?.close());

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: keep-alive\r\n\r\n";
const H = "Host: a\r\n";
const GET = "GET / HTTP/1.1\r\n";
const POST = "POST / HTTP/1.1\r\n";
const NEXT = `GET /smuggled HTTP/1.1\r\n${H}\r\n`;

/** The sections are those of RFC 9112, unless they name another one. */
const DOUBTFUL: readonly (readonly [title: string, sent: string])[] = [
  // Message format and request line (2.2, 3).
  ["an empty line before the request line (2.2)", `\r\n${GET}${H}\r\n`],
  ["a bare LF before the request line (2.2)", `\n${GET}${H}\r\n`],
  ["a space before the method (3)", ` ${GET}${H}\r\n`],
  ["a method in lower case (3.1)", `get / HTTP/1.1\r\n${H}\r\n`],
  ["an unknown method (3.1)", `BREW / HTTP/1.1\r\n${H}\r\n`],
  ["an unknown method that starts like a known one (3.1)", `GETS / HTTP/1.1\r\n${H}\r\n`],
  ["CONNECT (3.2.3)", `CONNECT a:80 HTTP/1.1\r\n${H}\r\n`],
  ["TRACE (RFC 9110, 9.3.8)", `TRACE / HTTP/1.1\r\n${H}\r\n`],
  ["the preface of HTTP/2 (RFC 9113, 3.4)", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["two spaces after the method (3)", `GET  / HTTP/1.1\r\n${H}\r\n`],
  ["a tab after the method (3)", `GET\t/ HTTP/1.1\r\n${H}\r\n`],
  ["two spaces after the target (3)", `GET /  HTTP/1.1\r\n${H}\r\n`],
  ["a tab after the target (3)", `GET /\tHTTP/1.1\r\n${H}\r\n`],
  ["a space in the target (3.2)", `GET /a b HTTP/1.1\r\n${H}\r\n`],
  ["a control character in the target (3.2)", `GET /a\x01b HTTP/1.1\r\n${H}\r\n`],
  ["NUL in the target (3.2)", `GET /a\0b HTTP/1.1\r\n${H}\r\n`],
  ["DEL in the target (3.2)", `GET /a\x7fb HTTP/1.1\r\n${H}\r\n`],
  ["a byte above ASCII in the target (3.2)", `GET /\xe9 HTTP/1.1\r\n${H}\r\n`],
  ["a fragment in the target (3.2.1)", `GET /#a HTTP/1.1\r\n${H}\r\n`],
  ["absolute-form (3.2.2)", `GET http://a/ HTTP/1.1\r\n${H}\r\n`],
  ["authority-form (3.2.3)", `GET a:80 HTTP/1.1\r\n${H}\r\n`],
  ["asterisk-form (3.2.4)", `OPTIONS * HTTP/1.1\r\n${H}\r\n`],
  ["no target (3)", `GET HTTP/1.1\r\n${H}\r\n`],
  ["no version (3)", `GET /\r\n${H}\r\n`],
  ["HTTP/1.0 (2.3)", `GET / HTTP/1.0\r\n${H}\r\n`],
  ["HTTP/1.2 (2.3)", `GET / HTTP/1.2\r\n${H}\r\n`],
  ["HTTP/2.0 (2.3)", `GET / HTTP/2.0\r\n${H}\r\n`],
  ["HTTP/1.10 (2.3)", `GET / HTTP/1.10\r\n${H}\r\n`],
  ["a version in lower case (2.3)", `GET / http/1.1\r\n${H}\r\n`],
  ["a space after the version (3)", `GET / HTTP/1.1 \r\n${H}\r\n`],
  ["a bare LF after the request line (2.2)", `GET / HTTP/1.1\n${H}\r\n`],
  ["a bare CR after the request line (2.2)", `GET / HTTP/1.1\r${H}\r\n`],
  ["two CRs after the request line (2.2)", `GET / HTTP/1.1\r\r\n${H}\r\n`],
  // Host (3.2).
  ["no header (3.2)", `${GET}\r\n`],
  ["no Host (3.2)", `${GET}Accept: */*\r\n\r\n`],
  ["an empty Host (3.2)", `${GET}Host:\r\n\r\n`],
  ["a Host of white space (3.2)", `${GET}Host: \t \r\n\r\n`],
  ["two Hosts (3.2)", `${GET}${H}Host: b\r\n\r\n`],
  ["two equal Hosts (3.2)", `${GET}${H}${H}\r\n`],
  ["a list of Hosts (3.2)", `${GET}Host: a, b\r\n\r\n`],
  ["a Host with a path (3.2)", `${GET}Host: a/b\r\n\r\n`],
  ["a Host with userinfo (3.2)", `${GET}Host: a@b\r\n\r\n`],
  ["a Host above ASCII (3.2)", `${GET}Host: \xe9\r\n\r\n`],
  // Field lines (5).
  ["a space before the colon (5.1)", `${GET}${H}X : 1\r\n\r\n`],
  ["a tab before the colon (5.1)", `${GET}${H}X\t: 1\r\n\r\n`],
  ["a space before the colon of Content-Length (5.1)", `${POST}${H}Content-Length : 3\r\n\r\nabc`],
  [
    "a space before the colon of Transfer-Encoding (5.1)",
    `${POST}${H}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  ],
  ["no colon (5)", `${GET}${H}X\r\n\r\n`],
  ["no name (5)", `${GET}${H}: 1\r\n\r\n`],
  ["a space before the first name (2.2)", `${GET} X: 1\r\n${H}\r\n`],
  ["a space in a name (5.1)", `${GET}${H}X Y: 1\r\n\r\n`],
  ["a name that is not a token (RFC 9110, 5.1)", `${GET}${H}X(): 1\r\n\r\n`],
  ["a name above ASCII (RFC 9110, 5.1)", `${GET}${H}\xe9: 1\r\n\r\n`],
  ["NUL in a name (RFC 9110, 5.1)", `${GET}${H}X\0: 1\r\n\r\n`],
  ["obs-fold (5.2)", `${GET}${H}X: 1\r\n 2\r\n\r\n`],
  ["obs-fold with a tab (5.2)", `${GET}${H}X: 1\r\n\t2\r\n\r\n`],
  ["an empty obs-fold (5.2)", `${GET}${H}X: 1\r\n \r\n\r\n`],
  ["obs-fold of Transfer-Encoding (5.2)", `${POST}${H}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`],
  ["a bare LF after a field line (2.2)", `${GET}${H}X: 1\nY: 2\r\n\r\n`],
  ["a bare LF before the empty line (2.2)", `${GET}${H}X: 1\n\r\n`],
  ["a bare LF as the empty line (2.2)", `${GET}${H}\n`],
  ["only bare LFs (2.2)", "GET / HTTP/1.1\nHost: a\n\n"],
  ["a bare CR in a value (2.2)", `${GET}${H}X: 1\rY: 2\r\n\r\n`],
  ["a bare CR that hides a header (2.2)", `${POST}${H}X: 1\rContent-Length: 40\r\n\r\n${NEXT}`],
  ["two CRs before an LF (2.2)", `${GET}${H}X: 1\r\r\n\r\n`],
  ["NUL in a value (RFC 9110, 5.5)", `${GET}${H}X: 1\x002\r\n\r\n`],
  ["a control character in a value (RFC 9110, 5.5)", `${GET}${H}X: \x0b\r\n\r\n`],
  ["DEL in a value (RFC 9110, 5.5)", `${GET}${H}X: \x7f\r\n\r\n`],
  // Message body length (6).
  ["Transfer-Encoding (6.1)", `${POST}${H}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`],
  [
    "Content-Length and Transfer-Encoding (6.3)",
    `${POST}${H}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${NEXT}`,
  ],
  [
    "Transfer-Encoding and Content-Length (6.3)",
    `${POST}${H}transfer-encoding: chunked\r\ncontent-length: 50\r\n\r\n0\r\n\r\n${NEXT}`,
  ],
  [
    "an unknown transfer coding (6.1)",
    `${POST}${H}Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\nabc`,
  ],
  ["an empty Transfer-Encoding (6.1)", `${POST}${H}Transfer-Encoding:\r\nContent-Length: 3\r\n\r\nabc`],
  ["identity (6.1)", `${POST}${H}Transfer-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc`],
  ["two different Content-Lengths (6.3)", `${POST}${H}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`],
  ["two equal Content-Lengths (6.3)", `${POST}${H}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`],
  ["a list of Content-Lengths (6.3)", `${POST}${H}Content-Length: 3, 3\r\n\r\nabc`],
  ["a list of different Content-Lengths (6.3)", `${POST}${H}Content-Length: 3,4\r\n\r\nabcd`],
  ["an empty Content-Length (6.2)", `${POST}${H}Content-Length:\r\n\r\n`],
  ["Content-Length with a sign (6.2)", `${POST}${H}Content-Length: +3\r\n\r\nabc`],
  ["a negative Content-Length (6.2)", `${POST}${H}Content-Length: -3\r\n\r\nabc`],
  ["a hexadecimal Content-Length (6.2)", `${POST}${H}Content-Length: 0x3\r\n\r\nabc`],
  ["Content-Length with a fraction (6.2)", `${POST}${H}Content-Length: 3.0\r\n\r\nabc`],
  ["Content-Length with an exponent (6.2)", `${POST}${H}Content-Length: 3e0\r\n\r\nabc`],
  ["Content-Length with leading zeros (6.2)", `${POST}${H}Content-Length: 03\r\n\r\nabc`],
  ["Content-Length with a space (6.2)", `${POST}${H}Content-Length: 3 0\r\n\r\nabc`],
  ["a tab before Content-Length (5)", `${POST}${H}Content-Length:\t3\r\n\r\nabc`],
  ["a tab after Content-Length (5)", `${POST}${H}Content-Length: 3\t\r\n\r\nabc`],
  ["a space after Content-Length (5)", `${POST}${H}Content-Length: 3 \r\n\r\nabc`],
  ["a tab after Connection (5)", `${GET}${H}Connection: close\t\r\n\r\n`],
  ["a tab before Host (5)", `${GET}Host:\ta\r\n\r\n`],
  ["Content-Length with a separator (6.2)", `${POST}${H}Content-Length: 1_0\r\n\r\nabc`],
  ["Content-Length with a suffix (6.2)", `${POST}${H}Content-Length: 3;a\r\n\r\nabc`],
  ["quoted Content-Length (6.2)", `${POST}${H}Content-Length: "3"\r\n\r\nabc`],
  ["Content-Length in other digits (6.2)", `${POST}${H}Content-Length: \xb3\r\n\r\nabc`],
  ["Content-Length beyond 2^53 (6.2)", `${POST}${H}Content-Length: 18446744073709551619\r\n\r\nabc`],
  // Connection management (9) and expectations.
  [
    "Upgrade with Transfer-Encoding (6.1)",
    `${POST}${H}Connection: Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    "Upgrade over HTTP/1.0 (RFC 9110, 7.8)",
    `GET / HTTP/1.0\r\n${H}Connection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n`,
  ],
  ["an empty element in Connection (RFC 9110, 5.6.1)", `${GET}${H}Connection: close,\r\n\r\n`],
  ["two options without a comma in Connection (9.6)", `${GET}${H}Connection: keep-alive close\r\n\r\n`],
  ["an unknown option in Connection (9.6)", `${GET}${H}Connection: close, TE\r\n\r\n`],
  ["a tab in Connection (9.6)", `${GET}${H}Connection: keep-alive,\tclose\r\n\r\n`],
  ["Connection that names a header (RFC 9110, 7.6.1)", `${GET}${H}Connection: Host\r\n\r\n`],
  [
    "Connection that names Content-Length (RFC 9110, 7.6.1)",
    `${POST}${H}Connection: content-length\r\nContent-Length: 3\r\n\r\nabc`,
  ],
  ["two Connections (9.6)", `${GET}${H}Connection: keep-alive\r\nConnection: close\r\n\r\n`],
  ["an empty Connection (9.6)", `${GET}${H}Connection:\r\n\r\n`],
  ["Proxy-Connection (C.2.2)", `${GET}${H}Proxy-Connection: close\r\n\r\n`],
  ["TE (7.4)", `${GET}${H}TE: trailers\r\n\r\n`],
  ["Trailer (7.1.2)", `${GET}${H}Trailer: x\r\n\r\n`],
  ["Expect (RFC 9110, 10.1.1)", `${POST}${H}Expect: 100-continue\r\nContent-Length: 3\r\n\r\n`],
  ["an unknown expectation (RFC 9110, 10.1.1)", `${GET}${H}Expect: x\r\n\r\n`],
  ["a head that is too long", `${GET}${H}X: ${"x".repeat(16_384)}\r\n\r\n`],
];

test.each(DOUBTFUL)("hands over %s with all of its bytes", async (_title, sent) => {
  const requests: string[] = [];
  server = await startServer({
    onRequest: (request) => {
      requests.push(request.target);
      request.respond(200, [], undefined);
    },
  });
  expect(await exchange(server.port, sent)).toBe("");
  expect(requests).toEqual([]);
  expect(server.handedOver.map((chunks) => Buffer.concat(chunks).toString("latin1"))).toEqual([sent]);
});

test.each(DOUBTFUL)("hands over %s after an ordinary request, without its bytes", async (_title, sent) => {
  const requests: string[] = [];
  server = await startServer({
    onRequest: (request) => {
      requests.push(request.target);
      request.readBody(100, () => request.respond(200, [], undefined));
    },
  });
  const ordinary = `POST /ordinary HTTP/1.1\r\n${H}Content-Length: 6\r\n\r\n\r\n\r\n\r\n`;
  expect(withoutDate(await exchange(server.port, ordinary + sent))).toBe(OK);
  expect(requests).toEqual(["/ordinary"]);
  expect(server.handedOver.map((chunks) => Buffer.concat(chunks).toString("latin1"))).toEqual([sent]);
});

test.each([
  "",
  "03",
  "00",
  "+3",
  "-3",
  " 3",
  "3 ",
  "\t3",
  "3\t",
  "3,3",
  "3.",
  "0x3",
  "3\r\n 0",
  "3\r",
  "3\n",
  "1000000000000000",
])("hands over a request that differs from the one before in the content length %j", async (length) => {
  const bodies: number[] = [];
  server = await startServer({
    onRequest: (request) =>
      request.readBody(100, (body) => {
        bodies.push(body.length);
        request.respond(200, [], undefined);
      }),
  });
  const before = `POST / HTTP/1.1\r\n${H}Content-Length: `;
  const after = `\r\nX: 1\r\n\r\nabc`;
  const doubtful = before + length + after;
  expect(withoutDate(await exchange(server.port, `${before}3${after}${doubtful}`))).toBe(OK);
  expect(bodies).toEqual([3]);
  expect(server.handedOver.map((chunks) => Buffer.concat(chunks).toString("latin1"))).toEqual([doubtful]);
});

test("hands over after the response to an earlier request that is not ready yet", async () => {
  let respond = (): void => {};
  server = await startServer({
    onRequest: (request) => {
      respond = () => request.respond(200, [], undefined);
    },
    fallback: (request, response) => response.end(`node:http ${request.url}`),
  });
  const client = await connectTo(server.port);
  client.write(`${GET}${H}\r\nGET /old HTTP/1.0\r\n\r\n`);
  client.socket.end();
  while (server.sockets[0]?.readableLength === undefined || server.sockets[0].readableLength === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(client.received).toBe("");
  respond();
  const received = withoutDate(await client.ended);
  expect(received.slice(0, OK.length)).toBe(OK);
  expect(received.slice(OK.length)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nnode:http \/old$/);
});

test("leaves a connection to node:http once it has been handed over", async () => {
  server = await startServer({
    onRequest: (request) => request.respond(200, [], "fast"),
    fallback: (request, response) => request.resume().on("end", () => response.end(`slow ${request.url}`)),
  });
  const chunked = `POST /1 HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
  const received = await exchange(server.port, chunked, `GET /2 HTTP/1.1\r\n${H}\r\n`);
  expect(received.match(/(?:fast|slow \/\d)/g)).toEqual(["slow /1", "slow /2"]);
  const [connection] = server.connections;
  connection?.check(0);
  connection?.check(1e9);
  connection?.closeIdle();
  expect(connection?.idleSince).toBeUndefined();
});

test.each<[title: string, status: number, sent: string]>([
  [
    "400 for Content-Length with Transfer-Encoding",
    400,
    `${POST}${H}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ["400 for two Content-Lengths", 400, `${POST}${H}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`],
  ["400 for a bare LF in an incomplete head", 400, `${GET}${H}X: 1\nY: 2`],
  ["431 for a long head", 431, `${GET}${H}X: ${"x".repeat(20_000)}\r\n\r\n`],
  ["431 for a long target", 431, `GET /${"x".repeat(20_000)}`],
  ["200 for HTTP/1.0", 200, "GET / HTTP/1.0\r\n\r\n"],
])("node:http responds with %s", async (_title, status, sent) => {
  server = await startServer({
    onRequest: (request) => request.respond(500, [], undefined),
    fallback: (_request, response) => response.end(),
  });
  const client = await connectTo(server.port);
  client.write(sent);
  const received = await client.until((text) => text.includes("\r\n\r\n"));
  expect(received.slice(0, 13)).toBe(`HTTP/1.1 ${status} `);
});
