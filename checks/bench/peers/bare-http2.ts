import type { ServerHttp2Stream } from "node:http2";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  GeoIpService,
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { Tool } from "../../../src/tools/tool.js";
import { bodiesOf } from "./bodies.js";
import { peerHandler } from "./handlers.js";
import { http2Server, listenOnLoopback } from "./listen.js";
import { parameterOf } from "./parameter.js";

const GRPC_PATH = `/${GeoIpService.typeName}/${GeoIpService.method.lookupIp.name}`;
const REST_PATH = "/v1/geoIp?";
const HEAD = { ":status": 200, "content-type": "application/grpc+proto" };
const TRAILERS = { "grpc-status": "0" };

/** The length of the message prefix in bytes: one for compression, four for the length. */
const PREFIX = 5;

/** A minimal server on `node:http2` streams for one method over gRPC and REST: no deadlines, no compression, no errors. */
export function startBareHttp2(tools: readonly Tool[]): Promise<string> {
  const lookupIp = peerHandler(tools, GeoIpService.method.lookupIp);
  const { geoIp } = bodiesOf(tools);
  const server = http2Server();
  server.on("stream", (stream, headers) => {
    const path = headers[":path"];
    if (path?.startsWith(REST_PATH)) {
      sendJson(stream, geoIp(parameterOf(path, REST_PATH.length)));
      return;
    }
    if (path !== GRPC_PATH) {
      stream.respond({ ":status": 404 }, { endStream: true });
      return;
    }
    let received: Buffer | undefined;
    stream.on("data", (chunk: Buffer) => {
      received = received === undefined ? chunk : Buffer.concat([received, chunk]);
      if (received.length >= PREFIX && received.length >= PREFIX + received.readUInt32BE(1)) {
        const request = fromBinary(LookupIpRequestSchema, received.subarray(PREFIX));
        send(stream, toBinary(LookupIpResponseSchema, create(LookupIpResponseSchema, lookupIp(request))));
      }
    });
  });
  return listenOnLoopback(server);
}

function sendJson(stream: ServerHttp2Stream, body: object): void {
  const text = JSON.stringify(body);
  stream.respond({
    ":status": 200,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  stream.end(text);
}

function send(stream: ServerHttp2Stream, message: Uint8Array): void {
  const frame = Buffer.allocUnsafe(PREFIX + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX);
  stream.respond(HEAD, { waitForTrailers: true });
  stream.on("wantTrailers", sendTrailers);
  stream.end(frame);
}

/** One function for all streams, to avoid a closure for each. */
function sendTrailers(this: ServerHttp2Stream): void {
  this.sendTrailers(TRAILERS);
}
