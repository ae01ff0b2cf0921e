import { data, END_STREAM, FRAME, frame, headerBlock } from "connect-transcoding-testing/raw-http2.js";
import { type Alpn, type Attack, drip, pour } from "./attack.js";
import {
  BOOK,
  BOOKS,
  block2,
  chunked,
  get1,
  get2,
  headers,
  JSON_TYPE,
  LONG_BOOK,
  over1,
  over2,
  post1,
  preface,
  streams,
} from "./bytes.js";

/** An attack whose clients send the same bytes, and then wait. */
function held(name: string, first: () => Uint8Array | string, options: Partial<Attack> = {}): Attack {
  return { name, first, connections: 2500, tls: options.alpn !== undefined, ...options };
}

/** An attack whose clients send the first bytes, and then a piece again and again. */
function poured(name: string, connections: number, first: string, piece: string): Attack {
  const bytes = Buffer.from(piece);
  return { name, connections, first: () => first, act: pour(() => () => bytes) };
}

/** Requests with fields, which the server must not keep. */
const IDLE = [1, 100, 3_900].flatMap((count) => [
  held(`idle after ${count} fields over HTTP/1.1`, () => get1(over1(count))),
  held(`idle after ${count} fields over HTTP/2`, () => preface(get2(1, BOOK, over2(count, "", 0x40)))),
  held(`idle after ${count} fields over HTTP/1.1 and TLS`, () => get1(over1(count)), { alpn: "http/1.1" }),
  held(
    `idle after ${count} fields over HTTP/2 and TLS`,
    () => preface(get2(1, BOOK, over2(count, "", 0x40), "h2")),
    { alpn: "h2" },
  ),
]);

const GET_BOOK = "/test.Service/GetBook";
const WATCH = "/grpc.health.v1.Health/Watch";
export const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
/** A request of gRPC reflection for the file that contains a symbol. */
const SYMBOL = "test.Service";
export const REFLECT: Buffer = Buffer.from(
  `\0\0\0\0${String.fromCharCode(SYMBOL.length + 2, 0x22, SYMBOL.length)}${SYMBOL}`,
);
/** The prefix of a message of 1,000 bytes, and an empty message (gRPC and Connect). */
const PREFIX = Buffer.from([0, 0, 0, 3, 232]);
const EMPTY = Buffer.alloc(5);

/** A request that stays open: its path, the type and the start of its body, and whether that is all. */
type Open = readonly [string, path: string, type: string, body: Buffer, isWhole?: boolean];
const REST: Open = ["REST", BOOKS, JSON_TYPE, Buffer.from("{")];
const GRPC: Open = ["gRPC", GET_BOOK, "application/grpc", PREFIX];
/** The first five can go over HTTP/1.1. */
const OPEN: readonly Open[] = [
  REST,
  ["Connect", GET_BOOK, JSON_TYPE, Buffer.from("{")],
  ["gRPC-Web", GET_BOOK, "application/grpc-web+proto", PREFIX],
  ["health watch of Connect", WATCH, "application/connect+proto", EMPTY, true],
  ["health watch of gRPC-Web", WATCH, "application/grpc-web+proto", EMPTY, true],
  GRPC,
  ["health watch of gRPC", WATCH, "application/grpc", EMPTY, true],
  ["reflection of gRPC", REFLECTION, "application/grpc", REFLECT],
  ["reflection of Connect", REFLECTION, "application/connect+proto", REFLECT],
];

function open1([, path, type, body, isWhole = false]: Open): Buffer {
  const length = `Content-Length: ${isWhole ? body.length : 60_000}\r\n`;
  return Buffer.concat([Buffer.from(post1(path, type, length + over1(90))), body]);
}

function open2(
  [, path, type, body, isWhole = false]: Open,
  { count = 10, fields = 90, alpn }: { count?: number; fields?: number; alpn?: Alpn } = {},
): Buffer {
  const special = headerBlock({ "content-type": type, te: "trailers" });
  const block = block2("POST", path, Buffer.concat([special, over2(fields)]), alpn);
  return preface(
    streams(
      count,
      (id) => headers(id, block),
      (id) => data(id, body, isWhole ? END_STREAM : 0),
    ),
  );
}

const LENGTH = "Content-Length: 60000\r\n";
/** Heads of 64 KB, behind a body whose length is not known. */
const BIG = over1(16_000);
const CREATE = `19\r\n{"title":"a@example.org"}\r\n0\r\n`;
const BIG_POST = `${chunked(BIG)}${CREATE}\r\n`;
const CONTINUATION = frame(FRAME.CONTINUATION, 0, 1, Buffer.from("x"));
const WRONG = "GET / HTTP/1.1\r\nHost : a\r\n\r\n";
const OPEN_STREAM = `${post1(WATCH, "application/connect+proto", "Transfer-Encoding: chunked\r\n")}5\r\n${EMPTY}\r\n0\r\n\r\n`;

/** What a client sends to keep a connection, and the protocol over TLS. */
const KEPT: readonly (readonly [string, Alpn, first: () => Buffer | string, Partial<Attack>?])[] = [
  ["part of a request line", "http/1.1", () => "GET /v1/she"],
  ["part of a head", "http/1.1", () => "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n"],
  ["part of a body", "http/1.1", () => `${post1(BOOKS, JSON_TYPE, LENGTH)}{`],
  ["part of a chunk", "http/1.1", () => `${chunked()}19\r\n{`],
  [
    "pipelined responses that are not read",
    "http/1.1",
    () => get1("Accept-Encoding: identity\r\n", LONG_BOOK).repeat(20),
    { reads: false },
  ],
  ...OPEN.slice(3, 5).map((kind) => [`${kind[0]} over HTTP/1.1`, "http/1.1", () => open1(kind)] as const),
  ["an HTTP/2 preface", "h2", () => preface()],
  ...[GRPC, ...OPEN.slice(6, 7)].map(
    (kind) =>
      [
        `${kind[0]} over HTTP/2`,
        "h2",
        (alpn?: Alpn) => open2(kind, { count: 1, fields: 1, ...(alpn && { alpn }) }),
      ] as const,
  ),
];

/** Attacks by more connections than there are: other clients must get in. */
const LOCK_OUTS: readonly Attack[] = KEPT.flatMap(([name, alpn, first, options]) =>
  [undefined, alpn].map((over) =>
    held(`all places by ${name}${over === undefined ? "" : " and TLS"}`, first, {
      ...options,
      alpn: over,
      tls: over !== undefined,
      takesAll: true,
    }),
  ),
);

/** Attacks by what clients make the process keep, and by requests and connections that do not end. */
export const HELD_ATTACKS: readonly Attack[] = [
  ...LOCK_OUTS,
  held("all places by part of a TLS handshake", () => Buffer.from("1603010200010001fc0303", "hex"), {
    tls: true,
    takesAll: true,
  }),
  ...IDLE,
  held("idle after a chunked request with a head of 64 KB", () => BIG_POST),
  ...OPEN.slice(0, 5).map((kind) =>
    held(`open ${kind[0]} over HTTP/1.1`, () => open1(kind), { isOnlyInFull: kind[0] === "Connect" }),
  ),
  ...OPEN.map((kind) =>
    held(`10 open ${kind[0]} over HTTP/2`, () => open2(kind), { isOnlyInFull: /Connect|Web/.test(kind[0]) }),
  ),
  held("open REST over HTTP/1.1 and TLS", () => open1(REST), { alpn: "http/1.1" }),
  held("10 open gRPC over HTTP/2 and TLS", () => open2(GRPC, { alpn: "h2" }), { alpn: "h2" }),
  held("10 open REST of 400 fields", () => open2(REST, { fields: 400 })),
  held("250 open REST", () => open2(REST, { count: 250 }), { connections: 250 }),
  held("GETs with 90 fields that are not read", () => get1(over1(90), LONG_BOOK).repeat(20), {
    reads: false,
  }),
  held("open POST with a head of 3,800 fields", () => post1(BOOKS, JSON_TYPE, LENGTH + over1(3800))),
  held("open chunked POST with a head of 3,800 fields", () => `${chunked(over1(3800))}2\r\n{`),
  held("open chunked POST with a head of 64 KB", () => `${chunked(BIG)}2\r\n{`),
  held("open POST with a head of 64 KB", () =>
    post1(BOOKS, JSON_TYPE, `Expect: 100-continue\r\n${LENGTH}${BIG}`),
  ),
  held("heads without an end", () => get1(over1(3800)).slice(0, -2)),
  held("header blocks without an end", () =>
    preface(headers(1, block2("GET", BOOK, over2(3800)), END_STREAM)),
  ),
  held(
    "header blocks in frames of one byte",
    () => preface(headers(1, block2("GET", BOOK, Buffer.from([0, 1, 0x61, 100])), END_STREAM)),
    {
      act: drip(() => {
        let left = 30;
        return () => (left-- > 0 ? CONTINUATION : "");
      }),
    },
  ),
  held("trailers without an end", () => `${chunked()}0\r\n${over1(3800)}`),
  held("chunk extensions without an end", () => `${chunked()}1;a=${"x".repeat(8000)}`),
  held("10,000 pipelined heads", () => get1().repeat(10_000), { connections: 250 }),
  held("120 pipelined heads of 64 KB behind an open stream", () => OPEN_STREAM + get1(BIG).repeat(120), {
    connections: 100,
  }),
  held("connections that linger after a 400, beyond the limit", () => WRONG, {
    connections: 12_000,
    act: drip(() => () => "x"),
  }),
  poured("uploads after a 400", 600, WRONG, "x".repeat(65_536)),
  poured("chunked bodies that never end", 100, chunked(), "1\r\n \r\n".repeat(8000)),
  poured("chunks with extensions that never end", 100, chunked(), "1;a=b\r\n \r\n".repeat(5000)),
  poured("a chunk extension that never ends", 100, `${chunked()}1;a=`, "x".repeat(65_536)),
  poured("trailers that never end", 100, `${chunked()}0\r\n`, BIG),
  poured(
    "requests with trailers of 3,000 fields",
    50,
    "",
    `${chunked()}${CREATE}${over1(3000)}\r\n`.repeat(5),
  ),
  poured("pipelined heads of 3,200 fields", 50, "", get1(over1(3200)).repeat(10)),
  poured("pipelined heads of 64 KB", 50, "", BIG_POST),
];
