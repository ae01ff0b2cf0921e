import { setImmediate as turn } from "node:timers/promises";
import {
  ACK,
  data,
  END_HEADERS,
  END_STREAM,
  FRAME,
  fieldBlock,
  frame,
  get,
  headerBlock,
  initialWindow,
  post,
  requestBlock,
  reset,
  settings,
  uint32,
  update,
} from "connect-transcoding-testing/raw-http2.js";
import { describe, expect, test } from "vitest";
import { ByteBudget } from "../../src/core/byte-budget.js";
import { HpackDecoder } from "../../src/http2/hpack/decoder.js";
import { RequestHead } from "../../src/http2/streams/request-head.js";
import type { ServerRequest } from "../../src/request.js";
import { closeConnectionsAfterEach, openConnection } from "./open-connection.js";

closeConnectionsAfterEach();

const { CONTINUATION, DATA, HEADERS, PING, PRIORITY, SETTINGS } = FRAME;

const grow = Buffer.concat([initialWindow(2 ** 31 - 1), update(0, 2 ** 30)]);
const repeat = (count: number, bytes: Uint8Array): Buffer => Buffer.concat(Array(count).fill(bytes));

/** The bytes that an open request counts for. */
const requestBytes = (method?: string): number => {
  const block = requestBlock(method);
  const decoded = new HpackDecoder({ maxHeaderBytes: 10_000, maxHeaderFields: 10 }).decode(
    block,
    0,
    block.length,
  );
  return decoded === undefined ? Number.NaN : new RequestHead(decoded).requestBytes;
};

/** What ends a flood. */
const goawayOf = (received: readonly string[]) => received.filter((text) => text.startsWith("GOAWAY"));

describe("streams that end with a reset (CVE-2023-44487, CVE-2025-8671)", () => {
  /** The limit of resets at once, and more than are allowed in the time of a test. */
  const [LIMIT, MANY] = [900, 2000];

  const cases: readonly (readonly [name: string, attack: (id: number) => Uint8Array])[] = [
    ["resets by the client", (id) => Buffer.concat([get(id, "/never"), reset(id)])],
    ["malformed requests", (id) => frame(HEADERS, 5, id, fieldBlock([["a", "b"]]))],
    [
      "header lists that are too large",
      (id) => frame(HEADERS, 5, id, Buffer.concat([requestBlock(), headerBlock({ a: "x".repeat(16_300) })])),
    ],
    ["a WINDOW_UPDATE of 0", (id) => Buffer.concat([get(id, "/never"), update(id, 0)])],
    ["a window that is too large", (id) => Buffer.concat([get(id, "/never"), update(id, 2 ** 31 - 1)])],
    ["DATA after the end", (id) => Buffer.concat([get(id, "/never"), data(id, 1)])],
    ["HEADERS after the end", (id) => Buffer.concat([get(id, "/never"), get(id)])],
    ["a PRIORITY of an invalid length", (id) => Buffer.concat([get(id, "/never"), frame(PRIORITY, 0, id)])],
    [
      "a PRIORITY that depends on itself",
      (id) =>
        Buffer.concat([
          get(id, "/never"),
          frame(PRIORITY, 0, id, Buffer.concat([uint32(id), Buffer.alloc(1)])),
        ]),
    ],
    [
      "a body that is longer than its content-length",
      (id) => Buffer.concat([post(id, "/never", { "content-length": "1" }), data(id, 2)]),
    ],
    [
      "a whole body that is shorter than its content-length",
      (id) => Buffer.concat([post(id, "/never", { "content-length": "9" }), data(id, 2, END_STREAM)]),
    ],
    [
      "malformed trailers",
      (id) => Buffer.concat([post(id, "/never"), frame(HEADERS, 5, id, headerBlock({ A: "b" }))]),
    ],
  ];
  test.each(cases)("%s", async (_name, attack) => {
    const { exchange, requests } = await openConnection();
    const received: string[] = [];
    for (let index = 0; index < MANY && goawayOf(received).length === 0; index += 100) {
      const ids = Array.from({ length: 100 }, (_, each) => 2 * (index + each) + 1);
      received.push(...(await exchange(...ids.map(attack))));
    }
    const [goaway] = goawayOf(received);
    expect(goaway).toMatch(/^GOAWAY \d+ NO_ERROR$/);
    const served = (Number(goaway?.split(" ")[1]) + 1) / 2;
    expect(served).toBeGreaterThan(LIMIT);
    expect(served).toBeLessThan(MANY);
    expect(requests.length).toBeLessThanOrEqual(served);
    expect(requests.every(({ isClosed }) => isClosed)).toBe(true);
  });

  test("refused streams", async () => {
    const { exchange } = await openConnection({ maxConcurrentStreams: 1 });
    const refused = Array.from({ length: MANY }, (_, index) => get(2 * index + 3, "/never"));
    const received = await exchange(get(1, "/never"), ...refused);
    expect(goawayOf(received)).toHaveLength(1);
    expect(received.filter((text) => text.endsWith("REFUSED_STREAM")).length).toBeLessThan(MANY);
  });

  // jetty #4714, dotnet/runtime #40249: a client may open many streams before it knows the limit.
  test("the bodies of refused streams are ignored", async () => {
    const { exchange } = await openConnection();
    const ids = Array.from({ length: 700 }, (_, index) => 2 * index + 1);
    const received = await exchange(
      ...ids.map((id) => post(id)),
      ...ids.map((id) => data(id, 1, END_STREAM)),
    );
    const count = (end: string) => received.filter((text) => text.endsWith(end)).length;
    expect([count("REFUSED_STREAM"), count("END_STREAM"), goawayOf(received)]).toEqual([600, 100, []]);
  });

  test("bodies beyond the window of their stream", async () => {
    const { exchange } = await openConnection();
    const received: string[] = [];
    const body = [16_384, 16_384, 16_384, 16_384];
    for (let index = 0; index < MANY && goawayOf(received).length === 0; index += 20) {
      const ids = Array.from({ length: 20 }, (_, each) => 2 * (index + each) + 1);
      received.push(
        ...(await exchange(
          ...ids.flatMap((id) => [post(id, "/never"), ...body.map((length) => data(id, length))]),
        )),
      );
    }
    expect(goawayOf(received)).toHaveLength(1);
    expect(received.filter((text) => text.endsWith("FLOW_CONTROL_ERROR")).length).toBeGreaterThan(LIMIT);
  });

  test("streams that have a response pay for as many resets", async () => {
    const { exchange } = await openConnection();
    const pairs = Array.from({ length: MANY }, (_, index) => [
      get(4 * index + 1),
      get(4 * index + 3, "/never"),
      reset(4 * index + 3),
    ]);
    expect(goawayOf(await exchange(...pairs.flat()))).toEqual([]);
  });
});

describe("frames that do nothing (CVE-2019-9512 and the following)", () => {
  const COUNT = 20_000;

  test.each<readonly [string, Uint8Array]>([
    ["PING", frame(PING, 0, 0, Buffer.alloc(8))],
    ["acknowledgements of PING", frame(PING, ACK, 0, Buffer.alloc(8))],
    ["SETTINGS", frame(SETTINGS, 0, 0)],
    ["acknowledgements of SETTINGS", frame(SETTINGS, ACK, 0)],
    ["empty DATA", data(1, 0)],
    ["padding alone", frame(DATA, 8, 1, Buffer.from([1, 0]))],
    ["PRIORITY", frame(PRIORITY, 0, 3, Buffer.alloc(5))],
    ["unknown frames", frame(99, 0, 0, Buffer.alloc(3))],
    ["RST_STREAM on a closed stream", reset(3)],
    ["WINDOW_UPDATE of 1 byte", update(0, 1)],
    ["WINDOW_UPDATE of 1 byte on a stream", update(1, 1)],
    ["WINDOW_UPDATE on a closed stream", update(3, 100_000)],
    ["DATA on a stream that was reset", data(5, 1)],
    ["HEADERS on a stream that was reset", frame(HEADERS, 5, 5)],
  ])("%s", async (_name, flood) => {
    const { exchange } = await openConnection();
    await exchange(post(1), get(3), get(5, "/never"), data(5, 1));
    const received = await exchange(repeat(COUNT, flood));
    expect(goawayOf(received)).toEqual(["GOAWAY 5 ENHANCE_YOUR_CALM"]);
    // At most one frame in response to each.
    expect(received.length).toBeLessThan(COUNT);
  });

  // mint #432, envoy #14924
  test("parts of a response pay for the WINDOW_UPDATE frames of both windows", async () => {
    const { exchange, requests } = await openConnection();
    await exchange(get(1, "/never"));
    const writer = requests[0]?.openResponse(200, []);
    const received: string[] = [];
    for (let sent = 0; sent < COUNT; sent += 200) {
      for (let part = 0; part < 100; part++) {
        writer?.write(Buffer.alloc(105), () => {});
      }
      received.push(...(await exchange(repeat(100, Buffer.concat([update(0, 105), update(1, 105)])))));
    }
    expect(goawayOf(received)).toEqual([]);
  });

  test("but not WINDOW_UPDATE of 1,024 bytes", async () => {
    const { exchange } = await openConnection();
    expect(goawayOf(await exchange(repeat(COUNT, update(0, 1024))))).toEqual([]);
  });

  test("many settings in few frames", async () => {
    const { exchange } = await openConnection();
    const full = frame(SETTINGS, 0, 0, settings(...Array(64).fill([4, 65_535])));
    expect(goawayOf(await exchange(repeat(400, full)))).toEqual(["GOAWAY 0 ENHANCE_YOUR_CALM"]);
  });

  test("requests after a GOAWAY", async () => {
    const { exchange, connection } = await openConnection();
    await exchange(get(1, "/never"));
    connection.close();
    const ignored = Array.from({ length: COUNT }, (_, index) => get(2 * index + 3));
    expect(goawayOf(await exchange(...ignored))).toEqual(["GOAWAY 1 NO_ERROR", "GOAWAY 1 ENHANCE_YOUR_CALM"]);
  });

  test("requests pay for a few, as clients of gRPC measure with PINGs", async () => {
    const { exchange } = await openConnection();
    const ping = frame(PING, 0, 0, Buffer.alloc(8));
    const sent = Array.from({ length: 5000 }, (_, index) =>
      Buffer.concat([ping, ping, ping, get(2 * index + 1)]),
    );
    expect(goawayOf(await exchange(...sent))).toEqual([]);
  });
});

describe("header sections", () => {
  test("a flood of empty CONTINUATION frames ends by their number", async () => {
    const { exchange } = await openConnection();
    const open = frame(HEADERS, END_STREAM, 1, requestBlock());
    expect(await exchange(open, repeat(32, frame(CONTINUATION, 0, 1)))).toEqual([
      "GOAWAY 0 ENHANCE_YOUR_CALM",
    ]);
  });

  test("an HPACK bomb is a request that is too large", async () => {
    const { exchange, requests } = await openConnection();
    // A field of 4,000 bytes in the table (RFC 7541, section 6.2.1), and then its index 16,000 times: 64 MB.
    const big = headerBlock({ a: "x".repeat(3900) });
    big[0] = 0x40;
    const first = frame(HEADERS, 5, 1, Buffer.concat([requestBlock(), big]));
    const bomb = frame(HEADERS, 5, 3, Buffer.concat([requestBlock(), Buffer.alloc(16_000, 0x80 | 62)]));
    expect(await exchange(first, bomb)).toEqual([
      "HEADERS 1 200 END_STREAM",
      "HEADERS 3 431",
      expect.stringMatching(/^DATA 3 \d+ END_STREAM$/),
    ]);
    expect(requests).toHaveLength(1);
  });
});

describe("memory", () => {
  test("a header section in CONTINUATION frames counts until its end", async () => {
    const budget = new ByteBudget(1_000_000);
    const { exchange, connection, raw } = await openConnection({ budget, onRequest: () => {} });
    const block = Buffer.concat([requestBlock(), headerBlock({ x: "y".repeat(9000) })]);
    raw.socket.write(frame(HEADERS, END_STREAM, 1, block.subarray(0, 4000)));
    await expect.poll(() => budget.used).toBe(4000);
    raw.socket.write(frame(CONTINUATION, 0, 1, block.subarray(4000, 8000)));
    await expect.poll(() => budget.used).toBe(8000);
    await exchange(frame(CONTINUATION, END_HEADERS, 1, block.subarray(8000)));
    expect(budget.used).toBe(connection.streams.get(1)?.head.requestBytes);
    await exchange(reset(1));
    expect(budget.used).toBe(0);
  });

  test("header sections without an end are limited over all connections", async () => {
    const budget = new ByteBudget(100_000);
    const opened = await openMany(20, budget, () => {});
    const open = frame(HEADERS, END_STREAM, 1, headerBlock({ x: "y".repeat(9000) }));
    for (const { raw } of opened) {
      raw.socket.write(open);
    }
    await expect.poll(() => opened.some(({ connection }) => connection.socket.destroyed)).toBe(true);
    expect(budget.used).toBeLessThanOrEqual(100_000);
    expect(opened.some(({ connection }) => !connection.socket.destroyed)).toBe(true);
  });

  /** Opens connections that share a budget. */
  const openMany = (count: number, budget: ByteBudget, onRequest: (request: ServerRequest) => void) =>
    Promise.all(Array.from({ length: count }, () => openConnection({ budget, onRequest })));

  test.each<readonly [string, (respond: () => void) => void]>([
    ["at once", (respond) => respond()],
    ["later", (respond) => void turn().then(respond)],
  ])("responses that clients do not read are limited over all connections: sent %s", async (_name, when) => {
    const budget = new ByteBudget(10_000_000);
    let most = 0;
    let responses = 0;
    const opened = await openMany(20, budget, (request) => {
      when(() => {
        responses++;
        request.respond(200, [], Buffer.alloc(1_000_000));
      });
    });
    const ids = [1, 3, 5, 7, 9];
    for (const { raw } of opened) {
      raw.socket.pause().write(Buffer.concat([grow, ...ids.map((id) => get(id))]));
    }
    while (responses < 100 && opened.some(({ connection }) => !connection.socket.destroyed)) {
      await turn();
      most = Math.max(most, budget.used);
    }
    const held = opened.map(({ connection: { sender, socket } }) =>
      socket.destroyed ? 0 : sender.queued + socket.writableLength,
    );
    expect(held.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(10_000_000);
    expect(opened.some(({ connection }) => connection.socket.destroyed)).toBe(true);
    expect(opened.some(({ connection }) => !connection.socket.destroyed)).toBe(true);
    expect(most).toBeLessThanOrEqual(10_000_000);
    expect(most).toBeGreaterThan(1_000_000);
  });

  test("bodies that nobody reads are limited over all connections", async () => {
    const budget = new ByteBudget(1_000_000);
    const opened = await openMany(10, budget, () => {});
    const sent = [1, 3, 5, 7].flatMap((id) => [post(id), ...Array(3).fill(data(id, 16_384))]);
    await Promise.all(opened.map(({ exchange }) => exchange(...sent)));
    expect(opened.filter(({ connection }) => connection.socket.destroyed)).not.toHaveLength(0);
    // Four requests of 49,152 bytes each.
    expect(opened.filter(({ connection }) => !connection.socket.destroyed)).toHaveLength(4);
    expect(budget.used).toBe(4 * 4 * (49_152 + requestBytes("POST")));
  });

  test("requests without a response count, with their bodies", async () => {
    const budget = new ByteBudget(1_000_000);
    const requests: ServerRequest[] = [];
    const { exchange, connection } = await openConnection({
      budget,
      onRequest: (request) => {
        requests.push(request);
        request.readBody(1000, () => {});
      },
    });
    await exchange(get(1), post(3), data(3, 500), data(3, 100, END_STREAM));
    // The buffer of the body has doubled for the second part.
    expect(budget.used).toBe(requestBytes() + requestBytes("POST") + 1000);
    expect(connection.isOverdrawn).toBe(false);
    for (const request of requests) {
      request.respond(200, [], undefined);
    }
    await exchange();
    expect(budget.used).toBe(0);
  });

  test("memory of handlers is limited over all connections, until their requests are closed", async () => {
    // Without time, the connection that holds the most is closed.
    const budget = new ByteBudget(1_000_000, () => 0);
    const requests: ServerRequest[] = [];
    const opened = await openMany(3, budget, (request) => {
      requests.push(request);
      request.holdMemory(100_000);
    });
    const [greedy, ...others] = opened;
    await Promise.all(others.map(({ exchange }) => exchange(get(1))));
    expect(budget.used).toBe(2 * (100_000 + requestBytes()));
    requests[0]?.respond(200, [], "done");
    requests[0]?.holdMemory(100_000);
    await others[0]?.exchange();
    expect(budget.used).toBe(100_000 + requestBytes());
    const ids = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
    await greedy?.exchange(...ids.map((id) => get(id)));
    expect(opened.map(({ connection }) => connection.socket.destroyed)).toEqual([true, false, false]);
    expect(budget.used).toBe(100_000 + requestBytes());
  });

  test("a connection whose client does not read is no longer read", async () => {
    const { raw, connection, requests } = await openConnection({
      onRequest: (request) => request.respond(200, [], Buffer.alloc(16_384)),
    });
    raw.socket.pause().write(grow);
    for (let id = 1; !connection.socket.isPaused() && id < 40_000; id += 2) {
      raw.socket.write(get(id));
      await turn();
    }
    expect(connection.socket.isPaused()).toBe(true);
    const before = requests.length;
    for (let id = 80_001; id < 80_101; id += 2) {
      raw.socket.write(get(id));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(requests.length).toBe(before);
    expect(connection.socket.writableLength).toBeLessThan(1_000_000);
    // It continues when the client reads.
    raw.socket.resume();
    while (requests.length < before + 50) {
      await turn();
    }
  });

  test("a response that the client does not read waits in the queue, not in the socket", async () => {
    const { raw, connection, requests } = await openConnection({
      onRequest: (request) => request.respond(200, [], Buffer.alloc(50_000_000)),
    });
    raw.socket.pause().write(Buffer.concat([grow, get(1)]));
    while (requests.length === 0) {
      await turn();
    }
    expect(connection.sender.isBlocked).toBe(true);
    expect(connection.sender.queued).toBeGreaterThan(40_000_000);
    // 256 KiB, and one buffer more.
    expect(connection.socket.writableLength).toBeLessThanOrEqual(320 * 1024);
  });

  test("output that waits for a client retains nothing of other clients' output", async () => {
    const { raw, connection, exchange } = await openConnection({
      onRequest: (request) => request.respond(200, [], Buffer.alloc(16_384)),
    });
    await exchange(grow);
    const parts: Buffer[] = [];
    const { socket } = connection;
    const write = socket.write.bind(socket);
    socket.write = (bytes: Buffer) => {
      if (socket.writableLength > 0) {
        parts.push(bytes);
      }
      return write(bytes);
    };
    raw.socket.pause();
    for (let id = 1; !connection.sender.isBlocked && id < 40_000; id += 2) {
      raw.socket.write(get(id));
      await turn();
    }
    expect(parts.length).toBeGreaterThan(0);
    expect(parts.filter((part) => part.buffer.byteLength > part.length)).toEqual([]);
  });

  test("a small body does not retain the input that it came with once it has been read", async () => {
    const { connection, exchange, requests } = await openConnection({
      onRequest: (request) => request.readBody(100, () => {}),
    });
    await exchange(post(1), data(1, 1, END_STREAM), repeat(100, frame(99, 0, 0, Buffer.alloc(500))));
    expect(requests).toHaveLength(1);
    expect(connection.streams.get(1)?.wholeBody).toBeUndefined();
  });
});

test("enlarged windows resume waiting responses once per chunk", async () => {
  const { exchange, connection } = await openConnection({
    onRequest: (request) => request.respond(200, [], Buffer.alloc(100)),
  });
  await exchange(initialWindow(0), ...[1, 3, 5].map((id) => get(id)));
  expect(connection.sender.queued).toBe(300);
  let lookups = 0;
  for (const stream of connection.streams.values()) {
    const { outgoing } = stream;
    Object.defineProperty(stream, "outgoing", {
      get: () => {
        lookups += 1;
        return outgoing;
      },
      set: () => {},
    });
  }
  await exchange(repeat(1000, update(0, 1024)));
  // One chunk of the operating system, or some more.
  expect(lookups).toBeLessThan(100);
});

describe("turns", () => {
  test("a connection with slow requests in one chunk lets others in between", async () => {
    let served = 0;
    const { raw } = await openConnection({
      onRequest: (request) => {
        const end = performance.now() + 2;
        while (performance.now() < end) {}
        served++;
        request.respond(200, [], undefined);
      },
    });
    const most = { perTurn: 0 };
    raw.socket.write(Buffer.concat(Array.from({ length: 100 }, (_, index) => get(2 * index + 1))));
    for (let before = 0; served < 100; before = served) {
      await turn();
      most.perTurn = Math.max(most.perTurn, served - before);
    }
    // The longest turn, 20 ms after a long wait, and the request that begins at its end.
    expect(most.perTurn).toBeLessThanOrEqual(11);
  });

  test("connections with slow requests share a turn", async () => {
    let served = 0;
    const onRequest = (request: ServerRequest): void => {
      const end = performance.now() + 1;
      while (performance.now() < end) {}
      served++;
      request.respond(200, [], undefined);
    };
    const opened = await Promise.all(Array.from({ length: 20 }, () => openConnection({ onRequest })));
    for (const { raw } of opened) {
      raw.socket.write(Buffer.concat(Array.from({ length: 20 }, (_, index) => get(2 * index + 1))));
    }
    let most = 0;
    for (let before = 0; served < 400; before = served) {
      await turn();
      most = Math.max(most, served - before);
    }
    // Without sharing, each connection has 5 requests or more. The clock is read after every second request.
    expect(most).toBeLessThanOrEqual(60);
  });

  test("a connection that fails at the end of its turn still reads, so that the client gets the reason", async () => {
    const { raw, connection } = await openConnection({
      onRequest: () => {
        const end = performance.now() + 6;
        while (performance.now() < end) {}
      },
    });
    raw.socket.write(Buffer.concat([get(1), get(0)]));
    await raw.next(({ type }) => type === FRAME.GOAWAY);
    expect(connection.socket.isPaused()).toBe(false);
  });
});
