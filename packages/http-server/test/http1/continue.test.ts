import { describe, expect, test } from "vitest";
import type { ServerRequest } from "../../src/index.js";
import { readParts } from "../support/read-parts.js";
import { connectTo, turns, useServers, withoutDate } from "../support/test-server.js";

const { start } = useServers();

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const NEXT = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";

function post(framing: string, version = "1.1"): string {
  return `POST / HTTP/${version}\r\nHost: a\r\nExpect: 100-continue\r\n${framing}\r\n\r\n`;
}

function ok(body: string, connection = "keep-alive", status = "200 OK"): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\nconnection: ${connection}\r\n\r\n${body}`;
}

/** Reads the body of POST in a later turn of the event loop. */
const readLater =
  (read: (request: ServerRequest) => void) =>
  (request: ServerRequest): unknown =>
    request.method === "POST" ? setImmediate(() => read(request)) : request.respond(200, [], request.target);

const READERS: readonly (readonly [string, (request: ServerRequest) => void])[] = [
  [
    "readBody",
    (request) => request.readBody(10, (body) => request.respond(200, [], Buffer.from(body).toString())),
  ],
  ["openBody", (request) => void readParts(request, (text) => request.respond(200, [], text))],
];

/** RFC 9110, section 10.1.1. */
describe("100 (Continue)", () => {
  test.each(
    READERS.flatMap(([name, read]) => [
      [`${name} at once`, read] as const,
      [`${name} later`, readLater(read)] as const,
    ]),
  )("is sent when the handler first reads the body: %s", async (_name, onRequest) => {
    const port = await start({ onRequest });
    for (const [framing, body] of [
      ["Content-Length: 3", "abc"],
      ["Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n"],
    ] as const) {
      const client = await connectTo(port);
      client.write(post(framing));
      await client.until((text) => text === CONTINUE);
      client.write(body);
      await client.until((text) => withoutDate(text) === CONTINUE + ok("abc"));
      // Another one is sent for the next request.
      client.write(post(framing));
      await client.until((text) => withoutDate(text) === CONTINUE + ok("abc") + CONTINUE);
      client.socket.destroy();
    }
  });

  test("is not sent before", async () => {
    const requests: ServerRequest[] = [];
    const port = await start({ onRequest: (request) => requests.push(request) });
    const client = await connectTo(port);
    client.write(post("Content-Length: 3"));
    await expect.poll(() => requests).toHaveLength(1);
    await turns(10);
    expect(client.received).toBe("");
    requests[0]?.openBody(() => {});
    await client.until((text) => text === CONTINUE);
  });

  test.each<readonly [string, string]>([
    ["if the whole body has arrived", `${post("Content-Length: 3")}abc`],
    ["for a request without a body", post("Content-Length: 0")],
    ["over HTTP/1.0", `${post("Content-Length: 3", "1.0")}`],
  ])("is not sent %s", async (_title, sent) => {
    const port = await start({
      onRequest: (request) => {
        request.readBody(10, (body) => request.respond(200, [], `${body.length}`));
      },
    });
    const client = await connectTo(port);
    client.write(sent);
    if (sent.includes("HTTP/1.0")) {
      await turns(10);
      expect(client.received).toBe("");
      client.write("abc");
    }
    const received = await client.until((text) => text.includes("\r\n\r\n"));
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each<readonly [string, (request: ServerRequest) => void, string, string]>([
    ["responds without the body", (request) => request.respond(401, [], "no"), "401 Unauthorized", "no"],
    [
      "finds it too large, as announced",
      (request) => request.readBody(2, (body) => request.respond(413, [], String(body))),
      "413 Payload Too Large",
      "too large",
    ],
  ])("is not sent if the handler %s, and the connection closes", async (_title, onRequest, status, body) => {
    const port = await start({ onRequest });
    const client = await connectTo(port);
    client.write(post("Content-Length: 3"));
    expect(withoutDate(await client.ended)).toBe(ok(body, "close", status));
  });

  test("keeps the connection if it was sent and the body is not read completely", async () => {
    const port = await start({
      onRequest: (request) => {
        if (request.method === "POST") {
          request.openBody(() => {});
        }
        request.respond(200, [], request.target);
      },
    });
    const client = await connectTo(port);
    client.write(post("Content-Length: 3"));
    await client.until((text) => withoutDate(text) === CONTINUE + ok("/"));
    client.write(`abc${NEXT}`);
    await client.until((text) => withoutDate(text) === CONTINUE + ok("/") + ok("/next"));
  });

  test("comes before the response and behind earlier ones", async () => {
    const port = await start({ onRequest: readLater(READERS[0]?.[1] ?? (() => {})) });
    const client = await connectTo(port);
    client.write(NEXT + post("Content-Length: 3"));
    await client.until((text) => withoutDate(text) === ok("/next") + CONTINUE);
    client.write("abc");
    await client.until((text) => withoutDate(text) === ok("/next") + CONTINUE + ok("abc"));
  });
});
