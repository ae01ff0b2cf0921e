import {
  data,
  END_STREAM,
  FRAME,
  get,
  initialWindow,
  post,
  reset,
  update,
} from "connect-transcoding-testing/raw-http2.js";
import { describe, expect, test } from "vitest";
import { ByteBudget } from "../../../src/core/byte-budget.js";
import type { BodyWriter, HeaderList, ServerRequest } from "../../../src/request.js";
import { readParts } from "../../support/read-parts.js";
import { closeConnectionsAfterEach, headersOf, openConnection } from "../open-connection.js";

closeConnectionsAfterEach();

const head = (id: number) => get(id, "/", "HEAD");

/** Opens a connection whose handler does nothing, and sends frames. */
async function openWith(...frames: readonly Uint8Array[]) {
  const opened = await openConnection({ onRequest: () => {} });
  expect((await opened.exchange(...frames)).filter((text) => text !== "SETTINGS ACK")).toEqual([]);
  const [first] = opened.requests;
  if (first === undefined) {
    throw new Error("there is a request");
  }
  return { ...opened, request: first };
}

const never = (): void => {
  throw new Error("called");
};

const bodyOf = (of: ServerRequest, limit: number) =>
  new Promise<string>((resolve) => of.readBody(limit, (body) => resolve(Buffer.from(body).toString())));

describe("respond", () => {
  type Case = readonly [string, (request: ServerRequest) => void, readonly string[]];
  test.each<Case>([
    ["a text", (to) => to.respond(200, [], "text"), ["HEADERS 1 200", "DATA 1 4 END_STREAM"]],
    ["a text in UTF-8", (to) => to.respond(200, [], "äö"), ["HEADERS 1 200", "DATA 1 4 END_STREAM"]],
    ["bytes", (to) => to.respond(404, [], Uint8Array.of(1, 2)), ["HEADERS 1 404", "DATA 1 2 END_STREAM"]],
    ["nothing", (to) => to.respond(200, [], undefined), ["HEADERS 1 200 END_STREAM"]],
    ["an empty text", (to) => to.respond(200, [], ""), ["HEADERS 1 200 END_STREAM"]],
    [
      "trailers",
      (to) => to.respond(200, [], "x", ["a", "b"]),
      ["HEADERS 1 200", "DATA 1 1", "HEADERS 1 trailers END_STREAM"],
    ],
    [
      "trailers alone",
      (to) => to.respond(200, [], "", ["a", "b"]),
      ["HEADERS 1 200", "HEADERS 1 trailers END_STREAM"],
    ],
    [
      "status 204 has no body (RFC 9110, section 15.3.5)",
      (to) => to.respond(204, [], "x"),
      ["HEADERS 1 204 END_STREAM"],
    ],
    [
      "status 304 has no body (RFC 9110, section 15.4.5)",
      (to) => to.respond(304, [], "x"),
      ["HEADERS 1 304 END_STREAM"],
    ],
    [
      "a text that is longer than a frame",
      (to) => to.respond(200, [], "x".repeat(40_000)),
      ["HEADERS 1 200", "DATA 1 16384", "DATA 1 16384", "DATA 1 7232 END_STREAM"],
    ],
    [
      "a text that is longer than a frame in UTF-8 only",
      (to) => to.respond(200, [], "€".repeat(5_462)),
      ["HEADERS 1 200", "DATA 1 16384", "DATA 1 2 END_STREAM"],
    ],
    [
      "trailers after a long body",
      (to) => to.respond(200, [], Buffer.alloc(16_385), ["a", "b"]),
      ["HEADERS 1 200", "DATA 1 16384", "DATA 1 1", "HEADERS 1 trailers END_STREAM"],
    ],
    [
      "headers that are longer than a frame (RFC 9113, section 6.10)",
      (to) => to.respond(200, ["a", "x".repeat(20_000)], undefined),
      ["HEADERS 1 incomplete END_STREAM", "CONTINUATION 1"],
    ],
    [
      "the second response is not sent",
      (to) => {
        expect([to.respond(200, [], "a"), to.respond(200, [], "b")]).toEqual([true, false]);
      },
      ["HEADERS 1 200", "DATA 1 1 END_STREAM"],
    ],
    ["abort", (to) => to.abort(), ["RST_STREAM 1 CANCEL"]],
    [
      "abort after the response",
      (to) => {
        to.respond(200, [], "a");
        to.abort();
      },
      ["HEADERS 1 200", "DATA 1 1 END_STREAM"],
    ],
  ])("%s", async (_name, act, expected) => {
    const { exchange, request: to } = await openWith(get(1));
    act(to);
    expect(await exchange()).toEqual(expected);
    expect(to.isClosed).toBe(true);
  });

  test("HEAD has no body (RFC 9110, section 9.3.2)", async () => {
    const { exchange, request: to } = await openWith(head(1));
    to.respond(200, ["content-length", "1"], "x");
    expect(await exchange()).toEqual(["HEADERS 1 200 END_STREAM"]);
  });

  test("a second response while the first one waits for the window is not sent", async () => {
    const { exchange, request: to } = await openWith(initialWindow(1), get(1));
    expect(to.respond(200, [], "abc")).toBe(true);
    expect([to.hasResponse, to.isClosed, to.respond(200, [], "d")]).toEqual([true, false, false]);
    expect(await exchange(update(1, 9))).toEqual(["HEADERS 1 200", "DATA 1 1", "DATA 1 2 END_STREAM"]);
  });

  test("trailers after a body that waits for the window", async () => {
    const { exchange, request: to } = await openWith(initialWindow(1), get(1));
    to.respond(200, [], "abc", ["a", "b"]);
    expect(await exchange(update(1, 2))).toEqual([
      ...["HEADERS 1 200", "DATA 1 1", "DATA 1 2", "HEADERS 1 trailers END_STREAM"],
    ]);
  });

  test.each<readonly [string, HeaderList, HeaderList | undefined]>([
    ["an upper-case name", ["Accept", "a"], undefined],
    ["a character beyond 0xff", ["a", "€"], undefined],
    ["a bad trailer", [], ["a", "b\0"]],
  ])("%s throws, and nothing is sent", async (_name, headers, trailers) => {
    for (const body of ["x", "x".repeat(50_000), Buffer.alloc(50_000), undefined]) {
      const { exchange, request: to } = await openWith(get(1));
      expect(() => to.respond(200, headers, body, trailers)).toThrow(TypeError);
      expect(to.hasResponse).toBe(false);
      expect(to.respond(500, [], undefined)).toBe(true);
      expect(await exchange()).toEqual(["HEADERS 1 500 END_STREAM"]);
    }
  });

  test("long responses do not enlarge the buffer that all connections share", async () => {
    const { exchange, request: to } = await openWith(get(1));
    to.respond(200, [], Buffer.alloc(1_000_000));
    await exchange();
    const { buffer } = await new Promise<Buffer>((resolve) => {
      const { socket } = to.connection;
      const write = socket.write.bind(socket);
      socket.write = (bytes: Buffer) => {
        resolve(bytes);
        return write(bytes);
      };
      void exchange();
    });
    expect(buffer.byteLength).toBe(65_536);
  });
});

describe("openResponse", () => {
  test("a body in parts", async () => {
    const { exchange, request: to } = await openWith(get(1));
    const writer = to.openResponse(200, ["a", "b"]);
    expect([to.hasResponse, to.isClosed]).toEqual([true, false]);
    expect(writer.write(Buffer.from("one"), never)).toBe(true);
    expect(await exchange()).toEqual(["HEADERS 1 200", "DATA 1 3"]);
    writer.end(Buffer.from("three"));
    expect(to.isClosed).toBe(true);
    expect(await exchange()).toEqual(["DATA 1 5 END_STREAM"]);
  });

  test("trailers", async () => {
    const { exchange, request: to } = await openWith(get(1));
    const writer = to.openResponse(200, []);
    writer.write(Buffer.from("one"), never);
    writer.end(undefined, ["a", "b"]);
    expect(await exchange()).toEqual(["HEADERS 1 200", "DATA 1 3", "HEADERS 1 trailers END_STREAM"]);
  });

  test("an end without a body", async () => {
    const { exchange, request: to } = await openWith(get(1));
    to.openResponse(200, []).end();
    expect(await exchange()).toEqual(["HEADERS 1 200", "DATA 1 0 END_STREAM"]);
  });

  test("calls back when the window has allowed a part", async () => {
    const { exchange, request: to } = await openWith(initialWindow(2), get(1));
    const writer = to.openResponse(200, []);
    const ready: string[] = [];
    expect(writer.write(Buffer.from("one"), () => ready.push("one"))).toBe(false);
    expect(await exchange()).toEqual(["HEADERS 1 200", "DATA 1 2"]);
    expect(ready).toEqual([]);
    expect(await exchange(update(1, 2))).toEqual(["DATA 1 1"]);
    expect(ready).toEqual(["one"]);
    expect(writer.write(Buffer.from("two"), () => ready.push("two"))).toBe(false);
    expect(await exchange(update(1, 9))).toEqual(["DATA 1 1", "DATA 1 2"]);
    expect(ready).toEqual(["one", "two"]);
    writer.end();
    expect(await exchange()).toEqual(["DATA 1 0 END_STREAM"]);
  });

  test.each<readonly [string, (writer: BodyWriter) => void, readonly string[]]>([
    ["without a part", (writer) => writer.end(), ["DATA 1 1 END_STREAM"]],
    ["with the last part", (writer) => writer.end(Buffer.from("last")), ["DATA 1 5 END_STREAM"]],
    [
      "with trailers",
      (writer) => writer.end(Buffer.from("last"), ["a", "b"]),
      ["DATA 1 5", "HEADERS 1 trailers END_STREAM"],
    ],
  ])("an end %s while a part waits for the window", async (_name, end, expected) => {
    const { exchange, request: to } = await openWith(initialWindow(2), get(1));
    const writer = to.openResponse(200, []);
    writer.write(Buffer.from("one"), () => {});
    end(writer);
    expect(await exchange()).toEqual(["HEADERS 1 200", "DATA 1 2"]);
    expect(await exchange(update(1, 9))).toEqual(expected);
    expect(to.isClosed).toBe(true);
  });

  test("a part that waits counts for the limit of all connections", async () => {
    const { connection, request: to } = await openWith(initialWindow(0), get(1));
    const writer = to.openResponse(200, []);
    writer.write(Buffer.alloc(1000), () => {});
    expect(connection.sender.queued).toBe(1000);
    writer.end(Buffer.alloc(10));
    expect(connection.sender.queued).toBe(1010);
    to.abort();
    expect(connection.sender.queued).toBe(0);
  });

  test.each<readonly [string, string, number]>([
    ["HEAD", "HEAD", 200],
    ["status 204", "GET", 204],
    ["status 304", "GET", 304],
  ])("%s has no body", async (_name, method, status) => {
    const { exchange, request: to } = await openWith(get(1, "/", method));
    const writer = to.openResponse(status, []);
    expect(writer.write(Buffer.from("body"), never)).toBe(true);
    writer.end(Buffer.from("body"));
    expect(await exchange()).toEqual([`HEADERS 1 ${status}`, "DATA 1 0 END_STREAM"]);
  });

  test.each<readonly [string, string, number, string | undefined]>([
    ["is omitted, because it may be wrong", "GET", 200, undefined],
    ["is sent for HEAD", "HEAD", 200, "9"],
    ["is sent for 304", "GET", 304, "9"],
  ])("content-length %s", async (_name, method, status, expected) => {
    const { raw, request: to } = await openWith(get(1, "/", method));
    to.openResponse(status, ["a", "b", "content-length", "9", "c", "d"]).end();
    const { payload } = await raw.next(({ type }) => type === FRAME.HEADERS);
    expect(headersOf(payload)?.slice(4)).toEqual([
      ...["a", "b"],
      ...(expected === undefined ? [] : ["content-length", expected]),
      ...["c", "d"],
    ]);
  });

  test("abort resets the stream", async () => {
    const { exchange, request: to } = await openWith(get(1));
    to.openResponse(200, []).write(Buffer.from("one"), never);
    to.abort();
    expect(await exchange()).toEqual(["HEADERS 1 200", "DATA 1 3", "RST_STREAM 1 CANCEL"]);
  });

  test("a reset by the client closes the request, and nothing more is sent", async () => {
    const { exchange, request: to } = await openWith(initialWindow(0), get(1));
    const writer = to.openResponse(200, []);
    writer.write(Buffer.from("waits"), never);
    expect(await exchange(reset(1))).toEqual(["HEADERS 1 200"]);
    expect(to.isClosed).toBe(true);
    expect(writer.write(Buffer.from("late"), never)).toBe(true);
    writer.end(Buffer.from("late"), ["a", "b"]);
    expect(await exchange()).toEqual([]);
  });

  test("nothing is sent after the end", async () => {
    const { exchange, request: to } = await openWith(initialWindow(1), get(1));
    const writer = to.openResponse(200, []);
    writer.end(Buffer.from("end"));
    expect(writer.write(Buffer.from("late"), never)).toBe(true);
    writer.end(Buffer.from("late"));
    expect([...(await exchange(update(1, 100))), ...(await exchange())]).toEqual([
      ...["HEADERS 1 200", "DATA 1 1", "DATA 1 2 END_STREAM"],
    ]);
  });

  test("an invalid header throws, and nothing is sent", async () => {
    const { exchange, request: to } = await openWith(get(1));
    expect(() => to.openResponse(200, ["a", "\r"])).toThrow(TypeError);
    expect(to.respond(500, [], undefined)).toBe(true);
    expect(await exchange()).toEqual(["HEADERS 1 500 END_STREAM"]);
  });

  test("an invalid trailer throws, and the response may still end", async () => {
    const { exchange, request: to } = await openWith(get(1));
    const writer = to.openResponse(200, []);
    expect(() => writer.end(Buffer.from("one"), ["a", "\r"])).toThrow(TypeError);
    writer.end(Buffer.from("two!"), ["a", "b"]);
    expect(await exchange()).toEqual(["HEADERS 1 200", "DATA 1 4", "HEADERS 1 trailers END_STREAM"]);
  });

  test.each<readonly [string, (writer: BodyWriter) => unknown]>([
    ["writes", (writer) => writer.write(Buffer.from("second"), never)],
    ["ends", (writer) => writer.end(Buffer.from("second"), ["a", "b"])],
  ])("after a response, one that %s changes nothing", async (_name, act) => {
    const { exchange, request: to } = await openWith(initialWindow(2), get(1));
    to.respond(200, [], "first");
    act(to.openResponse(200, []));
    expect(await exchange(update(1, 100))).toEqual(["HEADERS 1 200", "DATA 1 2", "DATA 1 3 END_STREAM"]);
  });

  test("on a closed request does nothing", async () => {
    const { exchange, request: to } = await openWith(get(1));
    await exchange(reset(1));
    const writer = to.openResponse(200, []);
    expect(writer.write(Buffer.from("late"), never)).toBe(true);
    writer.end();
    expect(await exchange()).toEqual([]);
  });
});

describe("readBody", () => {
  test.each<readonly [string, readonly Uint8Array[], string]>([
    ["no body", [get(1)], ""],
    ["a body that follows at once", [post(1), data(1, "body", END_STREAM)], "body"],
    [
      "a body in frames",
      [post(1), data(1, "bo"), data(1, ""), data(1, "dy"), data(1, "", END_STREAM)],
      "body",
    ],
  ])("%s", async (_name, frames, expected) => {
    expect(await bodyOf((await openWith(...frames)).request, 4)).toBe(expected);
  });

  test.each<readonly [string, readonly Uint8Array[]]>([
    ["follows at once", [post(1), data(1, "body!", END_STREAM)]],
    ["comes in frames", [post(1), data(1, "bod"), data(1, "y!")]],
    ["is announced", [post(1, "/", { "content-length": "5" })]],
  ])("a body beyond the limit that %s", async (_name, frames) => {
    expect(await bodyOf((await openWith(...frames)).request, 4)).toBe("too large");
  });

  test("what follows a rejected body is discarded up to a bound", async () => {
    const { exchange, request: to } = await openWith(post(1));
    to.readBody(5, () => {});
    const received: string[] = [];
    for (let sent = 0; sent <= 1024 * 1024; sent += 16_384) {
      received.push(...(await exchange(data(1, "x".repeat(16_384)))));
    }
    expect(received.filter((text) => text.startsWith("RST"))).toEqual([]);
    // The window is no longer enlarged.
    for (let sent = 0; sent <= 65_536; sent += 16_384) {
      received.push(...(await exchange(data(1, "x".repeat(16_384)))));
    }
    expect(received.filter((text) => text.startsWith("RST"))).toEqual(["RST_STREAM 1 FLOW_CONTROL_ERROR"]);
  });

  test("never calls back after the client has reset the stream", async () => {
    const { exchange, request: to } = await openWith(post(1), data(1, "body", END_STREAM));
    await exchange(reset(1));
    const bodies: unknown[] = [];
    to.readBody(10, (body) => bodies.push(body));
    expect(bodies).toEqual([]);
  });
});

describe("openBody", () => {
  test.each<readonly [string, readonly Uint8Array[], string]>([
    ["no body", [get(1)], ""],
    ["a body that follows at once", [post(1), data(1, "body", END_STREAM)], "body"],
    ["a body in frames", [post(1), data(1, "bo"), data(1, "dy"), data(1, "", END_STREAM)], "body"],
  ])("%s", async (_name, frames, expected) => {
    const body = readParts((await openWith(...frames)).request);
    expect([body.parts.join(""), body.isTaken()]).toEqual([expected, true]);
  });

  test("parts are there as soon as they have arrived, and then the end", async () => {
    const { exchange, request: to } = await openWith(post(1));
    const body = readParts(to);
    await exchange(data(1, "a"));
    expect(body.parts).toEqual(["a"]);
    await exchange(data(1, "b"), data(1, "c"));
    expect([body.parts.join(""), body.isTaken()]).toEqual(["abc", false]);
    await exchange(data(1, "", END_STREAM));
    expect(body.isTaken()).toBe(true);
  });

  test("the client sends no more than a window until parts are taken", async () => {
    const { exchange, request: to } = await openWith(post(1));
    const reader = to.openBody(() => {});
    const parts = [...Array(3).fill(data(1, "x".repeat(16_384))), data(1, "x".repeat(16_383))];
    expect(await exchange(...parts)).toEqual([]);
    expect(reader.take()?.length).toBe(65_535);
    expect(reader.take()).toBeUndefined();
    expect(await exchange()).toEqual(["WINDOW_UPDATE 1 65535"]);
  });

  test("parts count until they are taken, and as long as the handler retains them", async () => {
    const budget = new ByteBudget(1_000_000);
    const { exchange, connection, requests } = await openConnection({ budget, onRequest: () => {} });
    await exchange(post(1), data(1, "x".repeat(1000)));
    const own = budget.used - 1000;
    expect(own).toBeGreaterThanOrEqual(connection.streams.get(1)?.head.requestBytes ?? Number.NaN);
    const reader = requests[0]?.openBody(() => {});
    expect(budget.used).toBe(own + 1000);
    reader?.take();
    await exchange();
    expect(budget.used).toBe(own);
    reader?.retain(1000);
    expect(budget.used).toBe(own + 1000);
    await exchange(reset(1));
    expect(budget.used).toBeLessThan(1000);
  });

  test.each([
    ["an incomplete body", [post(1), data(1, "bo")], false],
    ["a complete body", [post(1), data(1, "bo"), data(1, "dy", END_STREAM)], true],
  ])("a reset by the client closes the request: %s", async (_name, frames, isTaken) => {
    const { exchange, request: to } = await openWith(...frames);
    let changes = 0;
    const reader = to.openBody(() => {
      changes += 1;
    });
    await exchange(reset(1));
    expect([to.isClosed, changes]).toEqual([true, 0]);
    expect(reader.take()?.length).toBe(isTaken ? 4 : undefined);
    expect(reader.isTaken).toBe(isTaken);
  });
});

describe("100-continue (RFC 9110, section 10.1.1)", () => {
  const expects = { expect: "100-continue" };

  test.each<readonly [string, (request: ServerRequest) => void]>([
    ["readBody", (to) => to.readBody(10, (body) => to.respond(200, [], Uint8Array.from(Buffer.from(body))))],
    ["openBody", (to) => void readParts(to, (text) => to.respond(200, [], text))],
  ])("%s sends it", async (_name, read) => {
    const { exchange, request: to } = await openWith(post(1, "/", expects));
    read(to);
    expect(await exchange()).toEqual(["HEADERS 1 100"]);
    const received = [...(await exchange(data(1, "body", END_STREAM))), ...(await exchange())];
    expect(received).toEqual(["HEADERS 1 200", "DATA 1 4 END_STREAM"]);
  });

  test("a body that is announced as too large is not asked for", async () => {
    const { exchange, request: to } = await openWith(post(1, "/", { ...expects, "content-length": "11" }));
    to.readBody(10, () => to.respond(413, [], undefined));
    expect(await exchange()).toEqual(["HEADERS 1 413 END_STREAM"]);
  });

  test.each<readonly [string, (request: ServerRequest) => void]>([
    ["readBody", (to) => to.readBody(10, () => {})],
    ["openBody", (to) => void to.openBody(() => {})],
  ])("%s does not send it on a stream that the client has reset", async (_name, read) => {
    const { exchange, request: to } = await openWith(post(1, "/", expects));
    await exchange(reset(1));
    read(to);
    expect(await exchange()).toEqual([]);
  });

  test("a body that has arrived in frames is not asked for", async () => {
    const { exchange, request: to } = await openWith(
      post(1, "/", expects),
      data(1, "bo"),
      data(1, "dy", END_STREAM),
    );
    expect(await bodyOf(to, 10)).toBe("body");
    expect(await exchange()).toEqual([]);
  });

  test("the response comes without it if nobody reads the body", async () => {
    const { exchange, request: to } = await openWith(post(1, "/", expects));
    to.respond(401, [], undefined);
    expect(await exchange()).toEqual(["HEADERS 1 401 END_STREAM"]);
  });
});

describe("onClose", () => {
  test("calls each listener once", async () => {
    const { exchange, request: to } = await openWith(get(1));
    const calls: number[] = [];
    for (const listener of [1, 2, 3]) {
      to.onClose(() => calls.push(listener));
    }
    await exchange(reset(1), reset(1));
    to.onClose(() => calls.push(4));
    expect(calls).toEqual([1, 2, 3, 4]);
  });
});
