import { setImmediate as turn } from "node:timers/promises";
import {
  ACK,
  data,
  END_STREAM,
  FRAME,
  frame,
  get,
  initialWindow,
  PREFACE,
  post,
  requestBlock,
  update,
} from "connect-transcoding-testing/raw-http2.js";
import { describe, expect, test } from "vitest";
import type { ConnectionOptions } from "../../src/options.js";
import {
  closeConnectionsAfterEach,
  type OpenConnection,
  openConnection,
  openSilent,
} from "./open-connection.js";

closeConnectionsAfterEach();

const { CONTINUATION, HEADERS, PING } = FRAME;

/** The timeouts of all tests, in milliseconds. */
const TIMES: Partial<ConnectionOptions> = {
  headersTimeout: 100,
  requestTimeout: 300,
  idleTimeout: 600,
  pingTimeout: 50,
};

const pong = frame(PING, ACK, 0, Buffer.alloc(8));

/** Writes bytes, and waits until the server has read them. */
async function write({ raw, connection }: OpenConnection, bytes: Uint8Array): Promise<void> {
  const expected = connection.socket.bytesRead + bytes.length;
  raw.socket.write(bytes);
  while (connection.socket.bytesRead < expected) {
    await turn();
  }
}

const isClosed = ({ connection }: OpenConnection) => connection.socket.destroyed;

describe("headersTimeout", () => {
  test.each<readonly [string, Uint8Array]>([
    ["nothing", Buffer.alloc(0)],
    ["half of the preface", PREFACE.subarray(0, 10)],
    ["a preface without SETTINGS", PREFACE.subarray(0, 24)],
  ])("closes a connection with %s", async (_name, bytes) => {
    const opened = await openSilent(TIMES);
    await write(opened, bytes);
    for (const [now, expected] of [
      [1000, false],
      [1099, false],
      [1100, true],
    ] as const) {
      opened.connection.check(now);
      expect(isClosed(opened)).toBe(expected);
    }
  });

  test.each<readonly [string, Uint8Array]>([
    ["a header section without its end", frame(HEADERS, END_STREAM, 1, requestBlock())],
    ["half of a HEADERS frame", get(1).subarray(0, 20)],
    ["half of a frame header", get(1).subarray(0, 2)],
  ])("closes a connection with %s", async (_name, bytes) => {
    const opened = await openConnection(TIMES);
    opened.connection.check(1000);
    await write(opened, bytes);
    for (const [now, expected] of [
      [1050, false],
      [1149, false],
      [1150, true],
    ] as const) {
      opened.connection.check(now);
      expect(isClosed(opened)).toBe(expected);
    }
  });

  test("is not extended by CONTINUATION frames", async () => {
    const opened = await openConnection(TIMES);
    await write(opened, frame(HEADERS, END_STREAM, 1, requestBlock()));
    for (const [now, expected] of [
      [1000, false],
      [1050, false],
      [1099, false],
      [1100, true],
    ] as const) {
      opened.connection.check(now);
      expect(isClosed(opened)).toBe(expected);
      opened.raw.socket.write(frame(CONTINUATION, 0, 1, Buffer.alloc(0)));
      await turn();
    }
  });

  test("concerns each frame, and not a busy connection that ends with part of another one at each check", async () => {
    const opened = await openConnection(TIMES);
    await write(opened, get(1).subarray(0, 20));
    for (let id = 1; id < 21; id += 2) {
      opened.connection.check(1000 + 40 * id);
      expect(isClosed(opened)).toBe(false);
      await write(opened, Buffer.concat([get(id).subarray(20), get(id + 2).subarray(0, 20)]));
    }
  });
});

describe("requestTimeout", () => {
  test("closes a connection with half of a DATA frame", async () => {
    const opened = await openConnection({ ...TIMES, isOpenEnded: () => true });
    await write(opened, post(1));
    opened.connection.check(1000);
    await write(opened, data(1, 100).subarray(0, 50));
    for (const [now, expected] of [
      [1010, false],
      [1309, false],
      [1310, true],
    ] as const) {
      opened.connection.check(now);
      expect(isClosed(opened)).toBe(expected);
    }
  });

  test("allows an open-ended upload whose frames are incomplete at each check", async () => {
    const opened = await openConnection({ ...TIMES, isOpenEnded: () => true });
    await write(opened, Buffer.concat([post(1), data(1, 100).subarray(0, 50)]));
    for (let now = 1000; now < 3000; now += 100) {
      opened.connection.check(now);
      expect(isClosed(opened)).toBe(false);
      await write(opened, Buffer.concat([data(1, 100).subarray(50), data(1, 100).subarray(0, 50)]));
    }
  });

  test("resets a request without its end, and no others", async () => {
    const opened = await openConnection({ ...TIMES, isOpenEnded: (target) => target === "/stream" });
    await opened.exchange(post(1), get(3, "/never"), post(5, "/stream"));
    opened.connection.check(1000);
    await opened.exchange(data(1, 1));
    opened.connection.check(1299);
    expect(await opened.exchange()).toEqual([]);
    opened.connection.check(1300);
    expect(await opened.exchange(get(7))).toEqual(["RST_STREAM 1 CANCEL", "HEADERS 7 200 END_STREAM"]);
    expect(opened.connection.streams.open).toBe(2);
  });

  test("resets a response whose window stays closed, or opens by less than 1,024 bytes", async () => {
    const opened = await openConnection(TIMES);
    await opened.exchange(initialWindow(0), post(1), data(1, 9000, END_STREAM));
    opened.connection.check(1000);
    await opened.exchange(update(1, 1023));
    opened.connection.check(1299);
    expect(opened.connection.streams.open).toBe(1);
    opened.connection.check(1300);
    expect(opened.connection.streams.open).toBe(0);
  });

  test("allows a response whose window opens slowly", async () => {
    const opened = await openConnection(TIMES);
    await opened.exchange(initialWindow(0), post(1), data(1, 9000, END_STREAM));
    for (const now of [1000, 1299, 1598, 1897]) {
      opened.connection.check(now);
      await opened.exchange(update(1, 1024));
    }
    expect(opened.connection.streams.open).toBe(1);
  });

  test("gives a response that waits for the connection's window four times as long", async () => {
    const opened = await openConnection(TIMES);
    const sent = Array.from({ length: 5 }, (_, index) => [
      post(2 * index + 1),
      data(2 * index + 1, 16_384, END_STREAM),
    ]);
    await opened.exchange(...sent.flat());
    expect(opened.connection.streams.open).toBe(2);
    opened.connection.check(1000);
    opened.connection.check(2199);
    expect(opened.connection.streams.open).toBe(2);
    opened.connection.check(2200);
    expect(opened.connection.streams.open).toBe(0);
  });

  test("closes a connection that does not read", async () => {
    const opened = await openConnection(TIMES);
    opened.raw.socket.pause();
    const { connection } = opened;
    const grow = Buffer.concat([initialWindow(2 ** 31 - 1), update(0, 2 ** 30)]);
    opened.raw.socket.write(Buffer.concat([grow, post(1), data(1, 0, END_STREAM)]));
    while (opened.requests.length === 0) {
      await turn();
    }
    // More than the operating system buffers.
    for (let id = 3; !connection.sender.isBlocked && id < 20_000; id += 2) {
      opened.raw.socket.write(Buffer.concat([post(id), data(id, 16_384), data(id, 16_384, END_STREAM)]));
      await turn();
    }
    expect(connection.sender.isBlocked).toBe(true);
    connection.check(1000);
    connection.check(1299);
    expect(isClosed(opened)).toBe(false);
    connection.check(1300);
    expect(isClosed(opened)).toBe(true);
  });
});

describe("idleTimeout", () => {
  test("ends a connection without a request, which PINGs do not extend", async () => {
    const opened = await openConnection(TIMES);
    opened.connection.check(1000);
    await opened.exchange();
    opened.connection.check(1599);
    expect(await opened.exchange()).toEqual([]);
    opened.connection.check(1600);
    expect(await opened.exchange()).toEqual(["GOAWAY 0 NO_ERROR"]);
  });

  test("begins with the end of the last request", async () => {
    const opened = await openConnection(TIMES);
    opened.connection.check(1000);
    await opened.exchange(get(1));
    expect(opened.connection.idleSince).toBeUndefined();
    opened.connection.check(1500);
    expect(opened.connection.idleSince).toBe(1500);
    opened.connection.check(2099);
    expect(await opened.exchange()).toEqual([]);
    opened.connection.check(2100);
    expect(await opened.exchange()).toEqual(["GOAWAY 1 NO_ERROR"]);
  });

  test("a connection with a request is not idle", async () => {
    const opened = await openConnection(TIMES);
    opened.connection.check(1000);
    await opened.exchange(get(1, "/never"));
    opened.connection.check(1599);
    expect(opened.connection.idleSince).toBeUndefined();
  });

  test("closes a connection that the client keeps open after its GOAWAY", async () => {
    const opened = await openConnection(TIMES);
    // This client never closes its half.
    opened.raw.socket.allowHalfOpen = true;
    opened.connection.close();
    opened.connection.check(1000);
    opened.connection.check(1049);
    expect(isClosed(opened)).toBe(false);
    opened.connection.check(1050);
    expect(isClosed(opened)).toBe(true);
  });
});

describe("pingTimeout", () => {
  test("closes a quiet connection with a request whose client does not acknowledge a PING", async () => {
    const opened = await openConnection(TIMES);
    await opened.exchange(get(1, "/never"));
    opened.connection.check(1000);
    opened.connection.check(1599);
    opened.connection.check(1600);
    expect((await opened.raw.next(({ type }) => type === PING)).flags).toBe(0);
    opened.connection.check(1649);
    expect(isClosed(opened)).toBe(false);
    opened.connection.check(1650);
    expect(isClosed(opened)).toBe(true);
  });

  test("keeps one whose client acknowledges it", async () => {
    const opened = await openConnection(TIMES);
    await opened.exchange(get(1, "/never"));
    opened.connection.check(1000);
    opened.connection.check(1600);
    await write(opened, pong);
    for (const now of [1650, 2249]) {
      opened.connection.check(now);
    }
    expect(isClosed(opened)).toBe(false);
    expect(opened.connection.streams.open).toBe(1);
  });
});
