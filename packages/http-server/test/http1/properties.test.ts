import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { METHODS, type ServerRequest } from "../../src/index.js";
import { exchange, startServer, type TestServer } from "../support/test-server.js";

/** A request as a handler sees it. */
interface Seen {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** Requests that one of the servers has seen since they were cleared. */
let seen: Seen[] = [];
let server: TestServer;
const node = createHttpServer({ requireHostHeader: false }, handleNode);

function handle(request: ServerRequest): void {
  const { method, target, headers } = request;
  if (!METHODS.includes(method)) {
    // As node:http does, so that both see what follows, or both do not.
    request.abort();
    return;
  }
  request.readBody(1_000, (body) => {
    seen.push({ method, target, headers: headers.list, body: Buffer.from(body).toString("latin1") });
    request.respond(200, [], "ok");
  });
}

function handleNode(request: IncomingMessage, response: ServerResponse): void {
  const { method = "", url = "", rawHeaders } = request;
  const headers = rawHeaders.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text));
  let body = "";
  request.setEncoding("latin1");
  request.on("data", (text: string) => {
    body += text;
  });
  request.on("end", () => {
    seen.push({ method, target: url, headers, body });
    response.end("ok");
  });
}

beforeAll(async () => {
  server = await startServer({ onRequest: handle });
  Object.assign(node, { httpAllowHalfOpen: true });
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
});

afterAll(() => {
  server.close();
  node.closeAllConnections();
  node.close();
});

/** What a server has seen, and the statuses of its responses. */
async function outcomeOf(port: number, pieces: readonly string[]): Promise<[Seen[], string[]]> {
  seen = [];
  const received = await exchange(port, ...pieces);
  return [seen, received.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? []];
}

const token = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,12}$/);
const value = fc.stringMatching(
  /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]{0,20}[\x21-\x7e\x80-\xff])?)?$/,
);
const blank = fc.stringMatching(/^[ \t]{0,3}$/);
const SPECIAL =
  /^(?:host|content-length|transfer-encoding|connection|upgrade|expect|te|trailer|proxy-connection|http2-settings)$/i;
const header = fc
  .tuple(
    token.filter((name) => !SPECIAL.test(name)),
    blank,
    value,
    blank,
  )
  .map(([name, before, text, after]) => `${name}:${before}${text}${after}\r\n`);
const target = fc.stringMatching(/^\/[\x21\x22\x24-\x7e]{0,30}$/);
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array).toString("latin1"));
const ordinary = fc
  .record({
    method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
    target,
    headers: fc.array(header, { maxLength: 5 }),
    body: fc.option(bytes, { nil: undefined }),
  })
  .map(
    ({ method, target, headers, body }) =>
      `${method} ${target} HTTP/1.1\r\nHost: a\r\n${headers.join("")}` +
      `${body === undefined ? "" : `Content-Length: ${body.length}\r\n`}\r\n${body ?? ""}`,
  );

/** Lines and fragments of requests in any order, which mean different things to different parsers. */
const fragment = fc.constantFrom(
  ...[
    "GET / HTTP/1.1\r\n",
    "POST / HTTP/1.1\r\n",
    "GET / HTTP/1.0\r\n",
    "GET /smuggled HTTP/1.1\r\nHost: b\r\n\r\n",
  ],
  ...[
    "Host: a\r\n",
    "Host: a\r\n",
    "Content-Length: 3\r\n",
    "Content-Length: 03\r\n",
    "Content-Length: 3, 3\r\n",
  ],
  ...["Content-Length: +3\r\n", "Content-Length:\r\n", "Content-Length : 3\r\n", "Content-Length: 30\r\n"],
  ...["Transfer-Encoding: chunked\r\n", "Transfer-Encoding : chunked\r\n", "Transfer-Encoding: x\r\n"],
  ...["transfer-encoding:\r\n chunked\r\n", "Connection: close\r\n", "Connection: keep-alive, close\r\n"],
  ...[
    ...["X: 1\r\n", "X: 1\n", "X: 1\r", "X : 1\r\n", " X: 1\r\n", "X\r\n", "X: \0\r\n", ": 1\r\n"],
    ...["X: \x7f\r\n"],
  ],
  ...["\r\n", "\r\n", "\r\n\r\n", "\n", "\r", "\0", " ", ":", "abc", "3\r\nabc\r\n0\r\n\r\n", "0\r\n\r\n"],
);
const odd = fc
  .tuple(
    fc.constantFrom("GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\n", ""),
    fc.array(fragment),
  )
  .map(([start, fragments]) => start + fragments.join(""));

/** What `node:http` rejects, although RFC 9112, sections 2.3 and 5, allows it: minor versions, and tabs behind a length. */
const NODE_REJECTS = / HTTP\/1\.[2-9]\r\n|content-length:[^\r]*\t/i;

/** An ordinary request with one byte inserted, replaced or removed. */
const damaged = fc
  .record({ request: ordinary, at: fc.nat(), removed: fc.nat({ max: 1 }), byte: fc.nat({ max: 256 }) })
  .map(({ request, at, removed, byte }) => {
    const position = at % request.length;
    const inserted = byte === 256 ? "" : String.fromCharCode(byte);
    return request.slice(0, position) + inserted + request.slice(position + removed);
  })
  .filter((request) => !NODE_REJECTS.test(request));

function portOf(): number {
  return (node.address() as AddressInfo).port;
}

test("serves ordinary requests as node:http does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ordinary, { minLength: 1, maxLength: 3 }), async (requests) => {
      const sent = requests.join("");
      const expected = await outcomeOf(portOf(), [sent]);
      expect(await outcomeOf(server.port, [sent])).toEqual(expected);
      expect(expected[0]).toHaveLength(requests.length);
    }),
    { numRuns: 200 },
  );
});

/** Expects that the server sees what `node:http` sees, up to a request that it rejects. */
async function expectNoMore(sent: string): Promise<void> {
  const [expected] = await outcomeOf(portOf(), [sent]);
  const [actual, statuses] = await outcomeOf(server.port, [sent]);
  expect(actual).toEqual(expected.slice(0, actual.length));
  if (actual.length < expected.length) {
    expect(statuses.at(-1)).toMatch(/^[45]/);
  }
}

test.each([
  ["odd requests", odd],
  ["damaged requests", damaged],
])("never sees more requests than node:http in %s, or others", async (_title, requests) => {
  await fc.assert(
    fc.asyncProperty(requests, ordinary, async (first, second) => {
      const sent = first + second;
      await expectNoMore(sent);
    }),
    { numRuns: 500 },
  );
});

test("never sees more requests than node:http in ones that repeat their headers with other content lengths", async () => {
  const length = fc.oneof(fc.nat({ max: 12 }).map(String), fc.stringMatching(/^[ 0-9+,.x]{0,3}$/));
  const requests = fc.array(fc.tuple(length, bytes), { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(requests, header, async (list, line) => {
      const sent = list
        .map(([text, body]) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${text}\r\n${line}\r\n${body}`)
        .join("");
      await expectNoMore(sent);
    }),
    { numRuns: 300 },
  );
});

test("sees the same requests wherever the bytes are cut", async () => {
  const cuts = fc.array(fc.nat({ max: 1_000 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(ordinary, { minLength: 1, maxLength: 3 }),
      cuts,
      async (requests, positions) => {
        const sent = requests.join("");
        const whole = await outcomeOf(server.port, [sent]);
        expect(await outcomeOf(server.port, cut(sent, positions))).toEqual(whole);
      },
    ),
    { numRuns: 100 },
  );
});

function cut(text: string, positions: readonly number[]): string[] {
  const sorted = [0, ...positions.map((position) => position % text.length), text.length].sort(
    (a, b) => a - b,
  );
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end));
}
