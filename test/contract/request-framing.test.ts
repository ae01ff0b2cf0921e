import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { useServer } from "./serve.js";

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

describe.each(SPLITS)("sent %s", (how, split) => {
  const H2C = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
  const WEBSOCKET =
    "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

  // A server may ignore Upgrade (RFC 9110, section 7.8). A head in many pieces is passed to `node:http`.
  test.each([
    ["h2c", `${LOOK_UP}${H2C}\r\n`, 200],
    ["websocket", `${LOOK_UP}${WEBSOCKET}\r\n`, 200],
    ["websocket at an unknown path", `GET /socket HTTP/1.1\r\nHost: a\r\n${WEBSOCKET}\r\n`, 404],
    ["h2c with a body", `${SANITIZE}${H2C}Content-Length: ${EMAIL.length}\r\n\r\n${EMAIL}`, 200],
    [
      "h2c with a body that is rejected",
      `${LOOK_UP}${H2C}Content-Length: ${INNER.length}\r\n\r\n${INNER}`,
      400,
    ],
  ])("Upgrade is ignored: %s", async (_name, first, status) => {
    const statuses = statusesIn(await exchange(split(first + NEXT)));
    expect(statuses).toEqual(how === "byte by byte" ? [status] : [status, ...NEXT_STATUSES]);
  });

  test.each([
    ["chunks", `${SANITIZE}${H2C}Transfer-Encoding: chunked\r\n\r\n${chunked(EMAIL)}`, [200]],
    [
      "100 Continue",
      `${SANITIZE}${H2C}Expect: 100-continue\r\nContent-Length: ${EMAIL.length}\r\n\r\n${EMAIL}`,
      [100, 200],
    ],
    ["HTTP/1.0", `${LOOK_UP.replace("/1.1", "/1.0")}${H2C}\r\n`, [200]],
    [
      "HTTP/1.0 with keep-alive",
      `${LOOK_UP.replace("/1.1", "/1.0")}Connection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n`,
      [200],
    ],
    ["an unknown expectation", `${LOOK_UP}${H2C}Expect: x\r\n\r\n`, [417]],
  ])("Upgrade is ignored, and the connection is closed: %s", async (_name, first, statuses) => {
    expect(statusesIn(await exchange(split(first + NEXT)))).toEqual(statuses);
  });
});
