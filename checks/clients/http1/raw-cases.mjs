import { BODY_TOO_LARGE, ROUTE_NOT_FOUND } from "./cases.mjs";
import { EMAIL, EXPORT, EXPORTED, LIMIT, LOOKUP, NORMALIZED } from "./service.mjs";

const HOST = "Host: tools.example\r\n";
const CLOSE = "Connection: close\r\n";
const KEEP_ALIVE = "Connection: keep-alive\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const EXPECT = "Expect: 100-continue\r\n";
const GET = `GET ${LOOKUP} HTTP/1.1\r\n`;
const GET10 = `GET ${LOOKUP} HTTP/1.0\r\n`;
const LAST = `${GET}${HOST}${CLOSE}\r\n`;
const NEXT = `${GET}${HOST}\r\n`;
const POST = `POST /v1/sanitizeEmail HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;
const POST10 = "POST /v1/sanitizeEmail HTTP/1.0\r\nContent-Type: application/json\r\n";
const LENGTH = `Content-Length: ${EMAIL.length}\r\n`;
/** Chunks of a body that is too large. */
const TOO_MANY = `${(LIMIT + 1).toString(16)}\r\n${"x".repeat(LIMIT + 1)}\r\n0\r\n\r\n`;
const ONE_CHUNK = `${EMAIL.length.toString(16)}\r\n${EMAIL}\r\n`;

const NORMALIZED_OK = { status: 200, body: NORMALIZED };
const CONTINUE = { status: 100 };

/** A rejection, whose body is the JSON error. */
const rejected = (status, more) => ({ status, error: status, date: /GMT$/, connection: "close", ...more });
const TOO_LARGE = rejected(413, { body: BODY_TOO_LARGE });

/** A request on a connection that ends after its response. */
const one = (send, expected) => ({ send, expected: [expected] });
/** A POST with a body that is not as it should be. */
const body = (headers, sent, expected) => one(`${POST}${headers}\r\n${sent}`, expected);
/** Header fields, of a GET request with `Connection: close`. */
const fields = (sent, expected) => one(`${GET}${HOST}${CLOSE}${sent}\r\n`, expected);

/**
 * What is sent on connections, and the responses until the server closes them. A case has the bytes (`send`), or `steps` with bytes and
 * what must have been received before the next step. `half_close`: the client closes its half after the bytes. `split`: how many bytes
 * are sent at once. `service`: "service" is the default.
 *
 * @param lookup the body of the response to {@link LOOKUP}
 */
export function rawCases(lookup) {
  const found = { status: 200, body: lookup };
  const closed = { ...found, version: "1.1", date: /GMT$/, connection: "close" };
  const kept = { ...found, connection: "keep-alive" };
  const head = {
    status: 200,
    body: "",
    "content-length": String(lookup.length),
    "transfer-encoding": undefined,
  };
  const stream = { status: 200, body: EXPORTED };
  const chunked = { ...stream, "transfer-encoding": "chunked", "content-length": undefined };
  const untilEnd = {
    ...stream,
    "transfer-encoding": undefined,
    "content-length": undefined,
    connection: "close",
  };
  const noContent = { status: 204, body: "", allow: /\bGET\b/, "content-length": undefined };
  return {
    "HTTP/1.0": one(`${GET10}${HOST}\r\n`, closed),
    "HTTP/1.0 without Host": one(`${GET10}\r\n`, closed),
    "HTTP/1.0 with keep-alive": {
      send: `${`${GET10}${HOST}${KEEP_ALIVE}\r\n`.repeat(2)}${GET10}${HOST}\r\n`,
      expected: [kept, kept, closed],
    },
    "HTTP/1.0 with keep-alive, without Host": {
      send: `${GET10}${KEEP_ALIVE}\r\n${GET10}\r\n`,
      expected: [kept, closed],
    },
    "HTTP/1.0: what follows without keep-alive is not a request": {
      send: `${GET10}${HOST}\r\n${LAST}`,
      expected: [closed],
    },
    "HTTP/1.0 HEAD": {
      ...one(`HEAD ${LOOKUP} HTTP/1.0\r\n${HOST}\r\n`, { ...head, connection: "close" }),
      methods: ["HEAD"],
    },
    "HTTP/1.0 POST": one(`${POST10}${HOST}${LENGTH}\r\n${EMAIL}`, { ...NORMALIZED_OK, connection: "close" }),
    "HTTP/1.0 POST with keep-alive": {
      send: `${POST10}${HOST}${KEEP_ALIVE}${LENGTH}\r\n${EMAIL}${GET10}${HOST}\r\n`,
      expected: [NORMALIZED_OK, closed],
    },
    "HTTP/1.0 ignores Expect": one(`${POST10}${HOST}${EXPECT}${LENGTH}\r\n${EMAIL}`, NORMALIZED_OK),
    "HTTP/1.0 absolute-form without Host": one(`GET http://tools.example${LOOKUP} HTTP/1.0\r\n\r\n`, closed),
    "HTTP/1.0 with a transfer coding": one(
      `${POST10}${HOST}${CHUNKED}\r\n${ONE_CHUNK}0\r\n\r\n`,
      rejected(400),
    ),
    "a stream over HTTP/1.0": {
      service: "library",
      ...one(`GET ${EXPORT} HTTP/1.0\r\n${HOST}\r\n`, untilEnd),
    },
    "a stream over HTTP/1.0 with keep-alive": {
      service: "library",
      ...one(`GET ${EXPORT} HTTP/1.0\r\n${HOST}${KEEP_ALIVE}\r\n`, untilEnd),
    },
    "streams over HTTP/1.1, pipelined": {
      service: "library",
      send: `${`GET ${EXPORT} HTTP/1.1\r\n${HOST}\r\n`.repeat(3)}GET ${EXPORT} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
      expected: [chunked, chunked, chunked, { ...chunked, connection: "close" }],
    },
    "HEAD of a stream, then a stream": {
      service: "library",
      send: `HEAD ${EXPORT} HTTP/1.1\r\n${HOST}\r\nGET ${EXPORT} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
      methods: ["HEAD", "GET"],
      expected: [{ status: 200, body: "" }, chunked],
    },
    "a response with trailers": one(
      "POST /utilitytools.v1.GeoIpService/LookupIp HTTP/1.1\r\nTE: trailers\r\nContent-Type: application/grpc\r\n" +
        `${HOST}${CLOSE}Content-Length: 14\r\n\r\n\0\0\0\0\x09\x0a\x078.8.8.8`,
      { status: 200, "transfer-encoding": "chunked", body: /Google LLC/, trailers: "grpc-status: 0" },
    ),

    "half-close after GET": { ...one(NEXT, found), half_close: true },
    "half-close after POST": { ...one(`${POST}${LENGTH}\r\n${EMAIL}`, NORMALIZED_OK), half_close: true },
    "half-close after chunks": {
      ...one(`${POST}${CHUNKED}\r\n${ONE_CHUNK}0\r\n\r\n`, NORMALIZED_OK),
      half_close: true,
    },
    "half-close after HTTP/1.0": { ...one(`${GET10}${HOST}\r\n`, closed), half_close: true },
    "half-close after pipelined requests": {
      send: NEXT.repeat(20),
      half_close: true,
      expected: Array(20).fill(found),
    },
    "half-close after a stream": {
      ...one(`GET ${EXPORT} HTTP/1.1\r\n${HOST}\r\n`, stream),
      service: "library",
      half_close: true,
    },

    pipelining: {
      send:
        `${NEXT}${POST}${LENGTH}\r\n${EMAIL}HEAD ${LOOKUP} HTTP/1.1\r\n${HOST}\r\n` +
        `${POST}${CHUNKED}\r\n${ONE_CHUNK}0\r\n\r\nGET /nothing HTTP/1.1\r\n${HOST}\r\n` +
        `OPTIONS ${LOOKUP} HTTP/1.1\r\n${HOST}\r\n${LAST}`,
      methods: ["GET", "POST", "HEAD", "POST", "GET", "OPTIONS", "GET"],
      expected: [
        found,
        NORMALIZED_OK,
        head,
        NORMALIZED_OK,
        { status: 404, body: ROUTE_NOT_FOUND },
        noContent,
        closed,
      ],
    },
    "pipelining, a byte at a time": {
      send: `${NEXT}${POST}${CHUNKED}\r\n${ONE_CHUNK}0\r\nx: y\r\n\r\n${LAST}`,
      split: 1,
      expected: [found, NORMALIZED_OK, closed],
    },
    "200 pipelined requests": {
      send: NEXT.repeat(199) + LAST,
      expected: [...Array(199).fill(found), closed],
    },
    "nothing after Connection: close": { send: LAST + NEXT, expected: [closed] },
    "empty lines before a request": one(`\r\n\r\n${LAST}`, closed),

    "chunks of one byte": body(
      CLOSE + CHUNKED,
      `${[...EMAIL].map((character) => `1\r\n${character}\r\n`).join("")}0\r\n\r\n`,
      NORMALIZED_OK,
    ),
    "chunk extensions and trailers": {
      send: `${POST}${CHUNKED}\r\n${EMAIL.length.toString(16)};a=b;c="d;\\"e"\r\n${EMAIL}\r\n000;f\r\nx: y\r\nz: a\r\n\r\n${LAST}`,
      expected: [NORMALIZED_OK, closed],
    },
    "trailers are not header fields": {
      send: `${POST}${CHUNKED}\r\n${ONE_CHUNK}0\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n${LAST}`,
      expected: [NORMALIZED_OK, closed],
    },
    "a chunk size that is not hexadecimal": body(CHUNKED, "xyz\r\n", rejected(400)),
    "a chunk size with a sign": body(CHUNKED, "+5\r\nabcde\r\n", rejected(400)),
    "a chunk size of 20 digits": body(CHUNKED, "f".repeat(20), rejected(400)),
    "a chunk that is longer than its size": body(CHUNKED, "2\r\nabcd\r\n0\r\n\r\n", rejected(400)),
    "a chunk line that ends with LF": body(CHUNKED, "2\nab\r\n0\r\n\r\n", rejected(400)),
    "a chunk extension of 20,000 bytes": body(CHUNKED, `1;${"x".repeat(20_000)}\r\n`, rejected(413)),
    "trailers of 20,000 bytes": body(
      CHUNKED,
      `${ONE_CHUNK}0\r\nx: ${"x".repeat(20_000)}\r\n\r\n`,
      rejected(431),
    ),
    "chunks beyond the limit": body(CLOSE + CHUNKED, TOO_MANY, TOO_LARGE),
    "both framings": body(CHUNKED + LENGTH, EMAIL, rejected(400)),
    "two values of Content-Length": body(`${LENGTH}Content-Length: 1\r\n`, EMAIL, rejected(400)),
    "the same Content-Length twice": body(LENGTH + LENGTH, EMAIL, rejected(400)),
    "a Content-Length with a sign": body("Content-Length: +1\r\n", "x", rejected(400)),
    "a transfer coding before chunked": body(
      "Transfer-Encoding: gzip, chunked\r\n",
      "0\r\n\r\n",
      rejected(501),
    ),
    "a transfer coding after chunked": body(
      "Transfer-Encoding: chunked, gzip\r\n",
      "0\r\n\r\n",
      rejected(400),
    ),
    "chunked twice": body(CHUNKED + CHUNKED, "0\r\n\r\n", rejected(400)),

    "Expect: 100-continue": {
      steps: [{ send: `${POST}${CLOSE}${EXPECT}${LENGTH}\r\n`, until: "\r\n\r\n" }, { send: EMAIL }],
      expected: [CONTINUE, NORMALIZED_OK],
    },
    "Expect: 100-continue, chunked, then another request": {
      steps: [
        { send: `${POST}${EXPECT}${CHUNKED}\r\n`, until: "\r\n\r\n" },
        { send: `${ONE_CHUNK}0\r\n\r\n${LAST}` },
      ],
      expected: [CONTINUE, NORMALIZED_OK, closed],
    },
    "Expect: 100-continue without waiting": {
      ...one(`${POST}${CLOSE}${EXPECT}${LENGTH}\r\n${EMAIL}`, NORMALIZED_OK),
      mayContinue: true,
    },
    "Expect: 100-continue of a body that is too large": body(
      `${EXPECT}Content-Length: ${LIMIT + 1}\r\n`,
      "",
      TOO_LARGE,
    ),
    "Expect: 100-continue of chunks that are too large": {
      steps: [{ send: `${POST}${CLOSE}${EXPECT}${CHUNKED}\r\n`, until: "\r\n\r\n" }, { send: TOO_MANY }],
      expected: [CONTINUE, TOO_LARGE],
    },
    "Expect: 100-continue of an unknown path": one(
      `POST /nothing HTTP/1.1\r\n${HOST}${CLOSE}${EXPECT}${LENGTH}\r\n`,
      { status: 404, body: ROUTE_NOT_FOUND },
    ),
    "Expect: 100-continue without a body": fields(EXPECT, closed),
    "another expectation": fields("Expect: something\r\n", rejected(417)),

    "OPTIONS *": {
      send: `OPTIONS * HTTP/1.1\r\n${HOST}\r\n${LAST}`,
      methods: ["OPTIONS", "GET"],
      expected: [noContent, closed],
    },
    "GET *": one(`GET * HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, rejected(400)),
    "absolute-form": one(`GET http://tools.example${LOOKUP} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, closed),
    "absolute-form with another Host": one(
      `GET http://tools.example/v1/countries?country=FR HTTP/1.1\r\nHost: other.example\r\n${CLOSE}\r\n`,
      { status: 200, body: /"api_url":"https?:\/\/tools\.example\/v1\/countries\?country=FR"/ },
    ),
    "absolute-form without Host": one(
      `GET http://tools.example${LOOKUP} HTTP/1.1\r\n${CLOSE}\r\n`,
      rejected(400),
    ),
    "absolute-form with another scheme": one(
      `GET ftp://tools.example/ HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
      rejected(421),
    ),
    "no Host": one(`${GET}${CLOSE}\r\n`, rejected(400)),
    "two Hosts": fields(HOST, rejected(400)),
    "an invalid Host": one(`${GET}${CLOSE}Host: a b\r\n\r\n`, rejected(400)),
    "an unknown method": one(`BREW / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, rejected(501)),
    CONNECT: one(`CONNECT tools.example:443 HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, rejected(501)),
    "Upgrade is ignored": {
      send: `${GET}${HOST}Connection: upgrade, http2-settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n${LAST}`,
      expected: [found, closed],
    },

    "HTTP/1.2": one(`GET ${LOOKUP} HTTP/1.2\r\n${HOST}${CLOSE}\r\n`, closed),
    "HTTP/2.0": one(`GET ${LOOKUP} HTTP/2.0\r\n${HOST}\r\n`, rejected(505)),
    "HTTP/3.1": one(`GET ${LOOKUP} HTTP/3.1\r\n${HOST}\r\n`, rejected(505)),
    "no version": one(`GET ${LOOKUP}\r\n\r\n`, rejected(400)),
    "a target of 20,000 bytes": one(`GET /${"x".repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`, rejected(414)),
    "a field of 20,000 bytes": fields(`x: ${"x".repeat(20_000)}\r\n`, rejected(431)),
    "two spaces in the request line": one(`GET  ${LOOKUP} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, rejected(400)),
    "a fragment": one(`GET /v1/about#x HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, rejected(400)),
    "a space before a colon": fields("x : y\r\n", rejected(400)),
    "a folded line": fields("x: y\r\n z\r\n", rejected(400)),
    "a bare CR": fields("x: y\rz\r\n", rejected(400)),
    "lines that end with LF": one(`${LAST}`.replaceAll("\r", ""), rejected(400)),
    "a NUL": fields("x: \0\r\n", rejected(400)),
    "a rejection behind a response": {
      send: `${NEXT}${GET}${HOST}x : y\r\n\r\n`,
      expected: [found, rejected(400)],
    },
  };
}

/** What is not finished within the timeouts of the service. */
export const LATE = {
  "half a head": one(`${GET}${HOST}`, rejected(408)),
  "half a body": one(`${POST}${LENGTH}\r\n{`, rejected(408)),
  "half of the chunks": one(`${POST}${CHUNKED}\r\n${ONE_CHUNK}`, rejected(408)),
  "half a body over HTTP/1.0": one(`${POST10}${HOST}${LENGTH}\r\n{`, rejected(408)),
};
