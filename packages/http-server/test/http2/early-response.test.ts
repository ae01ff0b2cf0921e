import { closeServersAfterAll, openServer } from "connect-transcoding-testing/open-server.js";
import {
  data,
  END_HEADERS,
  END_STREAM,
  FRAME,
  type Frame,
  frame,
  get,
  openRawHttp2,
  post,
} from "connect-transcoding-testing/raw-http2.js";
import { expect, onTestFinished, test, vi } from "vitest";

closeServersAfterAll();

const [NO_ERROR, PROTOCOL_ERROR, STREAM_CLOSED] = [0, 1, 5];

/** Sends a request without its end, and waits for the end of the response. */
async function openAnsweredStream() {
  const server = await openServer({ onRequest: (request) => request.respond(200, [], "done") });
  const raw = await openRawHttp2(server.port);
  raw.socket.write(post(1));
  await raw.next(({ stream, flags }) => stream === 1 && (flags & END_STREAM) !== 0);
  return raw;
}

/** Stops the time until the server resets a request that does not end: a busy machine would be late. */
function stopTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

const isReset = ({ type, stream }: Frame) => type === FRAME.RST_STREAM && stream === 1;
const codeOf = ({ payload }: Frame) => payload.readUInt32BE(payload.length - 4);

test("a request that does not end after its response is reset with NO_ERROR", async () => {
  const raw = await openAnsweredStream();
  raw.socket.write(data(1, "data"));
  expect(codeOf(await raw.next(isReset))).toBe(NO_ERROR);
  raw.socket.write(get(3));
  expect((await raw.next(({ stream }) => stream === 3)).type).toBe(FRAME.HEADERS);
  raw.socket.destroy();
});

test("a request that ends after its response closes its stream without a reset", async () => {
  stopTimers();
  const raw = await openAnsweredStream();
  raw.socket.write(data(1, "data", END_STREAM));
  // After a reset, it would be ignored.
  raw.socket.write(data(1, "data"));
  const goaway = await raw.next(({ type }) => type === FRAME.GOAWAY || type === FRAME.RST_STREAM);
  expect([goaway.type, goaway.payload.readUInt32BE(4)]).toEqual([FRAME.GOAWAY, STREAM_CLOSED]);
  await raw.closed;
});

test("a request that is malformed after its response is reset with PROTOCOL_ERROR", async () => {
  stopTimers();
  const raw = await openAnsweredStream();
  // Trailers must have END_STREAM (RFC 9113, section 8.1).
  raw.socket.write(frame(FRAME.HEADERS, END_HEADERS, 1));
  expect(codeOf(await raw.next(isReset))).toBe(PROTOCOL_ERROR);
  raw.socket.destroy();
});

test("clients may reset any number of requests after their responses", async () => {
  stopTimers();
  const raw = await openAnsweredStream();
  const code = Buffer.alloc(4);
  for (let stream = 1; stream < 4001; stream += 2) {
    raw.socket.write(post(stream + 2));
    raw.socket.write(frame(FRAME.RST_STREAM, 0, stream, code));
  }
  raw.socket.write(get(5001));
  const last = await raw.next(({ type, stream }) => type === FRAME.GOAWAY || stream === 5001);
  expect(last.type).toBe(FRAME.HEADERS);
  raw.socket.destroy();
});
