import { randomBytes } from "node:crypto";
import {
  data,
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  initialWindow,
  PREFACE,
  requestBlock,
  reset,
  update,
} from "connect-transcoding-testing/raw-http2.js";
import { type Act, type Attack, always, attack, drip, forMilliseconds, pour, untilGone } from "./attack.js";
import {
  BOOKS,
  GROW,
  get1,
  get2,
  headers,
  JSON_TYPE,
  LONG_BOOK,
  over2,
  post1,
  post2,
  preface,
  streams,
  whole2,
} from "./bytes.js";
import { HELD_ATTACKS, REFLECT, REFLECTION } from "./held-attacks.js";

const X = (length: number): string => "x".repeat(length);
const HELLO = Buffer.from("1603010200010001fc0303", "hex");

const NOTHING = () => "";
const UNREAD = { reads: false };
const TLS = { tls: true };
const UPLOAD = "POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n";

/** Closes the client's half. The server must close the other one. */
const closeHalf: Act = (socket, tools) => {
  socket.end(Math.random() < 0.5 ? "" : get1().slice(0, Math.ceil(Math.random() * get1().length)));
  return untilGone(socket, tools);
};
const sendRandomBytes: Act = (socket, tools) => {
  socket.write(randomBytes(Math.ceil(Math.random() * 2000)));
  return forMilliseconds(50)(socket, tools);
};

/** Attacks over HTTP/1.1 and with bytes that are not HTTP. */
const HTTP1_ATTACKS: readonly Attack[] = [
  attack("silent connections", 2000, NOTHING),
  attack("more connections than the limit", 12_000, NOTHING),
  attack(
    "slow headers",
    1000,
    () => "GET / HTTP/1.1\r\nHost: a\r\n",
    drip(() => () => `X-${randomBytes(4).toString("hex")}: y\r\n`),
  ),
  attack(
    "slow bodies over HTTP/1.1",
    1000,
    () => post1(BOOKS, JSON_TYPE, "Content-Length: 60000\r\n"),
    drip(always(" ")),
  ),
  attack("idle HTTP/1.1 connections", 10_000, () => get1()),
  attack("huge headers over HTTP/1.1", 50, () => "GET / HTTP/1.1\r\nHost: a\r\nX: ", pour(always(X(8192)))),
  attack("rejected uploads that continue", 100, () => UPLOAD, pour(always(Buffer.alloc(65_536)))),
  attack("half-closed connections", 500, NOTHING, closeHalf),
  attack("random bytes", 100, NOTHING, sendRandomBytes),
  attack("pipelining without reading", 50, NOTHING, pour(always(get1().repeat(200))), UNREAD),
  attack(
    "long responses that are not read",
    1000,
    () => get1("Accept-Encoding: identity\r\n", LONG_BOOK).repeat(20),
    untilGone,
    UNREAD,
  ),
  attack("TLS garbage", 100, () => Buffer.concat([HELLO, randomBytes(512)]), forMilliseconds(50), TLS),
  attack(
    "incomplete TLS handshakes",
    1000,
    () => HELLO,
    drip(() => () => randomBytes(1)),
    TLS,
  ),
  attack("cleartext on a TLS port", 100, () => get1(), untilGone, TLS),
];

const LONG_STREAMS = () => streams(200, (id) => get2(id, LONG_BOOK));
const PADDING = frame(0x77, 0, 0, Buffer.alloc(16_000));
const PING = frame(FRAME.PING, 0, 0, Buffer.alloc(8));

/** A request with a field of 4,000 bytes for the table (RFC 7541, section 6.2.1), and requests with its index 16,000 times. */
function hpackBombs(): Buffer {
  const bomb = Buffer.concat([requestBlock(), Buffer.alloc(16_000, 0x80 | 62)]);
  return preface(
    get2(1, "/", over2(1, X(3900), 0x40)),
    streams(200, (id) => headers(id + 2, bomb, END_HEADERS | END_STREAM)),
  );
}

/** An attack that repeats a frame on each connection, after others that prepare it. */
function flood(name: string, piece: Uint8Array, ...first: readonly Uint8Array[]): Attack {
  const pieces = streams(500, () => piece);
  return attack(`a flood of ${name}`, 10, () => preface(...first), pour(always(pieces)));
}

/** An attack by streams of frames, which are created when it starts. */
function byStreams(name: string, count: number, ...bytesOf: Parameters<typeof streams>[1][]): Attack {
  return attack(name, 20, () => preface(streams(count, ...bytesOf)));
}

const TOO_MUCH = (id: number) => data(id, "too much", END_STREAM);
const LONG_FIELDS = over2(120, "y".repeat(126));

/** Attacks over HTTP/2. */
const HTTP2_ATTACKS: readonly Attack[] = [
  attack("idle HTTP/2 connections", 10_000, () => PREFACE),
  attack(
    "slow bodies over HTTP/2",
    200,
    () => preface(streams(50, (id) => post2(id))),
    drip(always(streams(50, (id) => data(id, " ")))),
  ),
  // CVE-2023-44487: immediate resets allow more streams than the limit of concurrent streams.
  byStreams("rapid resets", 2000, get2, reset),
  // CVE-2025-8671: each stream ends with a client error after the server has started to process it.
  byStreams("provoked resets", 2000, (id) => post2(id, { "content-length": "1" }), TOO_MUCH),
  // CVE-2025-8671: an increment of 0 (RFC 9113, section 6.9), and one that exceeds the maximum.
  byStreams(
    "resets provoked by windows",
    2000,
    (id) => get2(id, LONG_BOOK),
    (id) => update(id, id % 4 === 1 ? 0 : 2 ** 31 - 1),
  ),
  byStreams("streams beyond the limit", 5000, (id) => post2(id)),
  attack("HPACK bombs", 20, hpackBombs),
  attack("huge headers over HTTP/2", 50, () => preface(streams(200, (id) => get2(id, "/", LONG_FIELDS)))),
  attack(
    "a flood of CONTINUATION frames",
    50,
    () => preface(headers(1, requestBlock(), END_STREAM)),
    pour(always(frame(FRAME.CONTINUATION, 0, 1, over2(1, X(100))))),
  ),
  flood("PINGs", PING),
  { ...flood("PINGs without reading the responses", PING), connections: 50, reads: false },
  flood("SETTINGS", initialWindow(65_536)),
  // Without window updates, all streams together receive 65,535 bytes.
  attack("HTTP/2 responses without window updates", 200, () => preface(LONG_STREAMS())),
  attack(
    "HTTP/2 responses that are not read",
    200,
    () => preface(update(0, 2 ** 30 - 1), LONG_STREAMS()),
    untilGone,
    UNREAD,
  ),
  attack(
    "HTTP/2 responses that are read byte by byte",
    50,
    () => preface(initialWindow(0), LONG_STREAMS()),
    drip(always(streams(200, (id) => update(id, 1)))),
  ),
  attack(
    "HTTP/2 requests that are sent byte by byte",
    200,
    () => PREFACE,
    drip(() => {
      const bytes = [...get2(1)];
      return () => Buffer.from(bytes.splice(0, 1));
    }),
  ),
  attack(
    "bodies in frames of one byte",
    50,
    () => preface(post2(1)),
    pour(always(streams(500, () => data(1, "x")))),
  ),
  // No method has this path: the server responds without reading, or the window of each stream fills.
  attack("bodies that nobody reads", 100, () =>
    preface(streams(250, post2, ...Array(3).fill((id: number) => data(id, Buffer.alloc(16_384))))),
  ),
  // A request of a few bytes that waits must not retain the 64 KiB that it came with.
  attack("small bodies with much around them", 100, () =>
    preface(streams(100, post2, (id) => data(id, "x"), ...Array(4).fill(() => PADDING))),
  ),
  attack(
    "many requests at once",
    20,
    () => preface(GROW),
    pour(() => {
      let first = 0;
      return () => {
        first += 2000;
        return streams(1000, (id) => get2(first - 2000 + id));
      };
    }),
  ),
  flood("WINDOW_UPDATE while 250 streams wait", update(0, 1024), initialWindow(0), LONG_STREAMS()),
  flood("bytes that are not HTTP/2", Buffer.alloc(1000, 0xff)),
];

/** An attack whose clients send a hundred streams of reflection at once, and open another connection after the responses. */
const reflect = (name: string, body: Buffer): Attack =>
  attack(
    name,
    20,
    () =>
      preface(
        GROW,
        streams(100, (id) => whole2(id, REFLECTION, "application/grpc", body)),
      ),
    forMilliseconds(1000),
  );

/** Attacks by valid streams that cost much processor time. */
const STREAM_ATTACKS: readonly Attack[] = [
  reflect("streams of reflection", Buffer.concat(Array<Buffer>(100).fill(REFLECT))),
  // The prefixes of 3,200 messages without content.
  reflect("streams of empty messages", Buffer.alloc(16_000)),
];

export const ATTACKS: readonly Attack[] = [
  ...HTTP1_ATTACKS,
  ...HTTP2_ATTACKS,
  ...STREAM_ATTACKS,
  ...HELD_ATTACKS,
];
