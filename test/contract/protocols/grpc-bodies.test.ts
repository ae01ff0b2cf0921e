import { type ClientHttp2Session, connect } from "node:http2";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  GeoIpService,
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { callStream, framed, type GrpcStream, statusOf } from "connect-transcoding-testing/grpc-stream.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTool } from "../../../src/tools/tool.js";
import { OTHER_METHODS, useServer } from "../support/serve.js";

const PATH = "/utilitytools.v1.GeoIpService/LookupIp";

const server = useServer({
  tools: [createTool(GeoIpService, { ...OTHER_METHODS, lookupIp: ({ ipAddress }) => ({ ip: ipAddress }) })],
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
