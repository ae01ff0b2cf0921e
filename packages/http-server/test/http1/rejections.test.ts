import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { METHODS } from "../../src/core/field-values.js";
import type { Rejection } from "../../src/core/rejection.js";
import type { ServerRequest } from "../../src/request.js";
import {
  exchange,
  exchangeUntil,
  startServer,
  type TestServer,
  withoutDate,
} from "../support/test-server.js";

const H = "Host: a\r\n";
const GET = "GET / HTTP/1.1\r\n";
const POST = "POST / HTTP/1.1\r\n";
const NEXT = `GET /smuggled HTTP/1.1\r\n${H}\r\n`;
const CHUNKS = "3\r\nabc\r\n0\r\n\r\n";
/** The start of a request with a transfer coding. */
const CODED = `${POST}${H}Transfer-Encoding: `;
const withConnection = (options: string) => `${GET}${H}Connection: ${options}\r\n\r\n`;

let server: TestServer;
/** What the handler has received, and what has been rejected, since they were cleared. */
let served: string[] = [];
let rejected: Rejection[] = [];

/** Responds with what it has received, except for GET /smuggled. */
function serve(request: ServerRequest): void {
  const { method, target, authority } = request;
  request.readBody(1_000, (body) => {
    const text = Buffer.from(body).toString("latin1");
    served.push(target === "/smuggled" ? target : [method, target, authority, text].join(" ").trimEnd());
    request.respond(200, [], "ok");
  });
}

beforeAll(async () => {
  server = await startServer({
    onRequest: serve,
    methods: new Set(METHODS),
    onReject: (rejection) => rejected.push(rejection),
    formatRejection: ({ reason, message }) => ({
      headers: ["content-type", "text/plain"],
      body: `${reason}: ${message}`,
    }),
  });
});
afterAll(() => server.close());

const PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  413: "Payload Too Large",
  414: "URI Too Long",
  417: "Expectation Failed",
  421: "Misdirected Request",
  431: "Request Header Fields Too Large",
  501: "Not Implemented",
  505: "HTTP Version Not Supported",
};

/** The response to a rejected request. */
function responseTo({ status, reason, message }: Rejection, closes: boolean): string {
  const body = `${reason}: ${message}`;
  const head = ["content-type: text/plain", `content-length: ${body.length}`];
  const connection = `connection: ${closes ? "close" : "keep-alive"}`;
  return `HTTP/1.1 ${status} ${PHRASES[status]}\r\n${[...head, connection].join("\r\n")}\r\n\r\n${body}`;
}

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\nok";
const DATE = /^date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r$/gm;

/** Whether two responses have been received, the last one with the body `ok`. */
const areTwo = (received: string): boolean =>
  received.split("HTTP/1.1 ").length === 3 && received.endsWith("\r\n\r\nok");

/**
 * Sends a text whole and byte by byte, and checks each. A long one is cut into a few pieces. The client closes its half at once, or
 * once it has received `two` responses.
 */
async function send(sent: string, check: (received: string) => void, two?: "two"): Promise<void> {
  const pieces = sent.length > 1_000 ? (sent.match(/[\s\S]{1,5000}/g) ?? []) : [...sent];
  for (const way of [[sent], pieces]) {
    served = [];
    rejected = [];
    check(
      two === undefined
        ? await exchange(server.port, ...way)
        : await exchangeUntil(server.port, areTwo, ...way),
    );
  }
}

type Case = readonly [title: string, status: number, sent: string];

/** Rejected because of their syntax, so that nothing behind them can be read. Sections without an RFC are those of RFC 9112. */
const CLOSING: readonly Case[] = [
  // Message format and request line (2.2, 3).
  ["a bare LF before the request line (2.2)", 400, `\n${GET}${H}\r\n`],
  ["a bare CR before the request line (2.2)", 400, `\r${GET}${H}\r\n`],
  ["a space before the method (3)", 400, ` ${GET}${H}\r\n`],
  ["a method that is not a token (3.1)", 400, `GE(T) / HTTP/1.1\r\n${H}\r\n`],
  ["garbage", 400, "garbage\r\n\r\n"],
  ["a TLS handshake", 400, "\x16\x03\x01\x00\x05\x01\r\n\r\n"],
  ["the preface of HTTP/2 (RFC 9113, 3.4)", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["two spaces after the method (3)", 400, `GET  / HTTP/1.1\r\n${H}\r\n`],
  ["a tab after the method (3)", 400, `GET\t/ HTTP/1.1\r\n${H}\r\n`],
  ["two spaces after the target (3)", 400, `GET /  HTTP/1.1\r\n${H}\r\n`],
  ["a tab after the target (3)", 400, `GET /\tHTTP/1.1\r\n${H}\r\n`],
  ["a space in the target (3.2)", 400, `GET /a b HTTP/1.1\r\n${H}\r\n`],
  ["a fragment in the target (3.2.1)", 400, `GET /#a HTTP/1.1\r\n${H}\r\n`],
  ["a fragment in absolute-form (3.2.2)", 400, `GET http://a/#b HTTP/1.1\r\n${H}\r\n`],
  ["absolute-form without Host (3.2)", 400, "GET http://a/ HTTP/1.1\r\n\r\n"],
  ["authority-form (3.2.3)", 400, `GET a:80 HTTP/1.1\r\n${H}\r\n`],
  ["asterisk-form for GET (3.2.4)", 400, `GET * HTTP/1.1\r\n${H}\r\n`],
  ["a path without a slash (3.2.1)", 400, `GET a HTTP/1.1\r\n${H}\r\n`],
  ["CONNECT (RFC 9110, 9.3.6)", 501, `CONNECT a:80 HTTP/1.1\r\n${H}\r\n`],
  ["no target (3)", 400, `GET HTTP/1.1\r\n${H}\r\n`],
  ["no version (3)", 400, `GET /\r\n${H}\r\n`],
  ["HTTP/2.0 (2.3)", 505, `GET / HTTP/2.0\r\n${H}\r\n`],
  ["HTTP/0.9 (2.3)", 505, `GET / HTTP/0.9\r\n${H}\r\n`],
  ["HTTP/3.1 (2.3)", 505, `GET / HTTP/3.1\r\n${H}\r\n`],
  ["HTTP/1.10 (2.3)", 400, `GET / HTTP/1.10\r\n${H}\r\n`],
  ["a version in lower case (2.3)", 400, `GET / http/1.1\r\n${H}\r\n`],
  ["a space after the version (3)", 400, `GET / HTTP/1.1 \r\n${H}\r\n`],
  ["a bare LF after the request line (2.2)", 400, `GET / HTTP/1.1\n${H}\r\n`],
  ["a bare CR after the request line (2.2)", 400, `GET / HTTP/1.1\r${H}\r\n`],
  ["two CRs after the request line (2.2)", 400, `GET / HTTP/1.1\r\r\n${H}\r\n`],
  // Host (3.2).
  ["no header (3.2)", 400, `${GET}\r\n`],
  ["no Host (3.2)", 400, `${GET}Accept: */*\r\n\r\n`],
  ["no Host in HTTP/1.2 (3.2)", 400, "GET / HTTP/1.2\r\n\r\n"],
  ["an empty Host (3.2)", 400, `${GET}Host:\r\n\r\n`],
  ["a Host of white space (3.2)", 400, `${GET}Host: \t \r\n\r\n`],
  ["a Host with a path (3.2)", 400, `${GET}Host: a/b\r\n\r\n`],
  ["a Host with userinfo (3.2)", 400, `${GET}Host: a@b\r\n\r\n`],
  ["a Host above ASCII (3.2)", 400, `${GET}Host: \xe9\r\n\r\n`],
  ["a Host with a negative port (3.2)", 400, `${GET}Host: a:-1\r\n\r\n`],
  ["a Host without its bracket (3.2)", 400, `${GET}Host: [::1\r\n\r\n`],
  ["absolute-form without a host (RFC 9110, 4.2.1)", 400, `GET http:///a HTTP/1.1\r\n${H}\r\n`],
  ["absolute-form with userinfo (RFC 9110, 4.2.4)", 400, `GET http://u@a/ HTTP/1.1\r\n${H}\r\n`],
  ["two Hosts (3.2)", 400, `${GET}${H}Host: b\r\n\r\n`],
  ["two equal Hosts (3.2)", 400, `${GET}${H}${H}\r\n`],
  ["two Hosts in HTTP/1.0 (3.2)", 400, `GET / HTTP/1.0\r\n${H}Host: b\r\n\r\n`],
  ["two Hosts with absolute-form (3.2)", 400, `GET http://a/ HTTP/1.1\r\n${H}Host: b\r\n\r\n`],
  ["a list of Hosts (3.2)", 400, `${GET}Host: a, b\r\n\r\n`],
  // Field lines (5).
  ["a space before the colon (5.1)", 400, `${GET}${H}X : 1\r\n\r\n`],
  ["a space before the colon of Content-Length (5.1)", 400, `${POST}${H}Content-Length : 3\r\n\r\nabc`],
  [
    "a space before the colon of Transfer-Encoding (5.1)",
    400,
    `${POST}${H}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  ],
  ["obs-fold (5.2)", 400, `${GET}${H}X: 1\r\n 2\r\n\r\n`],
  ["obs-fold of Transfer-Encoding (5.2)", 400, `${POST}${H}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`],
  ["a bare LF before the empty line (2.2)", 400, `${GET}${H}X: 1\n\r\n`],
  ["a bare LF as the empty line (2.2)", 400, `${GET}${H}\n`],
  ["only bare LFs (2.2)", 400, "GET / HTTP/1.1\nHost: a\n\n"],
  ["a bare CR that hides a header (2.2)", 400, `${POST}${H}X: 1\rContent-Length: 40\r\n\r\n`],
  // Message body length (6).
  [
    "Content-Length and Transfer-Encoding (6.3)",
    400,
    `${POST}${H}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    "Transfer-Encoding and Content-Length (6.3)",
    400,
    `${POST}${H}transfer-encoding: chunked\r\ncontent-length: 50\r\n\r\n0\r\n\r\n`,
  ],
  ["an unknown transfer coding alone (6.3)", 400, `${CODED}xchunked\r\n\r\n${CHUNKS}`],
  ["a transfer coding before chunked (6.1)", 501, `${CODED}gzip, chunked\r\n\r\n${CHUNKS}`],
  ["two of chunked (6.1)", 400, `${POST}${H}${"Transfer-Encoding: chunked\r\n".repeat(2)}\r\n${CHUNKS}`],
  [
    "Transfer-Encoding in HTTP/1.0 (6.1)",
    400,
    `POST / HTTP/1.0\r\n${H}Transfer-Encoding: chunked\r\n\r\n${CHUNKS}`,
  ],
  [
    "two different Content-Lengths (6.3)",
    400,
    `${POST}${H}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
  ],
  ["two equal Content-Lengths (6.3)", 400, `${POST}${H}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`],
  ...[
    ["a list of Content-Lengths (6.3)", "3, 3"],
    ["a list of different Content-Lengths (6.3)", "3,4"],
    ["an empty Content-Length (6.2)", ""],
    ["Content-Length with a sign (6.2)", "+3"],
    ["a negative Content-Length (6.2)", "-3"],
    ["a hexadecimal Content-Length (6.2)", "0x3"],
    ["Content-Length with a fraction (6.2)", "3.0"],
    ["Content-Length with an exponent (6.2)", "3e0"],
    ["Content-Length with a space (6.2)", "3 0"],
    ["Content-Length with a separator (6.2)", "1_0"],
    ["Content-Length with a suffix (6.2)", "3;a"],
    ["quoted Content-Length (6.2)", '"3"'],
    ["Content-Length in other digits (6.2)", "\xb3"],
  ].map(([title = "", value]): Case => [title, 400, `${POST}${H}Content-Length: ${value}\r\n\r\nabc`]),
  // Limits.
  ["a header that is too long", 431, `${GET}${H}X: ${"x".repeat(16_384)}\r\n\r\n`],
  ["a header without an end", 431, `${GET}${H}X: ${"x".repeat(40_000)}`],
  ["too many headers", 431, `${GET}${H}${"a:\r\n".repeat(100)}\r\n`],
  ["a target that is too long", 414, `GET /${"x".repeat(16_384)} HTTP/1.1\r\n${H}\r\n`],
];

describe("rejects and closes the connection:", () => {
  test.each(CLOSING)("%s", async (_title, status, sent) => {
    await send(sent + NEXT, (received) => {
      expect(rejected.map((rejection) => rejection.status)).toEqual([status]);
      expect(received.match(DATE)).toHaveLength(1);
      expect(withoutDate(received)).toBe(responseTo(rejected[0] as Rejection, true));
      expect(served).toEqual([]);
    });
  });
});

describe("rejects behind the response to an ordinary request:", () => {
  const ordinary = `POST /ordinary HTTP/1.1\r\n${H}Content-Length: 6\r\n\r\n\r\n\r\n\r\n`;
  test.each(CLOSING)("%s", async (_title, status, sent) => {
    served = [];
    rejected = [];
    const received = await exchange(server.port, ordinary + sent + NEXT);
    expect(rejected.map((rejection) => rejection.status)).toEqual([status]);
    expect(withoutDate(received)).toBe(OK + responseTo(rejected[0] as Rejection, true));
    expect(served).toEqual(["POST /ordinary a"]);
  });
});

describe("rejects a body, once the handler has the request, and closes the connection:", () => {
  const CHUNKED = `${CODED}chunked\r\n\r\n`;
  test.each<Case>([
    ["an invalid chunk (7.1)", 400, `${CHUNKED}x\r\n`],
    ["an invalid trailer (7.1.2)", 400, `${CHUNKED}0\r\nX : 1\r\n\r\n`],
  ])("%s", async (_title, status, sent) => {
    const statuses: (number | undefined)[] = [];
    const bodies = await startServer({
      onRequest: (request) => {
        request.onClose(() => statuses.push(request.rejectedWith));
        request.readBody(1_000, () => statuses.push(0));
      },
      onReject: () => statuses.push(1),
      formatRejection: ({ reason }) => ({ headers: [], body: reason }),
    });
    for (const way of [[sent + NEXT], [...sent, NEXT]]) {
      statuses.length = 0;
      const received = withoutDate(await exchange(bodies.port, ...way));
      expect(received).toMatch(
        new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\r\nconnection: close\r\n\r\n[A-Z_]+$`),
      );
      expect(statuses).toEqual([status]);
    }
    bodies.close();
  });
});

describe("rejects and keeps the connection:", () => {
  test.each<Case>([
    ["an unknown method (RFC 9110, 9.1)", 501, `BREW / HTTP/1.1\r\n${H}\r\n`],
    ["an unknown method with a body", 501, `BREW / HTTP/1.1\r\n${H}Content-Length: 3\r\n\r\nabc`],
    [
      "an unknown method with chunks",
      501,
      `BREW / HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\n${CHUNKS}`,
    ],
    ["an unknown expectation (RFC 9110, 10.1.1)", 417, `${GET}${H}Expect: x\r\n\r\n`],
    ["two expectations (RFC 9110, 10.1.1)", 417, `${GET}${H}Expect: 100-continue\r\nExpect: x\r\n\r\n`],
    ["https in cleartext (RFC 9110, 7.4)", 421, `GET https://a/ HTTP/1.1\r\n${H}\r\n`],
    ["a scheme with a sign (RFC 3986, 3.1)", 421, `GET coap+tcp://a/ HTTP/1.1\r\n${H}\r\n`],
  ])("%s", async (_title, status, sent) => {
    await send(
      sent + NEXT,
      (received) => {
        expect(rejected.map((rejection) => rejection.status)).toEqual([status]);
        expect(received.match(DATE)).toHaveLength(2);
        expect(withoutDate(received)).toBe(responseTo(rejected[0] as Rejection, false) + OK);
        expect(served).toEqual(["/smuggled"]);
      },
      "two",
    );
  });

  test("but closes it if the body was not asked for (RFC 9110, 10.1.1)", async () => {
    const head = `${POST}${H}Expect: 100-continue, x\r\nContent-Length: 3\r\n\r\n`;
    served = [];
    rejected = [];
    const received = await exchange(server.port, head, NEXT);
    expect(withoutDate(received)).toBe(responseTo(rejected[0] as Rejection, true));
    expect([rejected[0]?.status, served]).toEqual([417, []]);
  });
});

describe("serves", () => {
  test.each<readonly [title: string, sent: string, expected: string, closes?: boolean]>([
    ["an empty line before the request line (2.2)", `\r\n${GET}${H}\r\n`, "GET / a"],
    ["empty lines before the request line (2.2)", `\r\n\r\n\r\n${GET}${H}\r\n`, "GET / a"],
    ["a path of two slashes (3.2.1)", `GET //a HTTP/1.1\r\n${H}\r\n`, "GET //a a"],
    ["absolute-form (3.2.2)", `GET http://b/c HTTP/1.1\r\n${H}\r\n`, "GET /c b"],
    ["absolute-form in upper case (RFC 9110, 4.2.3)", `GET HTTP://B/C HTTP/1.1\r\n${H}\r\n`, "GET /C B"],
    ["absolute-form without a path (3.2.2)", `GET http://b?c HTTP/1.1\r\n${H}\r\n`, "GET /?c b"],
    ["asterisk-form (3.2.4)", `OPTIONS * HTTP/1.1\r\n${H}\r\n`, "OPTIONS * a"],
    ["HTTP/1.0 (2.3)", `GET / HTTP/1.0\r\n${H}\r\n`, "GET / a", true],
    ["HTTP/1.0 without Host (2.3)", "GET / HTTP/1.0\r\n\r\n", "GET /", true],
    ["HTTP/1.0 with keep-alive (C.2.2)", `GET / HTTP/1.0\r\n${H}Connection: Keep-Alive\r\n\r\n`, "GET / a"],
    [
      "HTTP/1.0 with keep-alive and close (C.2.2)",
      `GET / HTTP/1.0\r\n${H}Connection: keep-alive, close\r\n\r\n`,
      "GET / a",
      true,
    ],
    ["HTTP/1.2 (2.3)", `GET / HTTP/1.2\r\n${H}\r\n`, "GET / a"],
    ["a tab before Host (5)", `${GET}Host:\ta\r\n\r\n`, "GET / a"],
    ["chunks (6.1)", `${CODED}chunked\r\n\r\n${CHUNKS}`, "POST / a abc"],
    ["Content-Length with leading zeros (6.2)", `${POST}${H}Content-Length: 03\r\n\r\nabc`, "POST / a abc"],
    ["a tab before Content-Length (5)", `${POST}${H}Content-Length:\t3\r\n\r\nabc`, "POST / a abc"],
    ["a tab after Content-Length (5)", `${POST}${H}Content-Length: 3\t\r\n\r\nabc`, "POST / a abc"],
    ["a space after Content-Length (5)", `${POST}${H}Content-Length: 3 \r\n\r\nabc`, "POST / a abc"],
    ["a tab after Connection (5)", withConnection("CLOSE\t"), "GET / a", true],
    [
      "Upgrade with chunks (RFC 9110, 7.8)",
      `${POST}${H}Connection: Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKS}`,
      "POST / a abc",
    ],
    [
      "Upgrade over HTTP/1.0 (RFC 9110, 7.8)",
      `GET / HTTP/1.0\r\n${H}Connection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n`,
      "GET / a",
    ],
    ["an empty element in Connection (RFC 9110, 5.6.1)", withConnection("close,"), "GET / a", true],
    ["two options without a comma in Connection (9.6)", withConnection("keep-alive close"), "GET / a"],
    ["options that contain close in Connection (9.6)", withConnection("closed, not-close"), "GET / a"],
    ["close with a byte that is no white space (RFC 9110, 5.6.3)", withConnection("close\xa0"), "GET / a"],
    ["an unknown option in Connection (9.6)", withConnection("close, TE"), "GET / a", true],
    ["a tab in Connection (9.6)", withConnection("keep-alive,\tclose"), "GET / a", true],
    ["Connection that names a header (RFC 9110, 7.6.1)", withConnection("Host"), "GET / a"],
    [
      "Connection that names Content-Length (RFC 9110, 7.6.1)",
      `${POST}${H}Connection: content-length\r\nContent-Length: 3\r\n\r\nabc`,
      "POST / a abc",
    ],
    [
      "two Connections (9.6)",
      `${GET}${H}Connection: keep-alive\r\nConnection: close\r\n\r\n`,
      "GET / a",
      true,
    ],
    ["an empty Connection (9.6)", `${GET}${H}Connection:\r\n\r\n`, "GET / a"],
    ["Proxy-Connection (C.2.2)", `${GET}${H}Proxy-Connection: close\r\n\r\n`, "GET / a"],
    ["TE (7.4)", `${GET}${H}TE: trailers\r\n\r\n`, "GET / a"],
    ["Trailer (7.1.2)", `${GET}${H}Trailer: x\r\n\r\n`, "GET / a"],
    [
      "an expectation without a body (RFC 9110, 10.1.1)",
      `${POST}${H}Expect: 100-continue\r\n\r\n`,
      "POST / a",
    ],
    ["an unknown expectation over HTTP/1.0", `GET / HTTP/1.0\r\n${H}Expect: x\r\n\r\n`, "GET / a", true],
    ["as many headers as are allowed", `${GET}${H}${"a:\r\n".repeat(99)}\r\n`, "GET / a"],
  ])("%s", async (_title, sent, expected, closes = false) => {
    await send(
      sent + NEXT,
      (received) => {
        expect(rejected).toEqual([]);
        expect(served).toEqual(closes ? [expected] : [expected, "/smuggled"]);
        expect(withoutDate(received)).toBe(closes ? OK.replace("keep-alive", "close") : OK + OK);
      },
      closes ? undefined : "two",
    );
  });
});

test("rejects a target without an end", async () => {
  await send(`GET /${"x".repeat(40_000)}`, (received) => {
    expect(rejected.map(({ status }) => status)).toEqual([414]);
    expect(withoutDate(received)).toBe(responseTo(rejected[0] as Rejection, true));
  });
});

// RFC 9110, section 9.3.2.
test.each<Case>([
  ["a target that is too long", 414, `HEAD /${"x".repeat(16_384)} HTTP/1.1\r\n${H}\r\n`],
  ["a target without an end", 414, `HEAD /${"x".repeat(40_000)}`],
  ["a header without an end", 431, `HEAD / HTTP/1.1\r\n${H}X: ${"x".repeat(40_000)}`],
  ["a head without a host", 400, "HEAD / HTTP/1.1\r\n\r\n"],
  ["an incomplete head", 400, "HEAD / HTTP/1.1\r\n"],
  ["an incomplete body", 400, `HEAD / HTTP/1.1\r\n${H}Content-Length: 3\r\n\r\nab`],
])("rejects HEAD without a body: %s", async (_title, status, sent) => {
  rejected = [];
  const received = await exchange(server.port, sent);
  expect(received).toMatch(
    new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\r\ncontent-length: [1-9][\\s\\S]*\r\n\r\n$`),
  );
  expect(withoutDate(received).split("\r\n\r\n")).toHaveLength(2);
});

test("a Content-Length beyond 2^53 is a body that is too large", async () => {
  served = [];
  const received = await exchange(server.port, `${POST}${H}Content-Length: 18446744073709551619\r\n\r\nabc`);
  expect(withoutDate(received)).toBe(OK.replace("keep-alive", "close"));
  expect(served).toEqual(["POST / a too large"]);
});

test.each(["", "+3", "-3", "3,3", "3.", "0x3", "3\r\n 0", "3\r", "3\n"])(
  "rejects a request that differs from the one before in the content length %j",
  async (length) => {
    const before = `${POST}${H}Content-Length: `;
    const after = `\r\nX: 1\r\n\r\nabc`;
    await send(`${before}3${after}${before}${length}${after}`, (received) => {
      expect(rejected.map(({ status }) => status)).toEqual([400]);
      expect(withoutDate(received)).toBe(OK + responseTo(rejected[0] as Rejection, true));
      expect(served).toEqual(["POST / a abc"]);
    });
  },
);
