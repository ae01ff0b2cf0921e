import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { useServer } from "../support/serve.js";

// Where a request ends, and what is read as the next one (RFC 9112, section 6).

const server = useServer();

const EMAIL = '{"email":"A+B@example.com"}';
const SANITIZE = "POST /v1/sanitizeEmail HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
const LOOK_UP = "GET /v1/geoIp?ip_address=8.8.8.8 HTTP/1.1\r\nHost: a\r\n";
const INNER = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
/** The body of the first request looks like a request; the response to it is 400. */
const NEXT =
  `${SANITIZE}Content-Length: ${INNER.length}\r\n\r\n${INNER}` +
  "GET /v1/geoIp?ip_address=1.1.1.1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const NEXT_STATUSES = [400, 200];

function chunked(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

/** Sends bytes in pieces, and reads until the server closes the connection. */
async function exchange(pieces: readonly string[]): Promise<string> {
  const socket = connect({ port: server.port, host: "127.0.0.1", noDelay: true });
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  // The server may close the connection before it has read everything.
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return received;
}

function statusesIn(received: string): number[] {
  return Array.from(received.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status));
}

const SPLITS: readonly (readonly [string, (text: string) => string[]])[] = [
  ["as a whole", (text) => [text]],
  ["by heads and bodies", (text) => text.split(/(?<=\r\n\r\n)/)],
  ["byte by byte", (text) => [...text]],
];

describe.each(SPLITS)("sent %s", (_how, split) => {
  const H2C = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
  const WEBSOCKET =
    "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

  // A server may ignore Upgrade (RFC 9110, section 7.8).
  test.each([
    ["h2c", `${LOOK_UP}${H2C}\r\n`, [200]],
    ["websocket", `${LOOK_UP}${WEBSOCKET}\r\n`, [200]],
    ["websocket at an unknown path", `GET /socket HTTP/1.1\r\nHost: a\r\n${WEBSOCKET}\r\n`, [404]],
    ["h2c with a body", `${SANITIZE}${H2C}Content-Length: ${EMAIL.length}\r\n\r\n${EMAIL}`, [200]],
    [
      "h2c with a body that is rejected",
      `${LOOK_UP}${H2C}Content-Length: ${INNER.length}\r\n\r\n${INNER}`,
      [400],
    ],
    ["chunks", `${SANITIZE}${H2C}Transfer-Encoding: chunked\r\n\r\n${chunked(EMAIL)}`, [200]],
    [
      "HTTP/1.0 with keep-alive",
      `${LOOK_UP.replace("/1.1", "/1.0")}Connection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n`,
      [200],
    ],
    ["an unknown expectation", `${LOOK_UP}${H2C}Expect: x\r\n\r\n`, [417]],
  ])("Upgrade is ignored: %s", async (_name, first, statuses) => {
    expect(statusesIn(await exchange(split(first + NEXT)))).toEqual([...statuses, ...NEXT_STATUSES]);
  });

  test("Upgrade is ignored, and HTTP/1.0 closes the connection", async () => {
    const first = `${LOOK_UP.replace("/1.1", "/1.0")}${H2C}\r\n`;
    expect(statusesIn(await exchange(split(first + NEXT)))).toEqual([200]);
  });

  test("Upgrade is ignored: 100 Continue", async () => {
    const first = `${SANITIZE}${H2C}Expect: 100-continue\r\nContent-Length: ${EMAIL.length}\r\n\r\n${EMAIL}`;
    const statuses = statusesIn(await exchange(split(first + NEXT)));
    // The server omits 100 if it has received the body (RFC 9110, section 10.1.1), which depends on how the bytes are sent.
    expect(statuses.filter((status) => status !== 100)).toEqual([200, ...NEXT_STATUSES]);
  });

  test.each([
    ["chunked", " chunked"],
    ["upper case", " CHUNKED"],
    ["a tab", "\tchunked"],
  ])("the chunked coding is understood: %s", async (_name, codings) => {
    const first = `${SANITIZE}Transfer-Encoding:${codings}\r\n\r\n${chunked(EMAIL)}`;
    const received = await exchange(split(first + NEXT));
    expect(statusesIn(received)).toEqual([200, ...NEXT_STATUSES]);
    expect(received).toContain("\r\n\r\na@example.com");
  });

  // RFC 9112, section 6.1.
  test.each([
    ["gzip", [" gzip, chunked"]],
    ["in upper case", ["GZIP,Chunked"]],
    ["in two lines", [" gzip", " chunked"]],
    ["identity", [" identity, chunked"]],
    ["an unknown coding with a parameter", [" a;b=c, chunked"]],
  ])("another transfer coding is 501, and the connection is closed: %s", async (_name, lines) => {
    const received = await exchange(split(withCodings(lines) + NEXT));
    expect(statusesIn(received)).toEqual([501]);
    expect(received).toContain('"UNSUPPORTED_TRANSFER_CODING"');
  });

  test.each([
    ["no chunked coding", [" gzip"]],
    ["identity", [" identity"]],
    ["no final chunked coding", [" chunked, gzip"]],
    ["no final chunked coding, in two lines", [" chunked", " gzip"]],
    ["chunked twice", [" chunked, chunked"]],
    ["chunked in two lines", [" chunked", " chunked"]],
    ["chunked with a parameter", [" chunked;a=b"]],
    ["quoted", [' "chunked"']],
    ["a similar coding", [" xchunked"]],
    ["a vertical tab", [" \v chunked"]],
    ["an empty list", [""]],
    ["an empty line", ["", " chunked"]],
    ["an empty element", [" , chunked"]],
    ["obs-fold", ["\r\n chunked"]],
    ["obs-fold in a list", [" gzip,\r\n chunked"]],
  ])("invalid transfer codings are 400, and the connection is closed: %s", async (_name, codings) => {
    expect(statusesIn(await exchange(split(withCodings(codings) + NEXT)))).toEqual([400]);
  });

  test.each([
    ["after the coding", [" chunked"], "Content-Length: 3"],
    ["after two codings", [" gzip, chunked"], "Content-Length: 3"],
  ])("Content-Length with Transfer-Encoding is 400: %s", async (_name, codings, length) => {
    const after = withCodings(codings).replace("\r\n\r\n", `\r\n${length}\r\n\r\n`);
    const before = withCodings(codings).replace("\r\n", `\r\n${length}\r\n`);
    expect(statusesIn(await exchange(split(after + NEXT)))).toEqual([400]);
    expect(statusesIn(await exchange(split(before + NEXT)))).toEqual([400]);
  });

  test.each(["close", "keep-alive"])("a transfer coding over HTTP/1.0 is 400: %s", async (connection) => {
    const first = withCodings([" chunked"]).replace("1.1\r\n", `1.0\r\nConnection: ${connection}\r\n`);
    expect(statusesIn(await exchange(split(first + NEXT)))).toEqual([400]);
  });
});

test("another transfer coding is rejected with the same error at every path", async () => {
  const call = (path: string, type: string) =>
    exchange([
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ]);
  const bodyOf = (received: string): unknown => JSON.parse(received.slice(received.indexOf("\r\n\r\n") + 4));
  const error = {
    error: {
      code: 501,
      status: "UNIMPLEMENTED",
      message: "the transfer coding of the body is not supported; allowed: chunked",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "UNSUPPORTED_TRANSFER_CODING",
          domain: "utilitytools",
        },
      ],
    },
  };
  const method = "/utilitytools.v1.EmailService/SanitizeEmail";
  expect(bodyOf(await call("/v1/sanitizeEmail", "application/json"))).toEqual(error);
  expect(bodyOf(await call(method, "application/json"))).toEqual(error);
  expect(bodyOf(await call(method, "application/grpc-web+proto"))).toEqual(error);
});

function withCodings(values: readonly string[]): string {
  return `${SANITIZE}${values.map((value) => `Transfer-Encoding:${value}\r\n`).join("")}\r\n${chunked(EMAIL)}`;
}
