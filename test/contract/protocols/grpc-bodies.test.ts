import { once } from "node:events";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import {
  GeoIpService,
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { baseUrlKey, clientAddressKey } from "connect-transcoding";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTool } from "../../../src/tools/tool.js";
import { callStream, framed, type GrpcStream, openStream, statusOf } from "../support/grpc-stream.js";
import { OTHER_METHODS, useServer } from "../support/serve.js";

const PATH = "/utilitytools.v1.GeoIpService/LookupIp";
const calls: HandlerContext[] = [];
/** Resolves to the abort reason of the waiting call. */
let ended: Promise<unknown> = Promise.resolve();

const server = useServer({
  tools: [
    createTool(GeoIpService, {
      ...OTHER_METHODS,
      lookupIp: ({ ipAddress }, context) => {
        calls.push(context);
        if (ipAddress === "metadata") {
          context.responseHeader.append("X-Header", "one");
          context.responseHeader.append("x-header", "two");
          context.responseTrailer.append("x-trailer-bin", "AAEC");
          return { ip: context.requestHeader.get("x-in") ?? "" };
        }
        if (ipAddress === "wait" || ipAddress === "never") {
          ended = new Promise((resolve) => {
            context.signal.addEventListener("abort", () => resolve(context.signal.reason));
          });
          return ipAddress === "never" ? new Promise(() => {}) : ended.then(() => ({}));
        }
        return { ip: ipAddress };
      },
    }),
  ],
});

let session: ClientHttp2Session;
// One session per test, since nghttp2 ends a session with many resets.
beforeEach(() => {
  session = connect(server.url);
});

const message = (ipAddress: string) =>
  toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress }));
const GOOD = framed(message("8.8.8.8"));
const ipOf = ({ body }: GrpcStream) => fromBinary(LookupIpResponseSchema, body.subarray(5)).ip;

afterEach(async () => {
  const stream = await callStream(session, PATH, [GOOD]);
  expect([statusOf(stream), ipOf(stream), server.bugs]).toEqual([0, "8.8.8.8", []]);
  session.close();
});

describe("a request in pieces", () => {
  test.each([1, 2, 5, 6])("of %i bytes is one message", async (size) => {
    const pieces = Array.from({ length: Math.ceil(GOOD.length / size) }, (_, index) =>
      GOOD.subarray(index * size, (index + 1) * size),
    );
    const stream = await callStream(session, PATH, pieces);
    expect([stream.headers[":status"], statusOf(stream), ipOf(stream)]).toEqual([200, 0, "8.8.8.8"]);
    expect(stream.trailers).toEqual(expect.objectContaining({ "grpc-status": "0" }));
  });

  test("may have an empty message", async () => {
    expect(ipOf(await callStream(session, PATH, [framed(new Uint8Array())]))).toBe("");
  });

  test("may end with trailers, which are ignored", async () => {
    const stream = await callStream(session, PATH, [GOOD], {}, { "x-end": "1", "grpc-status": "13" });
    expect([statusOf(stream), ipOf(stream)]).toEqual([0, "8.8.8.8"]);
  });
});

type ExpectedError = readonly [name: string, pieces: Uint8Array[], status: number, text: string];

const NONE = "the method takes exactly one message; the request has none";
const EXTRA = "the method takes exactly one message; the request has several";
const INCOMPLETE = "the body ends within a message";
const TOO_LARGE = "the message is too large; allowed: 65536 bytes";

// The same statuses as from connect-node.
const REJECTIONS: readonly ExpectedError[] = [
  ["no message", [], 12, NONE],
  ["a part of a prefix", [GOOD.subarray(0, 3)], 3, INCOMPLETE],
  ["a prefix alone", [GOOD.subarray(0, 5)], 3, INCOMPLETE],
  ["half a message", [GOOD.subarray(0, 9)], 3, INCOMPLETE],
  ["two messages", [GOOD, GOOD], 12, EXTRA],
  ["a message and a half", [GOOD, GOOD.subarray(0, 3)], 12, EXTRA],
  [
    "a compressed message without an encoding",
    [framed(message("8.8.8.8"), { flags: 1 })],
    13,
    "the message is compressed, but no header names the encoding",
  ],
  [
    "an invalid message",
    [framed(Buffer.from([0xff, 0xff]))],
    3,
    "the message is not in the binary format of its type",
  ],
  ["a length of 4 GiB", [framed(message("8.8.8.8"), { length: 0xffff_ffff })], 8, TOO_LARGE],
  ["a length one over the limit", [framed(Buffer.alloc(65_537))], 8, TOO_LARGE],
  ["a long body", [framed(Buffer.alloc(400_000))], 8, TOO_LARGE],
];

describe("rejected in a single header block", () => {
  test.each(REJECTIONS)("%s", async (_name, pieces, status, text) => {
    const stream = await callStream(session, PATH, pieces);
    expect([stream.headers[":status"], stream.body.length, stream.trailers]).toEqual([200, 0, undefined]);
    expect(stream.headers).toMatchObject({
      "grpc-status": String(status),
      "content-type": "application/grpc+proto",
    });
    expect(stream.headers["grpc-status-details-bin"]).toBeUndefined();
    expect(decodeURIComponent(String(stream.headers["grpc-message"]))).toBe(text);
  });

  test("a message of the maximum length is accepted", async () => {
    const text = "x".repeat(65_536 - 4);
    expect(ipOf(await callStream(session, PATH, [framed(message(text))]))).toBe(text);
  });

  test.each(["", "1", "S", "1s", "-1S", "123456789S", "1.5S", "1 S"])("the timeout %j", async (timeout) => {
    expect(statusOf(await callStream(session, PATH, [GOOD], { "grpc-timeout": timeout }))).toBe(3);
  });
});

describe("timeouts", () => {
  test.each(["1H", "100M", "99999999u", "99999999H"])("%s does not expire", async (timeout) => {
    expect(statusOf(await callStream(session, PATH, [GOOD], { "grpc-timeout": timeout }))).toBe(0);
    expect(calls.at(-1)?.timeoutMs()).toBeGreaterThan(0);
  });

  test.each(["wait", "never"])("end a call with the handler %j", async (what) => {
    // On a busy machine, a shorter timeout expires before the handler is called.
    const stream = await callStream(session, PATH, [framed(message(what))], { "grpc-timeout": "500m" });
    expect([statusOf(stream), stream.trailers]).toEqual([4, undefined]);
    expect(await ended).toMatchObject({ code: Code.DeadlineExceeded });
  });

  test("end a call whose request is never complete", async () => {
    const stream = openStream(session, PATH, { "grpc-timeout": "20m" });
    stream.write(GOOD.subarray(0, 7));
    const [headers] = await once(stream, "response");
    expect(headers["grpc-status"]).toBe("4");
    // The server closes it.
    await once(stream, "close");
    expect(stream.rstCode).toBe(0);
  });
});

describe("metadata", () => {
  test("is received and sent", async () => {
    const stream = await callStream(session, PATH, [framed(message("metadata"))], { "x-in": "a, b" });
    expect(ipOf(stream)).toBe("a, b");
    expect(stream.headers["x-header"]).toBe("one, two");
    expect(stream.trailers).toMatchObject({ "grpc-status": "0", "x-trailer-bin": "AAEC" });
  });

  test.each<[string, OutgoingHttpHeaders]>([
    ["non-ASCII bytes", { "x-data": "\u00e9\u00ff" }],
    ["an empty value", { "x-data": "" }],
    ["a repeated name", { "x-data": ["a", "b"] }],
    ["many values", Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`x-${index}`, "v"]))],
  ])("may be %s", async (_name, headers) => {
    expect(statusOf(await callStream(session, PATH, [GOOD], headers))).toBe(0);
  });

  test("is complete", async () => {
    await callStream(session, PATH, [GOOD], { "x-data": ["a", "b"], "x-bin": "AA" });
    expect([...(calls.at(-1)?.requestHeader ?? [])]).toEqual(
      expect.arrayContaining([
        ["x-data", "a, b"],
        ["x-bin", "AA"],
      ]),
    );
    const values = calls.at(-1)?.values;
    expect([values?.get(clientAddressKey), values?.get(baseUrlKey)]).toEqual(["127.0.0.1", server.url]);
  });
});

describe("a client that disconnects", () => {
  test("ends the call", async () => {
    const stream = openStream(session, PATH);
    stream.end(framed(message("wait")));
    while (calls.at(-1)?.signal.aborted !== false) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    stream.close(8);
    const reason = await ended;
    expect(reason).toBeInstanceOf(ConnectError);
    expect(reason).toMatchObject({ code: Code.Canceled });
  });

  // More than the limit of 256 concurrent streams, so that leaked streams would block later ones.
  test.each<[string, (stream: ReturnType<typeof openStream>) => void]>([
    ["before its message", () => {}],
    ["within a prefix", (stream) => stream.write(GOOD.subarray(0, 3))],
    ["within its message", (stream) => stream.write(GOOD.subarray(0, 9))],
    ["with its message complete", (stream) => stream.write(GOOD)],
    ["with its request complete", (stream) => stream.end(GOOD)],
    ["while it waits", (stream) => stream.end(framed(message("never")))],
  ])("%s leaves no stream behind", async (_name, begin) => {
    for (let batch = 0; batch < 6; batch++) {
      const streams = Array.from({ length: 50 }, () => openStream(session, PATH));
      for (const stream of streams) {
        begin(stream);
      }
      // After this response, the server has processed everything sent before.
      await callStream(session, PATH, [GOOD]);
      await Promise.all(
        streams.map((stream) => {
          stream.close(8);
          return stream.destroyed || once(stream, "close");
        }),
      );
      await callStream(session, PATH, [GOOD]);
    }
  });

  test("ends its calls with the connection", async () => {
    const other = connect(server.url);
    other.on("error", () => {});
    const stream = openStream(other, PATH);
    stream.end(framed(message("wait")));
    const before = calls.length;
    while (calls.length === before) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    other.destroy();
    expect(await ended).toMatchObject({ code: Code.Canceled });
  });
});
