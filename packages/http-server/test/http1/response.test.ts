import { describe, expect, test } from "vitest";
import { ByteBudget } from "../../src/core/byte-budget.js";
import type { BodyWriter, HeaderList, ServerRequest } from "../../src/index.js";
import { connectTo, exchange, turns, useServers, withoutDate } from "../support/test-server.js";

const servers = useServers();
const { start } = servers;

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const HEAD = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n";
const K = "connection: keep-alive\r\n\r\n";

const never = (): void => {
  throw new Error("called");
};

type Response = [status: number, headers: HeaderList, body: string | Uint8Array | undefined];

test.each<[title: string, sent: string, response: Response, received: string]>([
  ["text", GET, [200, [], "abc"], `200 OK\r\ncontent-length: 3\r\n${K}abc`],
  ["text in UTF-8", GET, [200, [], "\u20ac"], `200 OK\r\ncontent-length: 3\r\n${K}\xe2\x82\xac`],
  ["bytes", GET, [200, [], Uint8Array.of(0, 255)], `200 OK\r\ncontent-length: 2\r\n${K}\0\xff`],
  ["no body", GET, [200, [], undefined], `200 OK\r\ncontent-length: 0\r\n${K}`],
  [
    "a length that is given",
    GET,
    [404, ["content-length", "3"], "abc"],
    `404 Not Found\r\ncontent-length: 3\r\n${K}abc`,
  ],
  [
    "headers in order",
    GET,
    [201, ["b", "1", "a", "\xe9\t"], ""],
    `201 Created\r\nb: 1\r\na: \xe9\t\r\ncontent-length: 0\r\n${K}`,
  ],
  ["an unknown status", GET, [299, [], ""], `299 \r\ncontent-length: 0\r\n${K}`],
  ["204", GET, [204, [], "abc"], `204 No Content\r\n${K}`],
  ["204 with a length (RFC 9110, 8.6)", GET, [204, ["content-length", "0"], ""], `204 No Content\r\n${K}`],
  ["304", GET, [304, ["etag", '"a"'], "abc"], `304 Not Modified\r\netag: "a"\r\n${K}`],
  [
    "304 with a length",
    GET,
    [304, ["content-length", "9"], ""],
    `304 Not Modified\r\ncontent-length: 9\r\n${K}`,
  ],
  ["HEAD", HEAD, [200, ["content-length", "3"], "abc"], `200 OK\r\ncontent-length: 3\r\n${K}`],
  ["HEAD without a length", HEAD, [200, [], undefined], `200 OK\r\n${K}`],
])("sends %s", async (_title, sent, [status, headers, body], received) => {
  const port = await start({ onRequest: (request) => request.respond(status, headers, body) });
  expect(withoutDate(await exchange(port, sent))).toBe(`HTTP/1.1 ${received}`);
});

test("adds the date", async () => {
  const port = await start({ onRequest: (request) => request.respond(200, [], "") });
  const before = Math.floor(Date.now() / 1000) * 1000;
  const received = await exchange(port, GET);
  const date = Date.parse(/\r\ndate: (.* GMT)\r\n/.exec(received)?.[1] ?? "");
  expect(date).toBeGreaterThanOrEqual(before - 1000);
  expect(date).toBeLessThanOrEqual(Date.now());
});

test("keeps a date that is given", async () => {
  const port = await start({ onRequest: (request) => request.respond(204, ["date", "today"], undefined) });
  expect(await exchange(port, GET)).toBe(`HTTP/1.1 204 No Content\r\ndate: today\r\n${K}`);
});

const INVALID_X = "Invalid character in the value of header x";
const invalidLength = (text: string) => `Invalid value of header content-length: "${text}"`;

test.each<[title: string, status: number, headers: HeaderList, message: string]>([
  ["a line break in a value", 200, ["x", "1\r\ny: 2"], INVALID_X],
  ["CR in a value", 200, ["x", "1\r"], INVALID_X],
  ["LF in a value", 200, ["x", "\n1"], INVALID_X],
  ["NUL in a value", 200, ["x", "\0"], INVALID_X],
  ["DEL in a value", 200, ["x", "\x7f"], INVALID_X],
  ["a character above ISO 8859-1 whose low byte is LF", 200, ["x", "\u010a"], INVALID_X],
  ["a line break in a date", 200, ["date", "\r\n"], "Invalid character in the value of header date"],
  ["a line break in a name", 200, ["x: 1\r\ny", ""], 'Invalid header name "x: 1\\r\\ny"'],
  ["an empty name", 200, ["", "1"], 'Invalid header name ""'],
  ["a name in upper case", 200, ["Transfer-Encoding", "x"], 'Invalid header name "Transfer-Encoding"'],
  ["a pseudo-header", 200, [":status", "200"], 'Invalid header name ":status"'],
  ["Transfer-Encoding", 200, ["transfer-encoding", "chunked"], 'Invalid header name "transfer-encoding"'],
  ["Connection", 200, ["connection", "close"], 'Invalid header name "connection"'],
  ["Upgrade", 200, ["upgrade", "h2c"], 'Invalid header name "upgrade"'],
  ["a wrong length", 200, ["content-length", "1"], invalidLength("1")],
  ["a length that is no number", 204, ["content-length", "x"], invalidLength("x")],
  ["two lengths", 200, ["content-length", "0", "content-length", "0"], invalidLength("0")],
  ["an informational status", 100, [], "Invalid status 100"],
  ["a status of four digits", 1000, [], "Invalid status 1000"],
  ["a status that is no number", Number.NaN, [], "Invalid status NaN"],
])("rejects %s, and sends nothing", async (_title, status, headers, message) => {
  const errors: unknown[] = [];
  const attempt = (send: () => void): void => {
    try {
      send();
    } catch (error) {
      errors.push(error);
    }
  };
  const port = await start({
    onRequest: (request) => {
      attempt(() => request.respond(status, headers, ""));
      request.respond(200, [], "ok");
    },
  });
  expect(withoutDate(await exchange(port, GET))).toBe(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n${K}ok`);
  expect(errors).toEqual([new TypeError(message)]);
});

test("sends one response", async () => {
  const results: boolean[] = [];
  const port = await start({
    onRequest: (request) => {
      expect([request.hasResponse, request.isClosed]).toEqual([false, false]);
      results.push(request.respond(200, [], "1"), request.respond(200, [], "2"));
      const late = request.openResponse(200, []);
      expect(late.write(Buffer.from("3"), never)).toBe(true);
      late.end(Buffer.from("4"), ["a", "b"]);
      expect([request.hasResponse, request.isClosed]).toEqual([true, true]);
    },
  });
  const client = await connectTo(port);
  client.write(GET + GET);
  const received = withoutDate(await client.until((text) => text.split("HTTP/1.1").length > 2));
  expect(received).toBe(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n${K}1`.repeat(2));
  expect(results).toEqual([true, false, true, false]);
});

test.each([
  ["text", "x".repeat(3_000_000), "x".repeat(3_000_000)],
  ["text in UTF-8", "\xe9".repeat(100_000), "\xc3\xa9".repeat(100_000)],
  ["bytes", Buffer.alloc(3_000_000, "y"), "y".repeat(3_000_000)],
  ["some bytes", Buffer.alloc(5_000, "y"), "y".repeat(5_000)],
])("sends long %s, then the next response", async (_title, body, received) => {
  const port = await start({
    onRequest: (request) => request.respond(200, [], request.target === "/" ? body : "next"),
  });
  const client = await connectTo(port);
  client.write(`${GET}GET /next HTTP/1.1\r\nHost: a\r\n\r\n`);
  // The client keeps its half open: the last response to one that has closed it says `close`.
  expect(withoutDate(await client.until((text) => text.endsWith("next")))).toBe(
    `HTTP/1.1 200 OK\r\ncontent-length: ${received.length}\r\n${K}${received}` +
      `HTTP/1.1 200 OK\r\ncontent-length: 4\r\n${K}next`,
  );
});

test("sends a long last response completely", async () => {
  const port = await start({
    onRequest: (request) => request.respond(200, [], Buffer.alloc(3_000_000, "y")),
    isStopping: () => true,
  });
  expect(withoutDate(await exchange(port, GET))).toBe(
    `HTTP/1.1 200 OK\r\ncontent-length: 3000000\r\nconnection: close\r\n\r\n${"y".repeat(3_000_000)}`,
  );
});

const CHUNKED = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n${K}`;

describe("trailers of a whole response", () => {
  test.each<[title: string, sent: string, body: string | Buffer | undefined, received: string]>([
    ["text", GET, "abc", `${CHUNKED}3\r\nabc\r\n0\r\na: b\r\n\r\n`],
    ["bytes", GET, Buffer.from("abc"), `${CHUNKED}3\r\nabc\r\n0\r\na: b\r\n\r\n`],
    ["nothing", GET, undefined, `${CHUNKED}0\r\na: b\r\n\r\n`],
    ["HEAD", HEAD, "abc", `HTTP/1.1 200 OK\r\n${K}`],
    [
      "HTTP/1.0, which has none",
      "GET / HTTP/1.0\r\n\r\n",
      "abc",
      "HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: close\r\n\r\nabc",
    ],
  ])("%s", async (_title, sent, body, received) => {
    const port = await start({ onRequest: (request) => request.respond(200, [], body, ["a", "b"]) });
    expect(withoutDate(await exchange(port, sent))).toBe(received);
  });
});

describe("openResponse", () => {
  test("sends parts as chunks, then the trailers; content-length is omitted", async () => {
    const port = await start({
      onRequest: async (request) => {
        const writer = request.openResponse(200, ["x", "1", "content-length", "9"]);
        expect(writer.write(Buffer.from("abc"), never)).toBe(true);
        await turns(5);
        writer.write(Buffer.from("d".repeat(20)), never);
        writer.write(new Uint8Array(), never);
        writer.end(Buffer.from("e"), ["y", "2", "z", ""]);
      },
    });
    const client = await connectTo(port);
    client.write(GET + GET);
    const one =
      `HTTP/1.1 200 OK\r\nx: 1\r\ntransfer-encoding: chunked\r\n${K}` +
      `3\r\nabc\r\n14\r\n${"d".repeat(20)}\r\n1\r\ne\r\n0\r\ny: 2\r\nz: \r\n\r\n`;
    await client.until((text) => withoutDate(text) === one + one);
  });

  test("sends the head before the body", async () => {
    const requests: ServerRequest[] = [];
    const port = await start({
      onRequest: (request) => {
        requests.push(request);
        request.openResponse(200, []);
      },
    });
    const client = await connectTo(port);
    client.write(GET);
    expect(withoutDate(await client.until((text) => text.includes("\r\n\r\n")))).toBe(CHUNKED);
    expect([requests[0]?.hasResponse, requests[0]?.isClosed]).toEqual([true, false]);
  });

  test.each<[title: string, sent: string, status: number, received: string]>([
    ["HEAD", HEAD, 200, `HTTP/1.1 200 OK\r\n${K}`],
    ["204", GET, 204, `HTTP/1.1 204 No Content\r\n${K}`],
    ["304", GET, 304, `HTTP/1.1 304 Not Modified\r\n${K}`],
  ])("sends no body for %s", async (_title, sent, status, received) => {
    const port = await start({
      onRequest: (request) => {
        const writer = request.openResponse(status, []);
        expect(writer.write(Buffer.from("abc"), never)).toBe(true);
        writer.end(Buffer.from("def"));
      },
    });
    const client = await connectTo(port);
    client.write(sent + sent);
    expect(withoutDate(await client.until((text) => text.split(K).length > 2))).toBe(received.repeat(2));
  });

  test("keeps content-length for HEAD", async () => {
    const port = await start({
      onRequest: (request) => request.openResponse(200, ["content-length", "9"]).end(),
    });
    expect(withoutDate(await exchange(port, HEAD))).toBe(`HTTP/1.1 200 OK\r\ncontent-length: 9\r\n${K}`);
  });

  test.each([
    ["", "close"],
    ["Connection: keep-alive\r\n", "close"],
  ])(
    "ends the body of a response over HTTP/1.0 by closing the connection (%j)",
    async (header, connection) => {
      const port = await start({
        onRequest: async (request) => {
          const writer = request.openResponse(200, ["content-length", "9"]);
          writer.write(Buffer.from("abc"), never);
          await turns(3);
          writer.end(Buffer.from("def"), ["a", "b"]);
        },
      });
      const client = await connectTo(port);
      const request = `GET / HTTP/1.0\r\n${header}\r\n`;
      client.write(request + request);
      expect(withoutDate(await client.ended)).toBe(
        `HTTP/1.1 200 OK\r\nconnection: ${connection}\r\n\r\nabcdef`,
      );
    },
  );

  test("divides long parts", async () => {
    const port = await start({
      onRequest: (request) => request.openResponse(200, []).end(Buffer.alloc(70_000, "d")),
    });
    const client = await connectTo(port);
    client.write(GET);
    const received = withoutDate(await client.until((text) => text.endsWith("\r\n0\r\n\r\n")));
    const rest = 70_000 - 65_536;
    const chunks = `10000\r\n${"d".repeat(65_536)}\r\n${rest.toString(16)}\r\n${"d".repeat(rest)}\r\n`;
    expect(received).toBe(`${CHUNKED}${chunks}0\r\n\r\n`);
  });

  test("calls back once the client has read enough, and its parts count until then", async () => {
    const budget = new ByteBudget(1_000_000_000);
    const state = { written: 0, isOver: false };
    const PARTS = 300;
    const port = await start({
      budget,
      onRequest: (request) => {
        const writer = request.openResponse(200, []);
        const next = (): void => {
          while (state.written < PARTS) {
            state.written += 1;
            if (!writer.write(Buffer.alloc(100_000, "x"), next)) {
              return;
            }
          }
          writer.end();
          state.isOver = true;
        };
        next();
      },
    });
    const client = await connectTo(port);
    client.socket.pause();
    client.write(GET);
    for (let before = -1; before !== state.written || before === 0; await turns(50)) {
      before = state.written;
    }
    expect(state.isOver).toBe(false);
    expect(state.written).toBeLessThan(PARTS);
    servers.server?.connections[0]?.check(0);
    expect(budget.used).toBeGreaterThan(10_000);
    expect(budget.used).toBeLessThan(2_000_000);
    let length = 0;
    client.socket.on("data", (chunk: Buffer) => {
      length += chunk.length;
    });
    client.socket.resume();
    await expect.poll(() => state.isOver, { timeout: 20_000 }).toBe(true);
    await expect.poll(() => length, { timeout: 20_000 }).toBeGreaterThan(PARTS * 100_000);
    await expect.poll(() => budget.used).toBe(0);
  });

  test.each(["without a part", "with a last part"])("may end %s while a part waits", async (how) => {
    const LENGTH = 20_000_000;
    const port = await start({
      onRequest: (request) => {
        if (request.target !== "/") {
          request.respond(200, [], "next");
          return;
        }
        const writer = request.openResponse(200, []);
        expect(writer.write(Buffer.alloc(LENGTH, "x"), () => {})).toBe(false);
        writer.end(how === "with a last part" ? Buffer.from("last") : undefined, ["a", "b"]);
        expect(request.isClosed).toBe(false);
      },
    });
    const client = await connectTo(port);
    client.socket.pause();
    client.write(`${GET}GET /next HTTP/1.1\r\nHost: a\r\n\r\n`);
    await turns(50);
    client.socket.resume();
    client.socket.end();
    const received = withoutDate(await client.ended);
    const [, response = "", next] = received.split("HTTP/1.1 200 OK\r\n");
    expect(response.match(/x+/g)?.join("")).toHaveLength(LENGTH);
    expect(response.includes("last")).toBe(how === "with a last part");
    expect(response.endsWith("\r\n0\r\na: b\r\n\r\n")).toBe(true);
    expect(next).toMatch(/next$/);
  });

  test("throws for an invalid header, and sends nothing", async () => {
    const port = await start({
      onRequest: (request) => {
        expect(() => request.openResponse(200, ["a", "\r"])).toThrow(TypeError);
        expect(() => request.openResponse(200, ["Connection", "close"])).toThrow(TypeError);
        request.respond(200, [], "ok");
      },
    });
    expect(withoutDate(await exchange(port, GET))).toBe(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n${K}ok`);
  });

  test.each<[title: string, trailers: HeaderList]>([
    ["a line break", ["a", "b\r\nc: d"]],
    ["content-length", ["content-length", "1"]],
    ["transfer-encoding", ["transfer-encoding", "chunked"]],
    ["a name in upper case", ["A", "b"]],
  ])("throws for a trailer that HTTP does not allow, and may still end: %s", async (_title, trailers) => {
    const port = await start({
      onRequest: (request) => {
        const writer = request.openResponse(200, []);
        expect(() => writer.end(Buffer.from("x"), trailers)).toThrow(TypeError);
        writer.end(Buffer.from("y"), ["a", "b"]);
      },
    });
    expect(withoutDate(await exchange(port, GET))).toBe(`${CHUNKED}1\r\ny\r\n0\r\na: b\r\n\r\n`);
  });

  test("closes the connection if the request is aborted before the end", async () => {
    const closed: boolean[] = [];
    const port = await start({
      onRequest: async (request) => {
        request.onClose(() => closed.push(request.isClosed));
        request.openResponse(200, []).write(Buffer.from("abc"), never);
        await turns(5);
        request.abort();
      },
    });
    const client = await connectTo(port);
    client.write(GET);
    expect(withoutDate(await client.ended)).toBe(`${CHUNKED}3\r\nabc\r\n`);
    expect(closed).toEqual([true]);
  });

  test("ignores parts after the client has disconnected", async () => {
    const closed: boolean[] = [];
    const writers: BodyWriter[] = [];
    const port = await start({
      onRequest: (request) => {
        request.onClose(() => closed.push(request.isClosed));
        const writer = request.openResponse(200, []);
        writers.push(writer);
        writer.write(Buffer.from("abc"), never);
      },
    });
    const client = await connectTo(port);
    client.write(GET);
    await client.until((text) => text.endsWith("abc\r\n"));
    client.socket.resetAndDestroy();
    await expect.poll(() => closed).toEqual([true]);
    expect(writers[0]?.write(Buffer.from("late"), never)).toBe(true);
    writers[0]?.end(Buffer.from("late"), ["a", "b"]);
  });
});

test.each(["end", "reset"] as const)("reports that the client has disconnected (%s)", async (how) => {
  const requests: ServerRequest[] = [];
  const closed: string[] = [];
  const port = await start({
    onRequest: (request) => {
      requests.push(request);
      request.onClose(() => closed.push("first"));
      request.onClose(() => closed.push("second"));
    },
  });
  const client = await connectTo(port);
  client.write(GET);
  await turns(10);
  const [socket] = servers.server?.sockets ?? [];
  if (how === "reset") {
    client.socket.resetAndDestroy();
  } else {
    client.socket.destroy();
    await new Promise((resolve) => socket?.once("end", resolve));
    servers.server?.connections[0]?.check(0);
    expect(closed).toEqual([]);
    servers.server?.connections[0]?.check(1_000);
  }
  if (socket?.destroyed !== true) {
    await new Promise((resolve) => socket?.once("close", resolve));
  }
  expect(closed).toEqual(["first", "second"]);
  expect(requests[0]?.respond(200, [], "")).toBe(false);
  requests[0]?.onClose(() => closed.push("third"));
  expect(closed).toEqual(["first", "second", "third"]);
});

test("aborts a request", async () => {
  const closed: boolean[] = [];
  const port = await start({
    onRequest: (request) => {
      request.onClose(() => closed.push(true));
      request.abort();
      closed.push(request.respond(200, [], ""));
    },
  });
  const client = await connectTo(port);
  client.write(GET + GET);
  expect(await client.ended).toBe("");
  expect(closed).toEqual([true, false]);
});
