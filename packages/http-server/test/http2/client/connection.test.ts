import {
  ACK,
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  settings,
  uint32,
} from "connect-transcoding-testing/raw-http2.js";
import { expect, test, vi } from "vitest";
import { head, openPeer, SETTINGS, startPeer } from "./test-peer.js";

const [MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE] = [3, 4, 5];
const WHOLE = END_HEADERS | END_STREAM;

/** The text of a body without its end in a message. */
const body = (length: number) => Buffer.alloc(length, "x");

test("the client begins with its settings, and takes requests after those of the server", async () => {
  const { client, receive, sent, events } = await startPeer();
  expect(await sent("WINDOW_UPDATE")).toEqual(["SETTINGS", "WINDOW_UPDATE 0 4128769"]);
  expect([client.hasRoom, events]).toEqual([false, []]);
  receive(SETTINGS);
  expect([client.hasRoom, events]).toEqual([true, ["ready"]]);
  expect(await sent("ACK")).toEqual(["SETTINGS ACK"]);
});

test("requests of one turn are one write", async () => {
  const { client, request, sent } = await openPeer();
  const write = vi.spyOn(client.socket, "write");
  request(["te", "trailers"]).stream.end(body(5));
  request().stream.end();
  const pseudo = ":method POST :scheme http :authority a :path /s/m";
  expect(await sent("DATA 3")).toEqual([
    `HEADERS 1 ${pseudo} te trailers`,
    "DATA 1 5 END_STREAM",
    `HEADERS 3 ${pseudo}`,
    "DATA 3 0 END_STREAM",
  ]);
  expect(write).toHaveBeenCalledTimes(1);
});

test("an invalid header sends nothing", async () => {
  const { request, sent } = await openPeer();
  expect(() => request(["x", "a\nb"])).toThrow(TypeError);
  expect(() => request(["connection", "close"])).toThrow(TypeError);
  expect(request().stream.id).toBe(1);
  expect(await sent("HEADERS")).toEqual(["HEADERS 1 :method POST :scheme http :authority a :path /s/m"]);
});

test("a response can be split at every byte", async () => {
  const { request, receive } = await openPeer();
  for (let cut = 0, length = 1; cut <= length; cut++) {
    const { stream, events } = request();
    stream.end();
    const { id } = stream;
    const block = headerBlock({ ":status": "200", a: "b" });
    const response = Buffer.concat([
      frame(FRAME.HEADERS, END_HEADERS, id, headerBlock({ ":status": "103" })),
      frame(FRAME.HEADERS, 0, id, block.subarray(0, 3)),
      frame(FRAME.CONTINUATION, 0, id, block.subarray(3, 4)),
      frame(FRAME.CONTINUATION, END_HEADERS, id, block.subarray(4)),
      frame(FRAME.DATA, 0, id, Buffer.from("hello")),
      frame(0x77, 0, id, Buffer.from("of an unknown type")),
      frame(FRAME.HEADERS, WHOLE, id, headerBlock({ "grpc-status": "0" })),
    ]);
    length = response.length;
    receive(response.subarray(0, cut));
    receive(response.subarray(cut));
    expect(events).toEqual(["head 200 a b", "data hello", "end grpc-status 0"]);
  }
});

test("padding and priorities are left out", async () => {
  const { request, receive } = await openPeer();
  const { stream, events } = request();
  stream.end();
  const block = headerBlock({ ":status": "200" });
  const padded = Buffer.concat([Buffer.from([3]), uint32(0), Buffer.from([9]), block, Buffer.alloc(3)]);
  receive(
    frame(FRAME.HEADERS, END_HEADERS | 0x8 | 0x20, 1, padded),
    frame(FRAME.DATA, 0x8 | END_STREAM, 1, Buffer.from("\x02ab\0\0", "latin1")),
  );
  expect(events).toEqual(["head 200", "data ab", "end"]);
});

test.each<[name: string, bytes: Buffer, code?: string]>([
  ["a longer frame than allowed", frame(FRAME.DATA, 0, 1, body(16_385)), "FRAME_SIZE_ERROR"],
  ["HEADERS of a stream that does not exist", head(3, WHOLE)],
  ["HEADERS of stream 0", head(0, WHOLE)],
  ["HEADERS of a stream of the server", head(2, WHOLE)],
  ["DATA of a stream that does not exist", frame(FRAME.DATA, 0, 3)],
  ["RST_STREAM of a stream that does not exist", frame(FRAME.RST_STREAM, 0, 3, uint32(8))],
  ["a short RST_STREAM", frame(FRAME.RST_STREAM, 0, 1, body(3)), "FRAME_SIZE_ERROR"],
  ["CONTINUATION without HEADERS", frame(FRAME.CONTINUATION, END_HEADERS, 1)],
  ["HEADERS that are not continued", Buffer.concat([head(1, 0), SETTINGS])],
  [
    "a CONTINUATION of another stream",
    Buffer.concat([head(1, 0), frame(FRAME.CONTINUATION, END_HEADERS, 3)]),
  ],
  [
    "a section of many frames",
    Buffer.concat([head(1, 0), ...Array.from({ length: 32 }, () => frame(FRAME.CONTINUATION, 0, 1))]),
    "ENHANCE_YOUR_CALM",
  ],
  [
    "a long section",
    Buffer.concat([
      head(1, 0),
      ...Array.from({ length: 9 }, () => frame(FRAME.CONTINUATION, 0, 1, body(16_384))),
    ]),
    "ENHANCE_YOUR_CALM",
  ],
  ["an invalid header block", frame(FRAME.HEADERS, WHOLE, 1, Buffer.from([0xff])), "COMPRESSION_ERROR"],
  ["padding of HEADERS beyond the frame", frame(FRAME.HEADERS, 0x8, 1, Buffer.from([1]))],
  ["padding of DATA beyond the frame", frame(FRAME.DATA, 0x8, 1, Buffer.from([1]))],
  ["padding that is missing", frame(FRAME.DATA, 0x8, 1)],
  ["PUSH_PROMISE", frame(FRAME.PUSH_PROMISE, END_HEADERS, 1, uint32(2))],
  ["SETTINGS on a stream", frame(FRAME.SETTINGS, 0, 1)],
  ["SETTINGS of a wrong length", frame(FRAME.SETTINGS, 0, 0, body(5)), "FRAME_SIZE_ERROR"],
  ["an ACK of SETTINGS with content", frame(FRAME.SETTINGS, ACK, 0, body(6)), "FRAME_SIZE_ERROR"],
  ["a small MAX_FRAME_SIZE", frame(FRAME.SETTINGS, 0, 0, settings([MAX_FRAME_SIZE, 16_383]))],
  [
    "a large INITIAL_WINDOW_SIZE",
    frame(FRAME.SETTINGS, 0, 0, settings([INITIAL_WINDOW_SIZE, 2 ** 31])),
    "FLOW_CONTROL_ERROR",
  ],
  ["PING on a stream", frame(FRAME.PING, 0, 1, body(8))],
  ["PING of a wrong length", frame(FRAME.PING, 0, 0, body(7)), "FRAME_SIZE_ERROR"],
  ["GOAWAY on a stream", frame(FRAME.GOAWAY, 0, 1, body(8))],
  ["a short GOAWAY", frame(FRAME.GOAWAY, 0, 0, body(7)), "FRAME_SIZE_ERROR"],
  ["a short WINDOW_UPDATE", frame(FRAME.WINDOW_UPDATE, 0, 0, body(3)), "FRAME_SIZE_ERROR"],
  ["a WINDOW_UPDATE of 0", frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(0)), "FLOW_CONTROL_ERROR"],
  ["a window that is too large", frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(2 ** 31 - 1)), "FLOW_CONTROL_ERROR"],
  ["WINDOW_UPDATE of a stream that does not exist", frame(FRAME.WINDOW_UPDATE, 0, 3, uint32(1))],
])("%s closes the connection", async (_, bytes, code = "PROTOCOL_ERROR") => {
  const { client, request, receive, sent, events } = await openPeer();
  const response = request();
  await sent("HEADERS 1");
  receive(bytes);
  expect(response.events).toEqual(["close closed"]);
  expect(await sent("GOAWAY")).toEqual([`GOAWAY 0 ${code}`]);
  await expect.poll(() => client.socket.closed).toBe(true);
  expect(client.hasRoom).toBe(false);
  expect(events.slice(0, 2)).toEqual(["ready", "retire"]);
  expect(events.at(-1)).toMatch(/^close [^u]/);
});

test("the first frame of a server is SETTINGS", async () => {
  const { receive, sent, events } = await startPeer();
  await sent("WINDOW_UPDATE");
  receive(frame(FRAME.PING, 0, 0, body(8)));
  expect(await sent("GOAWAY")).toEqual(["GOAWAY 0 PROTOCOL_ERROR"]);
  await expect.poll(() => events).toEqual(["retire", "close the first frame is not SETTINGS"]);
});

test("after GOAWAY, later requests are refused, and the others end", async () => {
  const { client, request, receive, events } = await openPeer();
  const [first, second] = [request(), request()];
  first.stream.end();
  receive(frame(FRAME.GOAWAY, 0, 0, Buffer.concat([uint32(1), uint32(0)])));
  expect([client.hasRoom, first.events, second.events]).toEqual([false, [], ["close refused"]]);
  receive(head(1, WHOLE));
  expect(first.events).toEqual(["head 200", "end"]);
  await expect.poll(() => events).toEqual(["ready", "retire", "room", "close undefined"]);
});

test("a GOAWAY without requests closes the connection", async () => {
  const { receive, events } = await openPeer();
  receive(frame(FRAME.GOAWAY, 0, 0, Buffer.concat([uint32(2 ** 31 - 1), uint32(0)])));
  await expect.poll(() => events).toEqual(["ready", "retire", "close undefined"]);
});

test("a connection that the server closes ends its requests", async () => {
  const { request, socket, events } = await openPeer();
  const response = request();
  socket.end();
  await expect.poll(() => response.events).toEqual(["close closed"]);
  expect(events).toEqual(["ready", "retire", "close undefined"]);
});

test("the server limits the requests in progress", async () => {
  const { client, request, receive, events } = await openPeer();
  receive(frame(FRAME.SETTINGS, 0, 0, settings([MAX_CONCURRENT_STREAMS, 1])));
  expect([client.hasRoom, events]).toEqual([true, ["ready", "room"]]);
  request().stream.end();
  expect(client.hasRoom).toBe(false);
  receive(head(1, WHOLE));
  expect([client.hasRoom, events]).toEqual([true, ["ready", "room", "room"]]);
});

test("a PING is answered", async () => {
  const { client, receive, sent } = await openPeer();
  receive(frame(FRAME.PING, 0, 0, Buffer.from("12345678")), frame(FRAME.PING, ACK, 0, body(8)));
  client.ping();
  expect(await sent("PING \0")).toEqual(["PING ACK 12345678", "PING \0\0\0\0\0\0\0\0"]);
});

test("a server that does not read makes the client keep little", async () => {
  const { client, socket, receive } = await openPeer();
  socket.pause();
  const pings = Buffer.concat(Array.from({ length: 4_000 }, () => frame(FRAME.PING, 0, 0, body(8))));
  let batches = 0;
  for (; !client.socket.isPaused(); batches += 1) {
    expect(batches).toBeLessThan(1_000);
    receive(pings);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(client.socket.writableLength).toBeLessThan(512 * 1024);
  socket.removeAllListeners("data");
  socket.resume();
  await expect.poll(() => client.socket.isPaused()).toBe(false);
});
