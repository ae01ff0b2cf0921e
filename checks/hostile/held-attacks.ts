import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  PREFACE,
} from "../../packages/http-server/test/http2/raw-http2.js";
import { type Alpn, type Attack, crowd, drip, pour, untilGone } from "./attack.js";
import { streams } from "./http2-attacks.js";
import { REFLECT, REFLECTION } from "./work-attacks.js";

type Act = (...args: Parameters<typeof untilGone>) => Promise<unknown>;

interface Options {
  /** Default: 2,500. */
  readonly connections?: number;
  readonly alpn?: Alpn | undefined;
  /** What each client does after the first bytes. Default: it reads, and waits until it is disconnected. */
  readonly act?: Act;
  readonly isOnlyInFull?: boolean;
}

/** An attack whose clients send the same bytes first. They are created when it starts. */
function held(name: string, bytes: () => Buffer | string, options: Options = {}): Attack {
  const { connections = 2500, alpn, act = untilGone, isOnlyInFull = false } = options;
  const run: Attack["run"] = (tools, count) => {
    const first = Buffer.from(bytes());
    return crowd(count, tools, (socket) => {
      socket.resume().write(first);
      return act(socket, tools);
    });
  };
  return { name, connections, tls: alpn !== undefined, alpn, isOnlyInFull, run };
}

/** An attack whose clients send the first bytes, and then a piece again and again. */
function poured(name: string, connections: number, first: string, piece: string): Attack {
  const bytes = Buffer.from(piece);
  return held(name, () => first, { connections, act: (socket, tools) => pour(socket, tools, bytes) });
}

const GEO_IP = "/v1/geoIp?ip_address=8.8.8.8";
const LOOK_UP = "/utilitytools.v1.GeoIpService/LookupIp";
const WATCH = "/grpc.health.v1.Health/Watch";

/** Fields `a` over HTTP/1.1 and over HTTP/2, where the first byte says whether they are indexed (RFC 7541, section 6.2). */
const over1 = (count: number, value = "") => `a:${value}\r\n`.repeat(count);
function over2(count: number, value = "", firstByte = 0): Buffer {
  const field = headerBlock({ a: value });
  field[0] = firstByte;
  return Buffer.concat(Array<Buffer>(count).fill(field));
}

const head1 = (line: string, fields: string): string => `${line} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const get1 = (fields: string, path = GEO_IP): string => head1(`GET ${path}`, fields);
const post1 = (path: string, type: string, fields: string): string =>
  head1(`POST ${path}`, `Content-Type: ${type}\r\n${fields}`);
const chunked = (fields: string): string =>
  post1("/v1/sanitizeEmail", "application/json", `Transfer-Encoding: chunked\r\n${fields}`);

function block2(method: string, path: string, fields: Uint8Array, alpn?: Alpn): Buffer {
  const scheme = alpn === undefined ? "http" : "https";
  const pseudo = { ":method": method, ":scheme": scheme, ":authority": "a", ":path": path };
  return Buffer.concat([headerBlock(pseudo), fields]);
}
const get2 = (fields: Uint8Array, alpn?: Alpn): Buffer =>
  frame(FRAME.HEADERS, END_HEADERS | END_STREAM, 1, block2("GET", GEO_IP, fields, alpn));

/** Fields by name: their number and the value of each. */
const FIELDS: readonly (readonly [name: string, count: number, value: string])[] = [
  ["1 field", 1, ""],
  ["100 fields", 100, ""],
  ["3,900 fields", 3900, ""],
  ["a field of 16 KB", 1, "x".repeat(16_000)],
];

/** The ways to send them. */
const HEADS: readonly (readonly [
  name: string,
  alpn: Alpn | undefined,
  head: (count: number, value: string) => Buffer | string,
])[] = [
  ["over HTTP/1.1", undefined, (...fields) => get1(over1(...fields))],
  ["over HTTP/2, literal", undefined, (...fields) => preface(get2(over2(...fields)))],
  ["over HTTP/2, indexed", undefined, (...fields) => preface(get2(over2(...fields, 0x40)))],
  ["over HTTP/2, never indexed", undefined, (...fields) => preface(get2(over2(...fields, 0x10)))],
  ["over HTTP/1.1 and TLS", "http/1.1", (...fields) => get1(over1(...fields))],
  ["over HTTP/2 and TLS", "h2", (...fields) => preface(get2(over2(...fields, 0x40), "h2"))],
];
const preface = (...frames: readonly Uint8Array[]): Buffer => Buffer.concat([PREFACE, ...frames]);

const IDLE = HEADS.flatMap(([way, alpn, head], index) =>
  FIELDS.map(([fields, count, value]) =>
    held(`idle after ${fields} ${way}`, () => head(count, value), {
      alpn,
      isOnlyInFull: index > 1 && count !== 100,
    }),
  ),
);

/** The prefix of a message of 1,000 bytes, and an empty message (gRPC and Connect). */
const PREFIX = Buffer.from([0, 0, 0, 3, 232]);
const EMPTY = Buffer.alloc(5);

/** Requests that stay open: their path, the type and the start of their body, and whether that is all. */
const OPEN: readonly (readonly [string, path: string, type: string, body: Buffer, isWhole?: boolean])[] = [
  ["REST", "/v1/sanitizeEmail", "application/json", Buffer.from("{")],
  ["Connect", LOOK_UP, "application/json", Buffer.from("{")],
  ["gRPC-Web", LOOK_UP, "application/grpc-web+proto", PREFIX],
  ["health watch of Connect", WATCH, "application/connect+proto", EMPTY, true],
  ["health watch of gRPC-Web", WATCH, "application/grpc-web+proto", EMPTY, true],
  ["gRPC", LOOK_UP, "application/grpc", PREFIX],
  ["health watch of gRPC", WATCH, "application/grpc", EMPTY, true],
  ["reflection of gRPC", REFLECTION, "application/grpc", REFLECT],
  ["reflection of Connect", REFLECTION, "application/connect+proto", REFLECT],
];

function open1([, path, type, body, isWhole = false]: (typeof OPEN)[number]): Buffer {
  const length = `Content-Length: ${isWhole ? body.length : 60_000}\r\n`;
  return Buffer.concat([Buffer.from(post1(path, type, length + over1(90))), body]);
}

function open2(
  [, path, type, body, isWhole = false]: (typeof OPEN)[number],
  { count = 10, fields = 90, alpn }: { count?: number; fields?: number; alpn?: Alpn } = {},
): Buffer {
  const special = headerBlock({ "content-type": type, te: "trailers" });
  const block = block2("POST", path, Buffer.concat([special, over2(fields)]), alpn);
  return preface(
    streams(count, (id) => [
      frame(FRAME.HEADERS, END_HEADERS, id, block),
      frame(FRAME.DATA, isWhole ? END_STREAM : 0, id, body),
    ]),
  );
}

const [REST, , , , , GRPC] = OPEN as [(typeof OPEN)[number], ...typeof OPEN];

/**
 * Two requests with each of 32 header blocks of 116 fields, whose names differ by block: a server may keep what small blocks
 * say that come again.
 */
function manyBlocks(): Buffer {
  const pseudo = Buffer.from([0x82, 0x86, 0x84, 0x01, 1, 0x61]);
  const fieldsOf = (id: number) => {
    const name = Buffer.from((id >> 2).toString(36));
    return Array<Buffer>(116).fill(Buffer.concat([Buffer.from([0, 1]), name, Buffer.from([0])]));
  };
  return preface(
    streams(64, (id) => [
      frame(FRAME.HEADERS, END_HEADERS | END_STREAM, id, Buffer.concat([pseudo, ...fieldsOf(id)])),
    ]),
  );
}

/** Heads of 64 KB, behind a body whose length is not known. */
const BIG = over1(16_000);
const BIG_POST = `${chunked(BIG)}19\r\n{"email":"a@example.org"}\r\n0\r\n\r\n`;
const CONTINUATION = frame(FRAME.CONTINUATION, 0, 1, Buffer.from("x"));
const WRONG = "GET / HTTP/1.1\r\nHost : a\r\n\r\n";

/** Attacks by what clients make the process keep, and by requests and connections that do not end. */
export const HELD_ATTACKS: readonly Attack[] = [
  ...IDLE,
  held("idle after 32 blocks of 116 fields over HTTP/2", manyBlocks),
  held("idle after a chunked request with a head of 64 KB", () => BIG_POST),
  ...OPEN.slice(0, 5).map((kind) =>
    held(`open ${kind[0]} over HTTP/1.1`, () => open1(kind), { isOnlyInFull: kind[0] === "Connect" }),
  ),
  ...OPEN.map((kind) =>
    held(`10 open ${kind[0]} over HTTP/2`, () => open2(kind), { isOnlyInFull: /Connect|Web/.test(kind[0]) }),
  ),
  held("open REST over HTTP/1.1 and TLS", () => open1(REST), { alpn: "http/1.1" }),
  held("10 open gRPC over HTTP/2 and TLS", () => open2(GRPC ?? REST, { alpn: "h2" }), { alpn: "h2" }),
  held("10 open REST of 400 fields", () => open2(REST, { fields: 400 })),
  held("250 open REST", () => open2(REST, { count: 250 }), { connections: 250 }),
  held("GETs with 90 fields that are not read", () => get1(over1(90), "/v1/countries").repeat(20), {
    act: (socket, tools) => untilGone(socket.pause(), tools),
  }),
  held("open POST with a head of 3,800 fields", () =>
    post1("/v1/sanitizeEmail", "application/json", `Content-Length: 60000\r\n${over1(3800)}`),
  ),
  held("open chunked POST with a head of 3,800 fields", () => `${chunked(over1(3800))}2\r\n{`),
  held("open chunked POST with a head of 64 KB", () => `${chunked(BIG)}2\r\n{`),
  held("open POST with a head of 64 KB", () =>
    post1("/v1/sanitizeEmail", "application/json", `Expect: 100-continue\r\nContent-Length: 60000\r\n${BIG}`),
  ),
  held("heads without an end", () => get1(over1(3800)).slice(0, -2)),
  held("header blocks without an end", () =>
    preface(frame(FRAME.HEADERS, END_STREAM, 1, block2("GET", GEO_IP, over2(3800)))),
  ),
  held(
    "header blocks in frames of one byte",
    () => preface(frame(FRAME.HEADERS, END_STREAM, 1, block2("GET", GEO_IP, Buffer.from([0, 1, 0x61, 100])))),
    {
      act: (socket, tools) => {
        let left = 30;
        return drip(socket, tools, () => (left-- > 0 ? CONTINUATION : ""));
      },
    },
  ),
  held("trailers without an end", () => `${chunked("")}0\r\n${over1(3800)}`),
  held("chunk extensions without an end", () => `${chunked("")}1;a=${"x".repeat(8000)}`),
  held("10,000 pipelined heads", () => get1("").repeat(10_000), { connections: 250 }),
  held(
    "120 pipelined heads of 64 KB behind an open stream",
    () =>
      `${post1(WATCH, "application/connect+proto", "Transfer-Encoding: chunked\r\n")}5\r\n${EMPTY}\r\n0\r\n\r\n${get1(BIG).repeat(120)}`,
    { connections: 100 },
  ),
  held("connections that linger after a 400, beyond the limit", () => WRONG, {
    connections: 12_000,
    act: (socket, tools) => drip(socket, tools, () => "x"),
  }),
  poured("uploads after a 400", 600, WRONG, "x".repeat(65_536)),
  poured("chunked bodies that never end", 100, chunked(""), "1\r\n \r\n".repeat(8000)),
  poured("chunks with extensions that never end", 100, chunked(""), "1;a=b\r\n \r\n".repeat(5000)),
  poured("a chunk extension that never ends", 100, `${chunked("")}1;a=`, "x".repeat(65_536)),
  poured("trailers that never end", 100, `${chunked("")}0\r\n`, BIG),
  poured(
    "requests with trailers of 3,000 fields",
    50,
    "",
    `${chunked("")}19\r\n{"email":"a@example.org"}\r\n0\r\n${over1(3000)}\r\n`.repeat(5),
  ),
  poured("pipelined heads of 3,200 fields", 50, "", get1(over1(3200)).repeat(10)),
  poured("pipelined heads of 64 KB", 50, "", BIG_POST),
];
