import {
  ACK,
  data,
  END_HEADERS,
  END_STREAM,
  FRAME,
  fieldBlock,
  frame,
  get,
  HAS_PRIORITY,
  headerBlock,
  initialWindow,
  PADDED,
  PREFACE,
  post,
  requestBlock,
  reset,
  settings,
  uint32,
  update,
} from "connect-transcoding-testing/raw-http2.js";
import { describe, expect, test } from "vitest";
import { METHODS } from "../../src/core/field-values.js";
import { plainRejection, type Rejection } from "../../src/core/rejection.js";
import { sectionTooLarge } from "../../src/core/rules.js";
import { closeConnectionsAfterEach, openConnection, openSilent } from "./open-connection.js";

closeConnectionsAfterEach();

const {
  DATA,
  HEADERS,
  PRIORITY,
  RST_STREAM,
  SETTINGS,
  PUSH_PROMISE,
  PING,
  GOAWAY,
  WINDOW_UPDATE,
  CONTINUATION,
} = FRAME;

const MAX_WINDOW = 2 ** 31 - 1;

const trailers = (id: number, fields: Readonly<Record<string, string>>, flags = END_STREAM | END_HEADERS) =>
  frame(HEADERS, flags, id, headerBlock(fields));
/** A frame whose payload is zeros. */
const zeros = (type: number, id: number, length: number, flags = 0) =>
  frame(type, flags, id, Buffer.alloc(length));
const goaway = (last = 0) => frame(GOAWAY, 0, 0, Buffer.concat([uint32(last), uint32(0)]));

/** A response with a body of some bytes, and one without a body. */
const response = (id: number, bytes: number, status = 200) => [
  `HEADERS ${id} ${status}`,
  `DATA ${id} ${bytes} END_STREAM`,
];
const empty = (id: number, status = 200) => [`HEADERS ${id} ${status} END_STREAM`];
/** The end of a connection, and that of a stream, because of an error. */
const fails = (last: number, code = "PROTOCOL_ERROR") => [`GOAWAY ${last} ${code}`];
const resets = (id: number, code = "PROTOCOL_ERROR") => [`RST_STREAM ${id} ${code}`];

/** The length of the response to a rejected request. */
const rejectionLength = (rejection: Rejection) => plainRejection(rejection).body.length;

type Case = readonly [name: string, sent: readonly Uint8Array[], expected: readonly string[]];

/** Sends the frames on a new connection each, and compares all that comes back. */
function testFrames(cases: readonly Case[]): void {
  test.each(cases)("%s", async (_name, sent, expected) => {
    const { exchange } = await openConnection();
    // Data that waited for a window is sent after the frames of a chunk, and so after the response to the first PING.
    expect([...(await exchange(...sent)), ...(await exchange())]).toEqual(expected);
  });
}

describe("the connection preface (RFC 9113, section 3.4)", () => {
  test("causes SETTINGS and a larger window", async () => {
    const { exchange } = await openSilent();
    expect(await exchange(PREFACE)).toEqual(["SETTINGS", "WINDOW_UPDATE 0 983041", "SETTINGS ACK"]);
  });

  test("may arrive byte by byte", async () => {
    const { exchange, raw } = await openSilent();
    for (const byte of PREFACE.subarray(0, -1)) {
      raw.socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await exchange(PREFACE.subarray(-1), get(1))).toEqual([
      "SETTINGS",
      "WINDOW_UPDATE 0 983041",
      "SETTINGS ACK",
      ...empty(1),
    ]);
  });

  test.each<readonly [string, Buffer]>([
    ["another text", Buffer.from("PRI * HTTP/3.0\r\n\r\nSM\r\n\r\n")],
    ["HTTP/1.1", Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n")],
    ["a PING before SETTINGS", Buffer.concat([PREFACE.subarray(0, 24), zeros(PING, 0, 8)])],
    ["an ACK before SETTINGS", Buffer.concat([PREFACE.subarray(0, 24), frame(SETTINGS, ACK, 0)])],
    ["a request before SETTINGS", Buffer.concat([PREFACE.subarray(0, 24), get(1)])],
  ])("%s is an error", async (_name, bytes) => {
    const { exchange, requests } = await openSilent();
    expect(await exchange(bytes)).toEqual(["SETTINGS", "WINDOW_UPDATE 0 983041", "GOAWAY 0 PROTOCOL_ERROR"]);
    expect(requests).toEqual([]);
  });
});

describe("frame sizes (RFC 9113, section 4.2)", () => {
  testFrames([
    ["DATA of the maximum", [post(1), data(1, "x".repeat(16_384), END_STREAM)], response(1, 16_384)],
    ["DATA beyond the maximum", [post(1), data(1, "x".repeat(16_385))], fails(1, "FRAME_SIZE_ERROR")],
    ["an unknown type beyond the maximum", [zeros(99, 0, 16_385)], fails(0, "FRAME_SIZE_ERROR")],
    ["a PING of 7 bytes", [zeros(PING, 0, 7)], fails(0, "FRAME_SIZE_ERROR")],
    ["a SETTINGS of 5 bytes", [zeros(SETTINGS, 0, 5)], fails(0, "FRAME_SIZE_ERROR")],
    ["an ACK of SETTINGS with settings", [zeros(SETTINGS, 0, 6, ACK)], fails(0, "FRAME_SIZE_ERROR")],
    ["a RST_STREAM of 3 bytes", [post(1), zeros(RST_STREAM, 1, 3)], fails(1, "FRAME_SIZE_ERROR")],
    ["a WINDOW_UPDATE of 5 bytes", [zeros(WINDOW_UPDATE, 0, 5)], fails(0, "FRAME_SIZE_ERROR")],
    ["a GOAWAY of 7 bytes", [zeros(GOAWAY, 0, 7)], fails(0, "FRAME_SIZE_ERROR")],
    ["a PRIORITY of 4 bytes", [post(1), zeros(PRIORITY, 1, 4)], resets(1, "FRAME_SIZE_ERROR")],
  ]);
});

describe("streams that frames must or must not have (RFC 9113, section 6)", () => {
  testFrames([
    ["DATA", [data(0, "x")], fails(0)],
    ["HEADERS", [get(0)], fails(0)],
    ["PRIORITY", [zeros(PRIORITY, 0, 5)], fails(0)],
    ["RST_STREAM", [reset(0)], fails(0)],
    ["SETTINGS", [frame(SETTINGS, 0, 1)], fails(0)],
    ["PING", [zeros(PING, 1, 8)], fails(0)],
    ["GOAWAY", [zeros(GOAWAY, 1, 8)], fails(0)],
    ["CONTINUATION", [frame(CONTINUATION, END_HEADERS, 0)], fails(0)],
    ["PUSH_PROMISE (section 8.4)", [post(1), frame(PUSH_PROMISE, 0, 1, uint32(2))], fails(1)],
    ["an unknown type is ignored (section 5.5)", [zeros(77, 9, 3, 255), get(1)], empty(1)],
    ["the reserved bit is ignored (section 4.1)", [frame(HEADERS, 5, 2 ** 31 + 1, requestBlock())], empty(1)],
  ]);
});

describe("stream states (RFC 9113, section 5.1)", () => {
  testFrames([
    ["idle: DATA", [data(1, "x")], fails(0)],
    ["idle: RST_STREAM", [reset(1)], fails(0)],
    ["idle: WINDOW_UPDATE", [update(1, 1)], fails(0)],
    ["idle: PRIORITY", [zeros(PRIORITY, 1, 5), get(1)], empty(1)],
    ["half-closed: DATA", [get(1, "/never"), data(1, "x")], resets(1, "STREAM_CLOSED")],
    ["half-closed: HEADERS", [get(1, "/never"), trailers(1, {})], resets(1, "STREAM_CLOSED")],
    ["half-closed: WINDOW_UPDATE", [get(1, "/never"), update(1, 5)], []],
    ["half-closed: RST_STREAM", [get(1, "/never"), reset(1)], []],
    ["half-closed: PRIORITY", [get(1, "/never"), zeros(PRIORITY, 1, 5)], []],
    ["closed: DATA", [get(1), data(1, "x")], [...empty(1), "GOAWAY 1 STREAM_CLOSED"]],
    ["closed: HEADERS", [get(1), get(1)], [...empty(1), "GOAWAY 1 STREAM_CLOSED"]],
    ["closed: WINDOW_UPDATE", [get(1), update(1, 5), get(3)], [...empty(1), ...empty(3)]],
    ["closed: RST_STREAM", [get(1), reset(1), get(3)], [...empty(1), ...empty(3)]],
    ["closed: PRIORITY", [get(1), zeros(PRIORITY, 1, 5), get(3)], [...empty(1), ...empty(3)]],
    [
      "closed by the client: DATA",
      [post(1), reset(1), data(1, "x"), get(3)],
      ["RST_STREAM 1 STREAM_CLOSED", ...empty(3)],
    ],
    [
      "closed by the server: frames in transit are ignored",
      [get(1, "/never"), data(1, "x"), data(1, "y"), trailers(1, {}), update(1, 1), reset(1), get(3)],
      ["RST_STREAM 1 STREAM_CLOSED", ...empty(3)],
    ],
    [
      "a response before the end of the request (section 8.1)",
      [post(1, "/now"), data(1, "rest"), data(1, "", END_STREAM), get(3)],
      ["HEADERS 1 200", "DATA 1 3 END_STREAM", ...empty(3)],
    ],
    ["an even stream (section 5.1.1)", [get(2)], fails(0)],
    ["streams may be skipped (section 5.1.1)", [get(1), get(7)], [...empty(1), ...empty(7)]],
    ["skipped streams are closed (section 5.1.1)", [get(7), get(5)], [...empty(7), "GOAWAY 7 STREAM_CLOSED"]],
    ["the last stream", [get(2 ** 31 - 1)], empty(2 ** 31 - 1)],
  ]);

  test("a stream beyond the limit is refused (section 5.1.2)", async () => {
    const { exchange, requests } = await openConnection({ maxConcurrentStreams: 2 });
    const sent = [get(1, "/never"), get(3, "/never"), get(5), reset(1), get(7)];
    expect(await exchange(...sent)).toEqual(["RST_STREAM 5 REFUSED_STREAM", ...empty(7)]);
    expect(requests).toHaveLength(3);
  });
});

describe("padding (RFC 9113, sections 6.1 and 6.2)", () => {
  const padded = (type: number, flags: number, pad: number, content: Uint8Array, padding = pad) =>
    frame(type, flags | PADDED, 1, Buffer.concat([Buffer.from([pad]), content, Buffer.alloc(padding)]));
  const body = Buffer.from("body");
  testFrames([
    ["DATA", [post(1), padded(DATA, END_STREAM, 200, body)], response(1, 4)],
    ["DATA with a padding of 0", [post(1), padded(DATA, END_STREAM, 0, body)], response(1, 4)],
    ["DATA of padding alone", [post(1), padded(DATA, END_STREAM, 255, Buffer.alloc(0))], empty(1)],
    ["DATA whose padding is the payload", [post(1), padded(DATA, 0, 5, body, 0)], fails(1)],
    ["DATA without the length", [post(1), frame(DATA, PADDED, 1)], fails(1)],
    ["HEADERS", [padded(HEADERS, END_HEADERS | END_STREAM, 255, requestBlock())], empty(1)],
    [
      "HEADERS with a priority",
      [
        padded(
          HEADERS,
          END_HEADERS | END_STREAM | HAS_PRIORITY,
          9,
          Buffer.concat([Buffer.alloc(5), requestBlock()]),
        ),
      ],
      empty(1),
    ],
    ["HEADERS whose padding exceeds it", [padded(HEADERS, 5, 99, requestBlock(), 0)], fails(0)],
    ["HEADERS without the length", [frame(HEADERS, PADDED | END_HEADERS, 1)], fails(0)],
    ["HEADERS that are too short for a priority", [zeros(HEADERS, 1, 4, 0x25)], fails(0)],
    [
      "HEADERS that depend on themselves (RFC 7540, section 5.3.1)",
      [frame(HEADERS, 0x25, 1, Buffer.concat([uint32(1), Buffer.alloc(1), requestBlock()]))],
      fails(0),
    ],
    [
      "a PRIORITY that depends on itself (RFC 7540, section 5.3.1)",
      [post(1), frame(PRIORITY, 0, 1, Buffer.concat([uint32(1), Buffer.alloc(1)]))],
      resets(1),
    ],
  ]);

  test("padding without data does not use up the window", async () => {
    const { exchange } = await openConnection();
    const padding = padded(DATA, 0, 255, Buffer.alloc(0));
    expect(await exchange(post(1), ...Array(300).fill(padding), padded(DATA, END_STREAM, 0, body))).toEqual([
      ...Array(300).fill("WINDOW_UPDATE 1 256"),
      ...response(1, 4),
    ]);
  });
});

describe("CONTINUATION (RFC 9113, section 6.10)", () => {
  const block = requestBlock();
  const open = (flags = END_STREAM) => frame(HEADERS, flags, 1, block.subarray(0, 5));
  const more = (id: number, flags: number, part: Uint8Array) => frame(CONTINUATION, flags, id, part);
  const last = more(1, END_HEADERS, block.subarray(5));
  testFrames([
    ["two frames", [open(), last], empty(1)],
    [
      "END_STREAM is a flag of HEADERS",
      [open(0), more(1, 5, block.subarray(5)), data(1, "x", END_STREAM)],
      response(1, 1),
    ],
    [
      "one byte each",
      [
        open(),
        ...[...block.subarray(5, 30)].map((byte) => more(1, 0, Buffer.from([byte]))),
        more(1, END_HEADERS, block.subarray(30)),
      ],
      empty(1),
    ],
    ["empty frames", [open(), more(1, 0, Buffer.alloc(0)), last], empty(1)],
    [
      "in trailers",
      [post(1), data(1, "x"), trailers(1, { a: "b" }, END_STREAM), more(1, END_HEADERS, Buffer.alloc(0))],
      response(1, 1),
    ],
    ["without HEADERS", [more(1, END_HEADERS, block)], fails(0)],
    ["after END_HEADERS", [get(1), last], [...empty(1), "GOAWAY 1 PROTOCOL_ERROR"]],
    ["of another stream", [open(), more(3, END_HEADERS, block)], fails(0)],
    ["interrupted by HEADERS", [open(), get(3)], fails(0)],
    ["interrupted by DATA of the stream", [open(), data(1, "x")], fails(0)],
    ["interrupted by an unknown type (section 5.5)", [open(), frame(99, 0, 1)], fails(0)],
    ["a padded frame is not padded", [open(), more(1, END_HEADERS | PADDED, block.subarray(5))], empty(1)],
  ]);
});

describe("SETTINGS (RFC 9113, section 6.5)", () => {
  const set = (...pairs: readonly (readonly [number, number])[]) => frame(SETTINGS, 0, 0, settings(...pairs));
  testFrames([
    ["none", [set()], ["SETTINGS ACK"]],
    ["unknown ones", [set([0xf0, 1], [0, 7])], ["SETTINGS ACK"]],
    ["an ACK", [frame(SETTINGS, ACK, 0)], []],
    ["ENABLE_PUSH of 0 and 1", [set([2, 0], [2, 1])], ["SETTINGS ACK"]],
    ["ENABLE_PUSH of 2", [set([2, 2])], fails(0)],
    ["INITIAL_WINDOW_SIZE of the maximum", [set([4, MAX_WINDOW])], ["SETTINGS ACK"]],
    ["INITIAL_WINDOW_SIZE beyond it", [set([4, MAX_WINDOW + 1])], fails(0, "FLOW_CONTROL_ERROR")],
    ["MAX_FRAME_SIZE of the minimum and the maximum", [set([5, 16_384], [5, 2 ** 24 - 1])], ["SETTINGS ACK"]],
    ["MAX_FRAME_SIZE below", [set([5, 16_383])], fails(0)],
    ["MAX_FRAME_SIZE above", [set([5, 2 ** 24])], fails(0)],
    ["HEADER_TABLE_SIZE of 0", [set([1, 0]), get(1)], ["SETTINGS ACK", ...empty(1)]],
    ["MAX_CONCURRENT_STREAMS of 0", [set([3, 0]), get(1)], ["SETTINGS ACK", ...empty(1)]],
    ["64 settings", [set(...Array(64).fill([9, 9]))], ["SETTINGS ACK"]],
    ["65 settings", [set(...Array(65).fill([9, 9]))], fails(0, "ENHANCE_YOUR_CALM")],
    ["after an invalid one, nothing is read", [set([2, 2], [4, 0]), get(1)], fails(0)],
  ]);
});

describe("PING (RFC 9113, section 6.7)", () => {
  testFrames([
    ["gets an ACK with its data", [frame(PING, 0, 0, Buffer.from("12345678"))], ["PING ACK 12345678"]],
    ["an ACK gets no response", [frame(PING, ACK, 0, Buffer.from("12345678"))], []],
  ]);
});

describe("WINDOW_UPDATE (RFC 9113, section 6.9)", () => {
  testFrames([
    ["of 0 on the connection", [update(0, 0)], fails(0)],
    ["of 0 on a stream", [post(1), update(1, 0)], resets(1)],
    ["up to the maximum of the connection", [update(0, MAX_WINDOW - 65_535)], []],
    [
      "beyond the maximum of the connection",
      [update(0, MAX_WINDOW - 65_534)],
      fails(0, "FLOW_CONTROL_ERROR"),
    ],
    ["up to the maximum of a stream", [post(1), update(1, MAX_WINDOW - 65_535)], []],
    [
      "beyond the maximum of a stream",
      [post(1), update(1, MAX_WINDOW - 65_534)],
      resets(1, "FLOW_CONTROL_ERROR"),
    ],
    [
      "up to the maximum of a stream whose response has used 3 bytes",
      [initialWindow(MAX_WINDOW), post(1, "/now"), update(1, 3)],
      ["SETTINGS ACK", ...response(1, 3)],
    ],
    [
      "beyond the maximum of a stream whose response has used 3 bytes",
      [initialWindow(MAX_WINDOW), post(1, "/now"), update(1, 4)],
      ["SETTINGS ACK", ...response(1, 3), "RST_STREAM 1 FLOW_CONTROL_ERROR"],
    ],
    ["the reserved bit is ignored", [update(0, 2 ** 31 + 5)], []],
    [
      "a larger initial window beyond the maximum of a stream (section 6.9.2)",
      [post(1), update(1, MAX_WINDOW - 65_535), initialWindow(65_536)],
      fails(1, "FLOW_CONTROL_ERROR"),
    ],
    [
      "a smaller initial window makes room (section 6.9.2)",
      [post(1), initialWindow(0), update(1, MAX_WINDOW)],
      ["SETTINGS ACK"],
    ],
  ]);
});

describe("flow control of responses (RFC 9113, section 6.9)", () => {
  const echo = (id: number, length: number) => [post(id), data(id, "x".repeat(length), END_STREAM)];
  testFrames([
    ["a window of 0", [initialWindow(0), ...echo(1, 5)], ["SETTINGS ACK", "HEADERS 1 200"]],
    [
      "a window that opens in steps",
      [initialWindow(0), ...echo(1, 5), update(1, 2), update(1, 1), update(1, 9)],
      ["SETTINGS ACK", "HEADERS 1 200", "DATA 1 2", "DATA 1 1", "DATA 1 2 END_STREAM"],
    ],
    ["an empty response needs no window", [initialWindow(0), get(1)], ["SETTINGS ACK", ...empty(1)]],
    [
      "a larger initial window applies to open streams (section 6.9.2)",
      [initialWindow(3), ...echo(1, 5), initialWindow(4), initialWindow(10)],
      [
        ...["SETTINGS ACK", "HEADERS 1 200", "DATA 1 3", "SETTINGS ACK", "DATA 1 1", "SETTINGS ACK"],
        "DATA 1 1 END_STREAM",
      ],
    ],
    [
      "a negative window (section 6.9.2)",
      [initialWindow(3), ...echo(1, 5), initialWindow(0), update(1, 3), update(1, 1), update(1, 1)],
      ["SETTINGS ACK", "HEADERS 1 200", "DATA 1 3", "SETTINGS ACK", "DATA 1 1", "DATA 1 1 END_STREAM"],
    ],
    [
      "the window of the connection is shared",
      [
        initialWindow(1_000_000),
        ...[1, 3, 5, 7, 9].flatMap((id) => echo(id, 16_000)),
        update(0, 14_463),
        update(0, 2),
      ],
      [
        "SETTINGS ACK",
        ...[1, 3, 5, 7].flatMap((id) => response(id, 16_000)),
        "HEADERS 9 200",
        "DATA 9 1535",
        "DATA 9 14465 END_STREAM",
      ],
    ],
    [
      "streams take turns",
      [
        initialWindow(0),
        ...[1, 3].flatMap((id) => [...echo(id, 16_384)]),
        update(0, 100_000),
        initialWindow(20_000),
      ],
      [
        "SETTINGS ACK",
        "HEADERS 1 200",
        "HEADERS 3 200",
        "SETTINGS ACK",
        "DATA 1 16384 END_STREAM",
        "DATA 3 16384 END_STREAM",
      ],
    ],
    [
      "a reset stream gives up its turn",
      [initialWindow(0), ...echo(1, 5), ...echo(3, 5), reset(1), initialWindow(9)],
      ["SETTINGS ACK", "HEADERS 1 200", "HEADERS 3 200", "SETTINGS ACK", "DATA 3 5 END_STREAM"],
    ],
  ]);
});

describe("flow control of requests (RFC 9113, section 6.9)", () => {
  const full = "x".repeat(16_384);

  test("a body that is larger than all windows", async () => {
    const { exchange } = await openConnection();
    const parts = Array.from({ length: 100 }, () => data(1, full));
    const received = await exchange(
      update(0, 2 ** 30),
      initialWindow(2 ** 30),
      post(1),
      ...parts,
      data(1, "", END_STREAM),
    );
    const sum = (prefix: string) =>
      received
        .filter((text) => text.startsWith(prefix))
        .reduce((bytes, text) => bytes + Number(text.split(" ")[2]), 0);
    expect(sum("DATA 1 ")).toBe(1_638_400);
    expect(sum("WINDOW_UPDATE 1 ")).toBeGreaterThan(1_638_400 - 65_535);
    expect(sum("WINDOW_UPDATE 0 ")).toBeGreaterThan(1_638_400 - 1_048_576);
  });

  test("a body that nobody reads is limited to the window", async () => {
    const { exchange } = await openConnection();
    const window = [...Array(3).fill(data(1, full)), data(1, "x".repeat(65_535 - 3 * 16_384))];
    expect(await exchange(post(1, "/never"), ...window)).toEqual([]);
    expect(await exchange(data(1, "x"), get(3))).toEqual(["RST_STREAM 1 FLOW_CONTROL_ERROR", ...empty(3)]);
  });

  test("a connection holds the bytes of unread bodies", async () => {
    const { exchange, requests } = await openConnection();
    const ids = Array.from({ length: 40 }, (_, index) => 2 * index + 1);
    const window = (id: number) => [post(id, "/never"), ...Array(3).fill(data(id, full))];
    const received = await exchange(...ids.flatMap(window));
    expect(received.filter((text) => !text.startsWith("WINDOW_UPDATE 0 "))).toEqual([]);
    expect(requests).toHaveLength(40);
  });
});

describe("content-length (RFC 9113, section 8.1.1)", () => {
  const long = (id: number, length: string) => post(id, "/", { "content-length": length });
  testFrames([
    ["that fits", [long(1, "4"), data(1, "body", END_STREAM)], response(1, 4)],
    ["that fits two frames", [long(1, "4"), data(1, "bo"), data(1, "dy", END_STREAM)], response(1, 4)],
    ["of 0", [long(1, "0"), data(1, "", END_STREAM)], empty(1)],
    ["larger than one frame", [long(1, "5"), data(1, "body", END_STREAM)], resets(1)],
    ["larger than two frames", [long(1, "5"), data(1, "bo"), data(1, "dy", END_STREAM)], resets(1)],
    ["larger than a body with trailers", [long(1, "5"), data(1, "body"), trailers(1, {})], resets(1)],
    ["smaller than one frame", [long(1, "3"), data(1, "body", END_STREAM)], resets(1)],
    [
      "smaller than two frames",
      [long(1, "3"), data(1, "bo"), data(1, "dy"), get(3)],
      ["RST_STREAM 1 PROTOCOL_ERROR", ...empty(3)],
    ],
    [
      "without a body",
      [frame(HEADERS, 5, 1, Buffer.concat([requestBlock("POST"), headerBlock({ "content-length": "1" })]))],
      resets(1),
    ],
    ["that is not a number", [long(1, "+4")], resets(1)],
  ]);
});

describe("malformed requests (RFC 9113, section 8)", () => {
  type Fields = readonly (readonly [string, string])[];
  const request: Fields = [
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/"],
  ];
  const without = (name: string) => request.filter(([each]) => each !== name);
  // Tests of the head of a request have the others.
  const cases: readonly (readonly [string, Fields])[] = [
    ["no :method (section 8.3.1)", without(":method")],
    ["a space in :method", [...without(":method"), [":method", "GET /admin HTTP/1.1"]]],
    ["a pseudo-header after a header (section 8.3)", [["a", "b"], ...request]],
    ["connection (section 8.2.2)", [...request, ["connection", "keep-alive"]]],
    ["LF in a value (section 8.2.1)", [...request, ["a", "b\nhost: c"]]],
    [
      "different content-lengths (section 8.1.1)",
      [...request, ["content-length", "0"], ["content-length", "1"]],
    ],
  ];
  test.each(cases)("%s", async (_name, fields) => {
    const { exchange, requests } = await openConnection();
    const sent = [frame(HEADERS, 5, 1, fieldBlock(fields)), get(3)];
    expect(await exchange(...sent)).toEqual(["RST_STREAM 1 PROTOCOL_ERROR", ...empty(3)]);
    expect(requests.map(({ target }) => target)).toEqual(["/"]);
  });

  testFrames([
    ["te: trailers", [frame(HEADERS, 5, 1, fieldBlock([...request, ["te", "trailers"]]))], empty(1)],
    [
      "an invalid index (RFC 7541, section 2.3.3)",
      [frame(HEADERS, 5, 1, Buffer.from([0x80]))],
      fails(0, "COMPRESSION_ERROR"),
    ],
    [
      "a block that is cut off (section 4.3)",
      [frame(HEADERS, 5, 1, requestBlock().subarray(0, 9))],
      fails(0, "COMPRESSION_ERROR"),
    ],
    [
      "blocks of rejected streams change the table (section 4.3)",
      [
        // Literals with incremental indexing (RFC 7541, section 6.2.1) on an invalid request, and then the index.
        frame(HEADERS, 5, 1, Buffer.concat([Buffer.from([0x40, 1, 0x61, 1, 0x62])])),
        frame(HEADERS, 5, 3, Buffer.concat([requestBlock(), Buffer.from([0x80 | 62])])),
      ],
      ["RST_STREAM 1 PROTOCOL_ERROR", ...empty(3)],
    ],
  ]);
});

describe("header lists that are too large", () => {
  const large = (count: number, method = "GET") =>
    Buffer.concat([
      requestBlock(method),
      fieldBlock(Array.from({ length: count }, (_, i) => [`x-${i}`, "y".repeat(100)])),
    ]);
  const short = (count: number) =>
    Buffer.concat([requestBlock(), fieldBlock(Array.from({ length: count }, () => ["a", ""]))]);
  const tooLarge = response(
    1,
    rejectionLength(sectionTooLarge({ maxHeaderBytes: 16_384, maxHeaderFields: 100 })),
    431,
  );
  const split = (id: number, block: Buffer) => [
    frame(HEADERS, END_STREAM, id, block.subarray(0, 16_000)),
    frame(CONTINUATION, END_HEADERS, id, block.subarray(16_000)),
  ];
  testFrames([
    ["a list within the limit", [frame(HEADERS, 5, 1, large(100))], empty(1)],
    ["a list beyond the limit", [frame(HEADERS, 5, 1, large(130)), get(3)], [...tooLarge, ...empty(3)]],
    [
      "a list of HEAD beyond the limit",
      [frame(HEADERS, 5, 1, large(130, "HEAD")), get(3)],
      [`HEADERS 1 431 END_STREAM`, ...empty(3)],
    ],
    ["a block beyond a frame", [...split(1, large(250)), get(3)], [...tooLarge, ...empty(3)]],
    ["as many fields as are allowed", [frame(HEADERS, 5, 1, short(100))], empty(1)],
    ["a field more", [frame(HEADERS, 5, 1, short(101)), get(3)], [...tooLarge, ...empty(3)]],
    [
      "a block that is much too long",
      [frame(HEADERS, 1, 1, large(140)), ...Array(3).fill(zeros(CONTINUATION, 1, 9000))],
      fails(0, "ENHANCE_YOUR_CALM"),
    ],
    [
      "trailers beyond the limit",
      [
        post(1),
        frame(HEADERS, 5, 1, fieldBlock(Array.from({ length: 130 }, (_, i) => [`x-${i}`, "y".repeat(100)]))),
        get(3),
      ],
      ["RST_STREAM 1 PROTOCOL_ERROR", ...empty(3)],
    ],
  ]);
});

describe("rejected requests", () => {
  const fields = (changes: Readonly<Record<string, string>>) =>
    headerBlock({ ":method": "POST", ":scheme": "http", ":path": "/", ...changes });
  const cases: readonly (readonly [name: string, status: number, block: Buffer])[] = [
    ["an unknown expectation (RFC 9110, section 10.1.1)", 417, fields({ expect: "x" })],
    ["https in cleartext (RFC 9110, section 7.4)", 421, fields({ ":scheme": "https" })],
    ["CONNECT (RFC 9110, section 9.3.6)", 501, headerBlock({ ":method": "CONNECT", ":authority": "a:80" })],
    ["a method that the server does not know (RFC 9110, section 9.1)", 501, fields({ ":method": "BREW" })],
  ];
  test.each(cases)("%s", async (_name, status, block) => {
    const rejections: [Rejection, string][] = [];
    const { exchange, requests } = await openConnection({
      methods: new Set(METHODS),
      onReject: (...rejection) => rejections.push(rejection),
      formatRejection: ({ reason }) => ({ headers: ["content-type", "text/plain"], body: reason }),
    });
    const received = await exchange(frame(HEADERS, 5, 1, block), get(3));
    expect(rejections).toEqual([[expect.objectContaining({ status }), "127.0.0.1"]]);
    expect(received).toEqual([...response(1, rejections[0]?.[0].reason.length ?? 0, status), ...empty(3)]);
    expect(requests.map(({ target }) => target)).toEqual(["/"]);
    // The body of a rejected request is not read.
    expect(await exchange(frame(HEADERS, 4, 5, block), data(5, "body", END_STREAM), get(7))).toEqual([
      ...response(5, rejections[0]?.[0].reason.length ?? 0, status),
      ...empty(7),
    ]);
  });

  test("https in cleartext is served for a gateway", async () => {
    const { exchange, requests } = await openConnection({ isGateway: (address) => address === "127.0.0.1" });
    expect(await exchange(frame(HEADERS, 5, 1, fields({ ":scheme": "https" })))).toEqual(empty(1));
    expect(await exchange(frame(HEADERS, 5, 3, fields({ ":scheme": "ftp" })))).toEqual([
      "HEADERS 3 421",
      expect.stringMatching(/^DATA 3 \d+ END_STREAM$/),
    ]);
    expect(requests).toHaveLength(1);
  });

  test("their responses wait for the window as others do, and count for the concurrent streams", async () => {
    const { exchange, requests } = await openConnection({
      maxConcurrentStreams: 1,
      methods: new Set(["GET"]),
      formatRejection: ({ reason }) => ({ headers: [], body: reason }),
    });
    expect(await exchange(initialWindow(0), get(1, "/", "POST"), get(3))).toEqual([
      "SETTINGS ACK",
      "HEADERS 1 501",
      "RST_STREAM 3 REFUSED_STREAM",
    ]);
    expect([...(await exchange(update(1, 1000))), ...(await exchange(get(5)))]).toEqual([
      `DATA 1 ${"UNSUPPORTED_HTTP_METHOD".length} END_STREAM`,
      ...empty(5),
    ]);
    expect(requests).toHaveLength(1);
  });
});

describe("trailers of requests (RFC 9113, section 8.1)", () => {
  testFrames([
    ["without END_STREAM", [post(1), trailers(1, { a: "b" }, END_HEADERS)], resets(1)],
    ["with a pseudo-header", [post(1), trailers(1, { ":path": "/" })], resets(1)],
    ["with an upper-case name", [post(1), trailers(1, { A: "b" })], resets(1)],
    ["with a header of a connection", [post(1), trailers(1, { connection: "b" })], resets(1)],
  ]);

  test("are there once the body is", async () => {
    const { exchange, requests } = await openConnection();
    expect(await exchange(post(1), data(1, "body"), trailers(1, { a: "b", c: "d" }))).toEqual(response(1, 4));
    expect(requests[0]?.trailers?.list).toEqual(["a", "b", "c", "d"]);
  });
});

describe("GOAWAY (RFC 9113, section 6.8)", () => {
  test("streams after the last one of a shutdown are ignored, with all their frames", async () => {
    const { exchange, connection, requests } = await openConnection();
    await exchange(post(1));
    connection.close();
    expect(
      await exchange(
        ...[
          post(3),
          data(3, "x"),
          update(3, 5),
          reset(3),
          trailers(3, {}),
          data(5, "x"),
          update(7, 1),
          reset(9),
        ],
        ...[get(11), data(1, "y", END_STREAM)],
      ),
    ).toEqual(["GOAWAY 1 NO_ERROR", ...response(1, 1)]);
    expect(requests).toHaveLength(1);
  });

  test("an ignored block changes the table (section 4.3)", async () => {
    const { exchange, connection, requests } = await openConnection();
    await exchange(post(1));
    connection.close();
    await exchange(
      frame(HEADERS, 5, 3, Buffer.concat([requestBlock(), Buffer.from([0x40, 1, 0x61, 1, 0x62])])),
      frame(HEADERS, 5, 1, Buffer.from([0x80 | 62])),
    );
    expect(requests[0]?.trailers?.list).toEqual(["a", "b"]);
  });

  const announcement = [`GOAWAY ${2 ** 31 - 1} NO_ERROR`, "PING shutdown"];

  test("a shutdown announces itself, serves requests in transit, and then names the last one", async () => {
    const { exchange, connection, raw } = await openConnection();
    connection.shutDown(1000, false);
    expect(await exchange(get(1))).toEqual([...announcement, ...empty(1)]);
    connection.shutDown(1299, false);
    expect(await exchange(post(3), frame(PING, ACK, 0, Buffer.from("shutdown")))).toEqual([]);
    connection.shutDown(1300, true);
    connection.shutDown(1600, true);
    expect(await exchange(get(5))).toEqual(["GOAWAY 3 NO_ERROR"]);
    expect(await exchange(data(3, "x", END_STREAM))).toEqual(response(3, 1));
    await raw.closed;
  });

  test("a shutdown waits two seconds for a client that has not noticed it", async () => {
    const { exchange, connection, raw } = await openConnection();
    connection.shutDown(1000, false);
    connection.shutDown(1300, true);
    expect(await exchange(get(1), zeros(PING, 0, 8, ACK))).toEqual([...announcement, ...empty(1)]);
    connection.shutDown(2999, true);
    expect(await exchange(get(3))).toEqual(empty(3));
    connection.shutDown(3000, true);
    expect(await exchange()).toEqual(["GOAWAY 3 NO_ERROR"]);
    await raw.closed;
  });

  test("a client that announces its end gets its responses and the last stream", async () => {
    const { exchange, raw } = await openConnection();
    expect(await exchange(post(1), goaway(), data(1, "x", END_STREAM))).toEqual([
      "GOAWAY 1 NO_ERROR",
      ...response(1, 1),
    ]);
    await raw.closed;
  });

  test("a client that announces its end without a request is disconnected", async () => {
    const { exchange, raw } = await openConnection();
    expect(await exchange(get(1), goaway())).toEqual([...empty(1), "GOAWAY 1 NO_ERROR"]);
    await raw.closed;
  });
});

describe("the end of a connection", () => {
  test.each<readonly [string, (end: { destroy(): void; end(): void; resetAndDestroy(): void }) => void]>([
    ["a client that disconnects", (socket) => socket.destroy()],
    ["a client that closes its half", (socket) => socket.end()],
    ["a client that resets the connection", (socket) => socket.resetAndDestroy()],
  ])("%s closes all requests", async (_name, end) => {
    const { exchange, connection, raw, requests } = await openConnection();
    await exchange(get(1, "/never"), post(3));
    const closed = Promise.all(
      requests.map((request) => new Promise<void>((resolve) => request.onClose(resolve))),
    );
    end(raw.socket);
    await closed;
    expect(requests.map(({ isClosed }) => isClosed)).toEqual([true, true]);
    expect(requests.map((request) => request.respond(200, [], "late"))).toEqual([false, false]);
    expect(connection.streams.open).toBe(0);
    expect(connection.streams.values().length).toBe(0);
  });

  test("a connection error closes all requests", async () => {
    const { exchange, connection, requests } = await openConnection();
    expect(await exchange(get(1, "/never"), post(3), update(0, 0), get(5))).toEqual([
      "GOAWAY 3 PROTOCOL_ERROR",
    ]);
    expect(requests.map(({ isClosed }) => isClosed)).toEqual([true, true]);
    expect(connection.streams.open).toBe(0);
  });

  test("an error of the socket is not thrown", async () => {
    const { exchange, connection, requests } = await openConnection();
    await exchange(get(1, "/never"));
    connection.socket.destroy(new Error("broken"));
    await new Promise<void>((resolve) => requests[0]?.onClose(resolve));
    expect(connection.streams.values().length).toBe(0);
  });
});
