import { describe, expect, test } from "vitest";
import { closeListenersAfterEach, openListener } from "./open-listener.js";
import {
  ACK,
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  openRawHttp2,
  type RawHttp2,
  requestBlock,
} from "./raw-http2.js";

closeListenersAfterEach();

/** Connections are checked every 50 ms; only timeouts of requests are short. */
const LONG = 60_000;
const TIMES = { headersTimeout: 400, requestTimeout: 400, idleTimeout: LONG, pingTimeout: LONG };

const PROTOCOL_ERROR = 1;
const FRAME_SIZE_ERROR = 6;
const COMPRESSION_ERROR = 9;

async function open(): Promise<RawHttp2> {
  const { address } = await openListener(TIMES);
  return await openRawHttp2(address.port);
}

/** Connection errors (RFC 9113, sections 5.1, 6.10, 4.2 and 4.3), and the code of the GOAWAY. */
const BREAKING: readonly [name: string, bytes: Buffer, code: number][] = [
  ["a CONTINUATION that continues nothing", frame(FRAME.CONTINUATION, 0, 3), PROTOCOL_ERROR],
  ["DATA of a stream that is not open", frame(FRAME.DATA, END_STREAM, 5, Buffer.from("x")), PROTOCOL_ERROR],
  ["a frame that is too long", Buffer.from("7fffff000000000001", "hex"), FRAME_SIZE_ERROR],
  [
    "headers that cannot be decompressed",
    frame(FRAME.HEADERS, END_STREAM | END_HEADERS, 1, Buffer.from("ff", "hex")),
    COMPRESSION_ERROR,
  ],
];

describe("a connection with a connection error", () => {
  test.each(BREAKING)("is closed after %s", async (_name, bytes, code) => {
    const raw = await open();
    raw.socket.write(bytes);
    const { payload } = await raw.next(({ type }) => type === FRAME.GOAWAY);
    expect(payload.readUInt32BE(4)).toBe(code);
    await raw.closed;
  });

  test("is closed even if a stream has no response yet", async () => {
    const raw = await open();
    raw.socket.write(frame(FRAME.HEADERS, END_STREAM | END_HEADERS, 1, requestBlock("GET", "/never")));
    raw.socket.write(frame(FRAME.CONTINUATION, 0, 3));
    await raw.next(({ type }) => type === FRAME.GOAWAY);
    await raw.closed;
  });
});

test("a connection without an error stays open", async () => {
  const raw = await open();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const opaque = Buffer.from("12345678");
  raw.socket.write(frame(FRAME.PING, 0, 0, opaque));
  const { payload } = await raw.next(({ type, flags }) => type === FRAME.PING && flags === ACK);
  expect(payload).toEqual(opaque);
});
