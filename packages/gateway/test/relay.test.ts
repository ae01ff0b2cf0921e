import { once } from "node:events";
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import { bytesOf, call, frameOf, gatewayToRaw, openCall, respond, responseOf } from "./support/raw.js";

/** Field 999, which no message has, and bytes that no decoder accepts. */
const UNKNOWN = frameOf(Buffer.from("\xba\x3e\x03abc", "latin1"));
const MALFORMED = frameOf(Buffer.from([0xff, 0xff, 0xff]));
const COMPRESSED = frameOf("not gzip", 1);

/** The methods of every kind, with the messages of a request. */
const KINDS: readonly [method: string, body: Buffer][] = [
  ["GetBook", UNKNOWN],
  ["CreateBook", MALFORMED],
  ["WatchBook", UNKNOWN],
  ["CollectBooks", Buffer.concat([UNKNOWN, MALFORMED, COMPRESSED])],
  ["ExchangeBooks", Buffer.concat([UNKNOWN, COMPRESSED, MALFORMED])],
];

/** Sends the body of the request back, with some metadata of the request. */
async function echo(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
  const body = await bytesOf(stream);
  const trailers = { "grpc-status": "0", "x-trailer": "end", "x-bytes-bin": "AAEC" };
  respond(stream, body, trailers, {
    "grpc-encoding": headers["grpc-encoding"] ?? "identity",
    "x-seen": `${headers["x-reader"]} ${headers["grpc-accept-encoding"]} ${headers["content-type"]}`,
  });
}

/** Ends a call with headers alone. */
function respondWith(stream: ServerHttp2Stream, status: Readonly<Record<string, string>>): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc", ...status }, { endStream: true });
}

/** Begins a response that ends without an error. */
function begin(stream: ServerHttp2Stream): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
}

describe("gRPC", () => {
  test.each(KINDS)("%s passes byte for byte with its metadata", async (method, body) => {
    const url = await gatewayToRaw(echo);
    const response = await call(url, method, body, {
      "x-reader": "Ada",
      "grpc-encoding": "gzip",
      "grpc-accept-encoding": "zstd,gzip",
    });
    expect(response.body).toEqual(body);
    expect(response.head).toMatchObject({
      ":status": 200,
      "grpc-encoding": "gzip",
      "x-seen": "Ada zstd,gzip application/grpc+proto",
    });
    expect(response.trailers).toMatchObject({
      "grpc-status": "0",
      "x-trailer": "end",
      "x-bytes-bin": "AAEC",
    });
  });

  const STATUS = {
    "grpc-status": "9",
    "grpc-message": "no %E2%80%9Cbook%E2%80%9D",
    "grpc-status-details-bin": "bm8gc3RhdHVz",
    "x-reason": "lost",
  };

  test.each(["GetBook", "WatchBook", "CollectBooks", "ExchangeBooks"])(
    "%s passes on an error without messages",
    async (method) => {
      const url = await gatewayToRaw((stream) => respondWith(stream, STATUS));
      const { head, body } = await call(url, method, UNKNOWN);
      expect(head).toMatchObject(STATUS);
      expect(body).toHaveLength(0);
    },
  );

  test.each(["WatchBook", "ExchangeBooks"])("%s passes on an error after messages", async (method) => {
    const url = await gatewayToRaw((stream) => respond(stream, MALFORMED, STATUS, { "x-head": "first" }));
    const { head, body, trailers } = await call(url, method, UNKNOWN);
    expect(head).toMatchObject({ "x-head": "first" });
    expect(body).toEqual(MALFORMED);
    expect(trailers).toMatchObject(STATUS);
  });

  test("passes on headers and an error", async () => {
    const url = await gatewayToRaw((stream) =>
      respond(stream, Buffer.alloc(0), STATUS, { "x-head": "first" }),
    );
    const { head, trailers } = await call(url, "GetBook", UNKNOWN);
    expect(head).toMatchObject({ "x-head": "first" });
    expect(trailers).toMatchObject(STATUS);
  });

  // grpc-go #1404, and https://github.com/grpc/proposal/blob/master/A6-client-retries.md
  test("passes on metadata that begins with grpc-, also over REST", async () => {
    const sent = { "grpc-trace-bin": "AAE", "grpc-tags-bin": "AAI", "grpc-previous-rpc-attempts": "1" };
    const received = { "grpc-retry-pushback-ms": "-1", "grpc-server-stats-bin": "AAM" };
    const seen: IncomingHttpHeaders[] = [];
    const url = await gatewayToRaw((stream, headers) => {
      seen.push(headers);
      stream.resume();
      respond(stream, Buffer.alloc(0), { ...STATUS, ...received });
    });
    const { trailers } = await call(url, "GetBook", UNKNOWN, sent);
    expect(trailers).toMatchObject(received);
    const { headers } = await fetch(`${url}/v1/shelves/1/books/2`, { headers: sent });
    expect(Object.fromEntries(headers)).toMatchObject(received);
    expect(seen).toEqual([expect.objectContaining(sent), expect.objectContaining(sent)]);
  });

  // https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-HTTP2.md#requests: padding is optional, and commas join values.
  test.each([
    ["AAEC", 200],
    ["AA==", 200],
    ["AA", 200],
    ["", 200],
    ["AAE=,AA", 200],
    ["AAE=, AA", 200],
    ["A", 400],
    ["AA=", 400],
    ["AAEC=", 400],
    ["%%%", 400],
    ["A_-A", 400],
    ["AA AA", 400],
    ["AAEC,%", 400],
  ])("binary metadata %j has the status %i over REST", async (value, status) => {
    let calls = 0;
    const url = await gatewayToRaw((stream) => {
      calls += 1;
      stream.resume();
      respond(stream, UNKNOWN, { "grpc-status": "0" });
    });
    const headers = { "x-a-bin": value };
    const code = status === 200 ? "0" : "3";
    for (const method of ["CreateBook", "CollectBooks"]) {
      const { head, trailers } = await call(url, method, UNKNOWN, headers);
      expect(trailers["grpc-status"] ?? head["grpc-status"]).toBe(code);
    }
    const type = { "content-type": "application/grpc-web" };
    const init = { method: "POST", headers: { ...headers, ...type }, body: UNKNOWN };
    const web = await fetch(`${url}/${ShelfService.typeName}/CreateBook`, init);
    expect(web.headers.get("grpc-status") ?? (await web.text())).toMatch(
      new RegExp(`^${code}$|grpc-status: ${code}`),
    );
    expect((await fetch(`${url}/v1/shelves/1/books/2`, { headers })).status).toBe(status);
    expect(calls).toBe(status === 200 ? 4 : 0);
  });

  test("exchanges messages while both sides send", async () => {
    const url = await gatewayToRaw((stream) => {
      begin(stream);
      stream.on("data", (bytes) => stream.write(bytes));
      stream.on("end", () => stream.end());
    });
    const stream = openCall(url, "ExchangeBooks");
    const received: Buffer[] = [];
    for (const content of ["first", "second"]) {
      stream.write(frameOf(content));
      const [part] = await once(stream, "data");
      received.push(part);
    }
    stream.end();
    stream.resume();
    const [trailers] = await once(stream, "trailers");
    expect(received).toEqual([frameOf("first"), frameOf("second")]);
    expect(trailers).toMatchObject({ "grpc-status": "0" });
  });

  test("ends the call of a client that disconnects", async () => {
    const resets: number[] = [];
    let calls = 0;
    const url = await gatewayToRaw((stream) => {
      calls += 1;
      stream.resume();
      stream.on("close", () => resets.push(stream.rstCode));
    });
    for (const method of ["GetBook", "ExchangeBooks"]) {
      const stream = openCall(url, method);
      stream.on("error", () => {});
      if (method === "GetBook") {
        stream.end(UNKNOWN);
      } else {
        stream.write(UNKNOWN);
      }
      await expect.poll(() => calls).toBe(resets.length + 1);
      stream.close(constants.NGHTTP2_CANCEL);
      await expect.poll(() => resets).toHaveLength(calls);
    }
    await expect.poll(() => resets).toEqual([constants.NGHTTP2_CANCEL, constants.NGHTTP2_CANCEL]);
  });

  test("ends a call at its deadline", async () => {
    const timeouts: unknown[] = [];
    const url = await gatewayToRaw((_stream, headers) => timeouts.push(headers["grpc-timeout"]));
    for (const method of ["GetBook", "ExchangeBooks"]) {
      const { head } = await call(url, method, UNKNOWN, { "grpc-timeout": "1000m" });
      expect(head["grpc-status"]).toBe("4");
    }
    expect(timeouts).toHaveLength(2);
    expect(timeouts.every((each) => /^(?:[1-9]\d{0,2}|1000)m$/.test(String(each)))).toBe(true);
  });

  // grpc #19383: at most eight digits, of seconds for more than 27 hours. Timers last 24.8 days.
  test.each([
    ["99999S", /^9999\d{4}m$/],
    ["100H", /^3(?:60000|59\d{3})S$/],
    ["99999999H", /^2147484S$/],
  ])("a timeout of %s is %s for the upstream", async (timeout, expected) => {
    const timeouts: unknown[] = [];
    const url = await gatewayToRaw((stream, headers) => {
      timeouts.push(headers["grpc-timeout"]);
      respond(stream, UNKNOWN, { "grpc-status": "0" });
    });
    const headers = { "grpc-timeout": timeout };
    expect((await call(url, "GetBook", UNKNOWN, headers)).trailers).toMatchObject({ "grpc-status": "0" });
    expect(timeouts).toEqual([expect.stringMatching(expected)]);
  });

  test("repeats calls without side effects", async () => {
    let calls = 0;
    const url = await gatewayToRaw((stream, headers) => {
      calls += 1;
      if (calls === 3) {
        void echo(stream, headers);
      } else {
        respondWith(stream, { "grpc-status": "14" });
      }
    });
    const { body, trailers } = await call(url, "GetBook", UNKNOWN);
    expect([calls, trailers["grpc-status"]]).toEqual([3, "0"]);
    expect(body).toEqual(UNKNOWN);
    calls = 0;
    expect((await call(url, "CreateBook", UNKNOWN)).head["grpc-status"]).toBe("14");
    expect(calls).toBe(1);
  });
});

describe("large messages", () => {
  test.each(["GetBook", "CollectBooks", "ExchangeBooks"])("%s passes", async (method) => {
    const url = await gatewayToRaw(echo);
    const body = frameOf(Buffer.alloc(3 * 1024 * 1024, "ab"));
    const response = await call(url, method, body);
    expect(response.body.equals(body)).toBe(true);
  });

  test.each(["GetBook", "CollectBooks", "ExchangeBooks"])(
    "%s ends with one over the limit",
    async (method) => {
      const url = await gatewayToRaw(echo, { maxRequestBytes: 1_000, maxResponseBytes: 500 });
      expect((await call(url, method, frameOf(Buffer.alloc(1_001)))).head["grpc-status"]).toBe("8");
      const { head, trailers } = await call(url, method, frameOf(Buffer.alloc(501)));
      expect(trailers["grpc-status"] ?? head["grpc-status"]).toBe("8");
      const passed = await call(url, method, frameOf(Buffer.alloc(500)));
      expect(passed.trailers["grpc-status"]).toBe("0");
    },
  );

  const FRAME = frameOf(Buffer.alloc(64 * 1024));
  const COUNT = 512;

  /** Sends many messages. Counts those that were sent before the other side had to read. */
  function senderOf() {
    let sent = 0;
    const sendAll = async (stream: Writable): Promise<void> => {
      for (; sent < COUNT; sent++) {
        if (!stream.write(FRAME)) {
          await once(stream, "drain");
        }
      }
      stream.end();
    };
    const expectStalled = async (): Promise<void> => {
      let before = -1;
      while (before !== sent) {
        before = sent;
        await wait(200);
      }
      expect(sent).toBeLessThan(COUNT / 2);
    };
    return { sendAll, expectStalled };
  }

  test("the upstream waits for a client that does not read", async () => {
    const { sendAll, expectStalled } = senderOf();
    const url = await gatewayToRaw((stream) => {
      begin(stream);
      void sendAll(stream);
    });
    const stream = openCall(url, "WatchBook");
    stream.end(UNKNOWN);
    await once(stream, "response");
    await expectStalled();
    const { body, trailers } = await responseOf(stream);
    expect(body).toHaveLength(COUNT * FRAME.length);
    expect(trailers["grpc-status"]).toBe("0");
  });

  test("a client waits for an upstream that does not read", async () => {
    const { sendAll, expectStalled } = senderOf();
    const upstreams: ServerHttp2Stream[] = [];
    const url = await gatewayToRaw((each) => upstreams.push(each));
    const stream = openCall(url, "CollectBooks");
    const sending = sendAll(stream);
    await expect.poll(() => upstreams, { timeout: 30_000 }).toHaveLength(1);
    await expectStalled();
    const [upstream] = upstreams as [ServerHttp2Stream];
    const body = await bytesOf(upstream);
    expect(body).toHaveLength(COUNT * FRAME.length);
    respond(upstream, UNKNOWN, { "grpc-status": "0" });
    await sending;
    expect((await responseOf(stream)).trailers["grpc-status"]).toBe("0");
  });
});

describe("gRPC-Web", () => {
  function post(url: string, method: string, body: Buffer, headers: Readonly<Record<string, string>> = {}) {
    return fetch(`${url}/${ShelfService.typeName}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/grpc-web+proto", "x-reader": "Ada", ...headers },
      body: new Uint8Array(body),
    });
  }

  test.each(["GetBook", "WatchBook", "CollectBooks"])("%s passes byte for byte", async (method) => {
    const url = await gatewayToRaw(echo);
    const response = await post(url, method, UNKNOWN);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "application/grpc-web+proto",
    ]);
    expect(response.headers.get("x-seen")).toContain("Ada");
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, UNKNOWN.length)).toEqual(UNKNOWN);
    const end = bytes.subarray(UNKNOWN.length);
    expect([end[0], end.readUInt32BE(1)]).toEqual([0x80, end.length - 5]);
    expect(end.subarray(5).toString("latin1").split("\r\n")).toEqual(
      expect.arrayContaining(["grpc-status: 0", "x-trailer: end", "x-bytes-bin: AAEC"]),
    );
  });

  const MESSAGE = frameOf("\x0a\x01a");
  test.each([
    ["a request", Buffer.from(MESSAGE.toString("base64")), { "content-type": "application/grpc-web-text" }],
    ["a response alone", MESSAGE, { accept: "application/grpc-web-text" }],
  ])("converts base64 of %s", async (_, body, headers) => {
    const url = await gatewayToRaw(echo);
    const response = await post(url, "GetBook", body, headers);
    const [message] = Buffer.from(await response.text(), "base64")
      .toString("latin1")
      .split("\x80");
    expect(message).toBe("\0\0\0\0\x03\x0a\x01a");
  });

  test.each([
    ["5", "no", "grpc-message: no"],
    ["5", "%C3%BC", "grpc-message: %C3%BC"],
    // Clients read trailers as UTF-8: this is ü in ISO 8859-1, and in UTF-8.
    ["5", "\xfc", "grpc-message: ü"],
    ["5", "\xc3\xbc", "grpc-message: ü"],
    ["x", "no", "grpc-message: the upstream server has sent the status x"],
  ])("passes on an error with the status %s and the message %j", async (status, message, expected) => {
    const error = { "grpc-status": status, "grpc-message": message };
    const url = await gatewayToRaw((stream) => respondWith(stream, error));
    const bytes = Buffer.from(await (await post(url, "GetBook", UNKNOWN)).arrayBuffer());
    expect([bytes[0], bytes.readUInt32BE(1), bytes.subarray(5).toString().split("\r\n").sort()]).toEqual([
      0x80,
      bytes.length - 5,
      ["", expected, `grpc-status: ${status === "x" ? 2 : status}`],
    ]);
  });
});
