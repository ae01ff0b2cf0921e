import { connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  frame,
  headersFrame,
  PING,
  PREFACE,
  pseudoHeaders,
  readFrames,
} from "../fuzz/protocols/http2-frames.js";
import { callStream, framed } from "./grpc-stream.js";
import { useServer } from "./serve.js";

// An invalid message is a client error in the fast paths and in connect-node: never INTERNAL, which causes alerts.

const server = useServer();
let session: ReturnType<typeof connect>;
beforeAll(() => {
  session = connect(server.url);
});
afterAll(() => session.close());

const PATH = "/utilitytools.v1.GeoIpService/LookupIp";
const REFLECT = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const WATCH = "/grpc.health.v1.Health/Watch";
const NOTHING = new Uint8Array();
const NONE = Buffer.from([0xff, 0xff]);
const TEXT = "the message is not in the binary format of its type";

describe("gRPC", () => {
  test.each<[string, string, Uint8Array, Record<string, string>]>([
    ["uncompressed", PATH, framed(NONE), {}],
    ["compressed", PATH, framed(gzipSync(NONE), { flags: 1 }), { "grpc-encoding": "gzip" }],
    [
      "uncompressed with the compressed flag or header",
      PATH,
      framed(NONE, { flags: 1 }),
      { "grpc-encoding": "gzip" },
    ],
    ["in a stream", REFLECT, framed(NONE), {}],
    ["before a stream of responses", WATCH, framed(NONE), {}],
    ["with an upper-case content type", PATH, framed(NONE), { "content-type": "Application/GRPC" }],
    ["in a compressed stream", REFLECT, framed(Buffer.from("x"), { flags: 1 }), { "grpc-encoding": "gzip" }],
  ])("%s", async (_, path, body, headers) => {
    const { headers: head, trailers } = await callStream(session, path, [body], headers);
    const status = { ...head, ...trailers };
    expect([status["grpc-status"], decodeURIComponent(String(status["grpc-message"]))]).toEqual(["3", TEXT]);
  });
});

describe("gRPC-Web", () => {
  test.each<[string, Uint8Array, Record<string, string>]>([
    ["uncompressed", framed(NONE), {}],
    ["with an upper-case content type", framed(NONE), { "content-type": "Application/GRPC-Web+Proto" }],
    ["compressed", framed(gzipSync(NONE), { flags: 1 }), { "grpc-encoding": "gzip" }],
    [
      "uncompressed with the compressed flag or header",
      framed(NONE, { flags: 1 }),
      { "grpc-encoding": "gzip" },
    ],
  ])("%s", async (_, body, headers) => {
    const response = await fetch(`${server.url}${PATH}`, {
      method: "POST",
      body,
      headers: { "content-type": "application/grpc-web+proto", ...headers },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([bytes[0], bytes.readUInt32BE(1)]).toEqual([0x80, bytes.length - 5]);
    const trailers = new Headers(
      bytes
        .subarray(5)
        .toString()
        .trimEnd()
        .split("\r\n")
        .map((line) => line.split(": ") as [string, string]),
    );
    expect(trailers.get("grpc-status")).toBe("3");
    expect(decodeURIComponent(trailers.get("grpc-message") ?? "")).toBe(TEXT);
  });
});

describe("Connect", () => {
  const post = (body: Uint8Array, headers: Record<string, string>) => () =>
    fetch(`${server.url}${PATH}`, { method: "POST", body, headers });
  const get = (query: string) => () => fetch(`${server.url}${PATH}?connect=v1&${query}`);
  const PROTO = { "content-type": "application/proto" };
  const GZIP = { "content-encoding": "gzip" };

  test.each<[string, () => Promise<Response>]>([
    ["uncompressed", post(NONE, PROTO)],
    ["compressed", post(gzipSync(NONE), { ...PROTO, ...GZIP })],
    ["uncompressed with the compressed flag or header", post(NONE, { ...PROTO, ...GZIP })],
    ["in a query", get("encoding=proto&base64=1&message=__8")],
    ["in a query with invalid base64", get("encoding=proto&base64=1&message=!")],
    ["in a query with compression", get("encoding=proto&base64=1&message=__8&compression=gzip")],
  ])("%s", async (_, ask) => {
    const response = await ask();
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: "invalid_argument", message: TEXT },
    ]);
  });

  test.each([
    ["in a stream", REFLECT],
    ["before a stream of responses", WATCH],
  ])("%s", async (_, path) => {
    const { body } = await callStream(session, path, [framed(NONE)], {
      "content-type": "application/connect+proto",
    });
    expect(body[0]).toBe(2);
    expect(JSON.parse(body.subarray(5).toString())).toEqual({
      error: { code: "invalid_argument", message: TEXT },
    });
  });
});

test("an unknown expectation is rejected", async () => {
  const { headers } = await callStream(session, REFLECT, [], { expect: "wonders" });
  expect(headers[":status"]).toBe(200);
});

test("a call that is reset before the server handles it is closed", async () => {
  const fields = [
    ...pseudoHeaders("POST", REFLECT),
    ["content-type", "application/grpc"],
    ["expect", "100-continue"],
  ] as const;
  const frames = [
    PREFACE,
    frame(4, 0, 0, NOTHING),
    headersFrame(1, fields),
    frame(3, 0, 1, Buffer.from([0, 0, 0, 8])),
    PING,
  ];
  const socket = connectTcp(Number(new URL(server.url).port), "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.write(Buffer.concat(frames));
  for await (const chunk of socket) {
    chunks.push(chunk);
    if (readFrames(Buffer.concat(chunks)).hasPong) {
      break;
    }
  }
  expect(readFrames(Buffer.concat(chunks)).notes).toEqual([]);
});

test("no bugs are reported", () => {
  expect(server.bugs).toEqual([]);
});
