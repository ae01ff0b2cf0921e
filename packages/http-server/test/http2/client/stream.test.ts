import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  settings,
  uint32,
} from "connect-transcoding-testing/raw-http2.js";
import { expect, test, vi } from "vitest";
import { head, openPeer } from "./test-peer.js";

const INITIAL_WINDOW_SIZE = 4;
const WINDOW = 65_535;
const WHOLE = END_HEADERS | END_STREAM;
const data = (flags: number, content: string | Buffer) => frame(FRAME.DATA, flags, 1, Buffer.from(content));
const credit = (stream: number, increment: number) =>
  frame(FRAME.WINDOW_UPDATE, 0, stream, uint32(increment));

test("data waits for the window of the stream, and for that of the connection", async () => {
  const { request, receive, sent } = await openPeer();
  const { stream, events } = request();
  expect(stream.write(Buffer.alloc(WINDOW + 10))).toBe(false);
  const frames = await sent("DATA 1 16383");
  expect(frames.slice(1)).toEqual(["DATA 1 16384", "DATA 1 16384", "DATA 1 16384", "DATA 1 16383"]);
  receive(credit(1, 4));
  receive(credit(0, 3));
  expect(await sent("DATA")).toEqual(["DATA 1 3"]);
  receive(credit(0, 100));
  expect(await sent("DATA")).toEqual(["DATA 1 1"]);
  expect(events).toEqual([]);
  receive(credit(1, 100));
  expect(await sent("DATA")).toEqual(["DATA 1 6"]);
  expect(events).toEqual(["drain"]);
  expect(stream.write(Buffer.alloc(1))).toBe(true);
  stream.end();
  expect(await sent("END_STREAM")).toEqual(["DATA 1 1", "DATA 1 0 END_STREAM"]);
});

test("what is written and ended during a stall follows it", async () => {
  const { request, receive, sent } = await openPeer();
  receive(frame(FRAME.SETTINGS, 0, 0, settings([INITIAL_WINDOW_SIZE, 0])));
  const { stream, events } = request();
  expect([stream.write(Buffer.from("ab")), stream.write(Buffer.from("cd"))]).toEqual([false, false]);
  stream.end(Buffer.from("e"));
  await sent("HEADERS 1");
  receive(credit(1, 3));
  expect(await sent("DATA")).toEqual(["DATA 1 3"]);
  receive(credit(1, 3));
  expect(await sent("DATA")).toEqual(["DATA 1 2 END_STREAM"]);
  expect(events).toEqual([]);
});

test("a smaller initial window can make that of a stream negative", async () => {
  const { request, receive, sent } = await openPeer();
  const { stream } = request();
  stream.write(Buffer.alloc(100));
  receive(frame(FRAME.SETTINGS, 0, 0, settings([INITIAL_WINDOW_SIZE, 50])));
  expect(stream.write(Buffer.alloc(10))).toBe(false);
  receive(credit(1, 50));
  receive(credit(1, 4));
  await sent("SETTINGS ACK");
  expect(await sent("DATA")).toEqual(["DATA 1 4"]);
  receive(frame(FRAME.SETTINGS, 0, 0, settings([INITIAL_WINDOW_SIZE, 56])));
  expect(await sent("DATA")).toEqual(["SETTINGS ACK", "DATA 1 6"]);
});

test("a response is read as far as its window during a pause", async () => {
  const { request, receive, sent } = await openPeer();
  const { stream, events } = request();
  stream.end();
  receive(head(1, END_HEADERS), data(0, "a"));
  stream.pause();
  receive(data(0, "b"), data(0, ""), data(0, "c"), frame(FRAME.HEADERS, WHOLE, 1, headerBlock({ t: "1" })));
  expect(events).toEqual(["head 200", "data a"]);
  stream.resume();
  expect(events).toEqual(["head 200", "data abc", "end t 1"]);
  await sent("DATA 1 0 END_STREAM");
});

test("the window opens as far as the response is read", async () => {
  const { request, receive, sent } = await openPeer();
  const { stream } = request();
  stream.end();
  await sent("END_STREAM");
  const half = Buffer.alloc(16_384);
  stream.pause();
  receive(head(1, END_HEADERS), data(0, half), data(0, half));
  stream.resume();
  expect(await sent("WINDOW_UPDATE")).toEqual(["WINDOW_UPDATE 1 32768"]);
});

test("parts below half of the window open it together", async () => {
  const { request, receive, sent } = await openPeer();
  request();
  receive(head(1, END_HEADERS), data(0, Buffer.alloc(16_384)), data(0, Buffer.alloc(16_384)));
  expect((await sent("WINDOW_UPDATE")).at(-1)).toBe("WINDOW_UPDATE 1 32768");
});

test("the connection's window opens also while a stream is not read", async () => {
  const { request, receive, sent } = await openPeer();
  const part = Buffer.alloc(16_384);
  for (let id = 1; id < 66; id += 2) {
    const { stream } = request();
    stream.pause();
    const sendPart = () => receive(frame(FRAME.DATA, 0, id, part));
    receive(head(id, END_HEADERS));
    sendPart();
    sendPart();
    sendPart();
  }
  for (let id = 67; id < 100; id += 2) {
    request().stream.pause();
    receive(head(id, END_HEADERS), frame(FRAME.DATA, 0, id, part), frame(FRAME.DATA, 0, id, part));
  }
  expect((await sent("WINDOW_UPDATE")).at(-1)).toBe("WINDOW_UPDATE 0 2097152");
});

test("more data than the window is an error", async () => {
  const { request, receive, sent } = await openPeer();
  const { stream, events } = request();
  stream.pause();
  receive(head(1, END_HEADERS), ...Array.from({ length: 4 }, () => data(0, Buffer.alloc(16_384))));
  expect(events).toEqual(["head 200", "close invalid it exceeds its window"]);
  expect((await sent("RST_STREAM")).at(-1)).toBe("RST_STREAM 1 FLOW_CONTROL_ERROR");
  stream.resume();
  expect(events).toHaveLength(2);
});

test("a response that ends before the request stops it", async () => {
  const { client, request, receive, sent } = await openPeer();
  const { stream, events } = request();
  expect(stream.write(Buffer.alloc(WINDOW + 1))).toBe(false);
  receive(head(1, WHOLE, { "grpc-status": "3" }));
  expect(events).toEqual(["head 200 grpc-status 3", "end"]);
  expect((await sent("RST_STREAM")).at(-1)).toBe("RST_STREAM 1 NO_ERROR");
  expect([client.open, client.sender.queued, stream.write(Buffer.alloc(1))]).toEqual([0, 0, true]);
});

const MALFORMED = ["close invalid its head is malformed"];

test.each<[name: string, bytes: Buffer, events: string[], code?: string]>([
  ["data before the head", data(0, "a"), ["close invalid it has no head"]],
  ["a head without a status", frame(FRAME.HEADERS, END_HEADERS, 1, headerBlock({ a: "b" })), MALFORMED],
  ["a head with an invalid status", head(1, END_HEADERS, { ":status": "20" }), MALFORMED],
  ["a pseudo-header of requests", head(1, END_HEADERS, { ":path": "/" }), MALFORMED],
  ["a header of HTTP/1", head(1, END_HEADERS, { connection: "close" }), MALFORMED],
  ["an interim response that ends", head(1, WHOLE, { ":status": "100" }), MALFORMED],
  [
    "trailers that do not end the response",
    Buffer.concat([head(1, END_HEADERS), head(1, END_HEADERS)]),
    ["head 200", "close invalid its trailers are malformed"],
  ],
  [
    "trailers with a status",
    Buffer.concat([head(1, END_HEADERS), head(1, WHOLE)]),
    ["head 200", "close invalid its trailers are malformed"],
  ],
  [
    "too many headers",
    head(1, WHOLE, Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`h${index}`, ""]))),
    ["close invalid its headers are too large"],
    "ENHANCE_YOUR_CALM",
  ],
  ["a WINDOW_UPDATE of 0", credit(1, 0), ["close invalid its window is invalid"], "FLOW_CONTROL_ERROR"],
  [
    "a window that is too large",
    credit(1, 2 ** 31 - 1),
    ["close invalid its window is invalid"],
    "FLOW_CONTROL_ERROR",
  ],
])("%s resets the stream", async (_, bytes, expected, code = "PROTOCOL_ERROR") => {
  const { client, request, receive, sent } = await openPeer();
  const { stream, events } = request();
  stream.end();
  receive(bytes);
  expect(events).toEqual(expected);
  expect((await sent("RST_STREAM")).at(-1)).toBe(`RST_STREAM 1 ${code}`);
  // Frames that were sent before the reset arrived are ignored.
  receive(data(0, "a"), head(1, WHOLE), frame(FRAME.RST_STREAM, 0, 1, uint32(8)), credit(1, 1));
  expect([events, client.open, client.hasRoom]).toEqual([expected, 0, true]);
});

test("headers of 64 KB are read, and larger ones are not", async () => {
  const { request, receive } = await openPeer();
  const send = (id: number, length: number) => {
    const block = headerBlock({ ":status": "200", a: "x".repeat(length) });
    for (let at = 0; at < block.length; at += 16_384) {
      const isLast = at + 16_384 >= block.length;
      const type = at === 0 ? FRAME.HEADERS : FRAME.CONTINUATION;
      receive(frame(type, isLast ? END_HEADERS : 0, id, block.subarray(at, at + 16_384)));
    }
  };
  const overhead = 2 * 32 + ":status200a".length;
  const [first, second] = [request(), request()];
  send(1, 65_536 - overhead);
  send(3, 65_536 - overhead + 1);
  expect(first.events[0]?.length).toBe("head 200 a ".length + 65_536 - overhead);
  expect(second.events).toEqual(["close invalid its headers are too large"]);
});

test("a reset ends the response", async () => {
  const { request, receive, client } = await openPeer();
  const { stream, events } = request();
  stream.write(Buffer.alloc(WINDOW + 1));
  receive(frame(FRAME.RST_STREAM, 0, 1, uint32(8)));
  expect([events, client.open, client.sender.queued]).toEqual([["close reset 8"], 0, 0]);
  stream.reset(8);
  expect(events).toHaveLength(1);
});

test("a stream that the client resets is silent", async () => {
  const { request, receive, sent, events: connection } = await openPeer();
  const { stream, events } = request();
  receive(head(1, END_HEADERS));
  stream.pause();
  receive(data(END_STREAM, "a"));
  stream.reset(8);
  stream.resume();
  receive(data(0, "b"));
  expect([events, connection]).toEqual([["head 200"], ["ready", "room"]]);
  await sent("RST_STREAM 1 NO_ERROR");
});

test("a listener can reset the stream", async () => {
  const { client, receive } = await openPeer();
  const calls: string[] = [];
  const listener = {
    onHead: () => calls.push("head"),
    onData: () => {
      calls.push("data");
      stream.reset(8);
    },
    onEnd: () => calls.push("end"),
    onClose: () => calls.push("close"),
    onDrain: vi.fn(),
  };
  const stream = client.request(new Uint8Array(), [], listener);
  receive(head(1, END_HEADERS), data(END_STREAM, "a"));
  expect(calls).toEqual(["head", "data"]);
});
