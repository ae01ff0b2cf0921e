import { brotliCompressSync, gzipSync } from "node:zlib";
import type { DescMethod } from "@bufbuild/protobuf";
import { grpcFrame } from "../../bench/grpc-request.js";
import type { Random } from "../random.js";
import { mutate } from "../texts.js";
import { binaryMessage, jsonMessage } from "./call-message.js";
import { type DoorRequest, MARKER } from "./door-request.js";
import { anyHost, mutateHeaders } from "./hostile-headers.js";
import { mutateOctets, randomOctets } from "./octets.js";

type Headers = [name: string, value: string][];
type Door = Exclude<DoorRequest["door"], "REST">;

/** Zeros that are a thousand times as long as their compressed form. */
const BOMB = gzipSync(Buffer.alloc(8 * 1024 * 1024));

const OTHER_TYPES = [
  "application/grpc",
  "application/grpc+json",
  "application/grpc+",
  "application/grpc-web-text",
  "application/grpc-web+json",
  "application/connect+json",
  "application/connect+proto",
  "application/json; charset=utf-8",
  "application/proto",
  "text/plain",
  "application/grpc;x",
  "Application/GRPC",
  "",
] as const;
const VERBS = ["GET", "PUT", "HEAD", "OPTIONS", "DELETE", "BREW"] as const;

/** A call of one of the methods over one of the three protocols, or something near. */
export function anyCall(
  random: Random,
  methods: readonly [DescMethod, ...DescMethod[]],
  door: Door,
  http: 1 | 2,
  host: string,
): DoorRequest {
  const method = random.pick(methods);
  const usual = usualCall(random, method, door);
  const headers: Headers = [["host", anyHost(random, host)]];
  for (const [name, value] of usual.headers) {
    headers.push([name, name === "content-type" && random.oneIn(30) ? random.pick(OTHER_TYPES) : value]);
  }
  if (isEndless(method)) {
    // Whatever else: the call ends.
    headers.push(door === "Connect" ? ["connect-timeout-ms", "20"] : ["grpc-timeout", "20m"]);
  }
  const path = `/${method.parent.typeName}/${method.name}`;
  return {
    door,
    http,
    verb: random.oneIn(50) ? random.pick(VERBS) : usual.verb,
    target: `${random.oneIn(60) ? mutate(random, path) : path}${usual.query}`,
    headers: mutateHeaders(random, headers),
    body: random.oneIn(12) ? mutateOctets(random, usual.body) : usual.body,
    // Anything may have changed what says when it ends.
    breakOff: isEndless(method) || random.oneIn(60),
  };
}

function isEndless({ name }: DescMethod): boolean {
  return name === "Watch";
}

function usualCall(
  random: Random,
  method: DescMethod,
  door: Door,
): { verb: string; headers: Headers; query: string; body: Uint8Array } {
  const isJson = random.oneIn(door === "Connect" ? 2 : 8);
  const format = isJson ? "json" : "proto";
  const message = () => messageOf(random, method, isJson);
  const post = { verb: "POST", query: "" };
  if (door !== "Connect") {
    const prefix = door === "gRPC" ? "application/grpc" : "application/grpc-web";
    const headers: Headers = [["content-type", !isJson && random.oneIn(2) ? prefix : `${prefix}+${format}`]];
    headers.push(door === "gRPC" ? ["te", "trailers"] : ["x-grpc-web", "1"]);
    return {
      ...post,
      headers: timed(random, headers, "grpc-timeout"),
      body: framesOf(random, method, message, headers, "grpc-encoding"),
    };
  }
  if (method.methodKind !== "unary") {
    const headers: Headers = [["content-type", `application/connect+${format}`]];
    return { ...post, headers, body: framesOf(random, method, message, headers, "connect-content-encoding") };
  }
  if (random.oneIn(5)) {
    return { verb: "GET", headers: [], query: queryOf(random, message(), format), body: new Uint8Array() };
  }
  const headers: Headers = [["content-type", `application/${format}`]];
  if (random.oneIn(2)) {
    headers.push(["connect-protocol-version", "1"]);
  }
  const body = compressed(random, message(), headers, "content-encoding", 8).octets;
  return { ...post, headers: timed(random, headers, "connect-timeout-ms"), body };
}

function timed(random: Random, headers: Headers, name: string): Headers {
  if (random.oneIn(10)) {
    headers.push([
      name,
      name === "grpc-timeout" ? random.pick(["10S", "1m", "100m", "1n"]) : random.pick(["10000", "1", "0"]),
    ]);
  }
  return headers;
}

function messageOf(random: Random, { input }: DescMethod, isJson: boolean): Uint8Array {
  if (random.oneIn(60)) {
    return random.pick<Uint8Array>([
      new Uint8Array(),
      Buffer.from(MARKER),
      randomOctets(random, 1 + random.size(3000)),
      Buffer.alloc(70_000, 0x0a),
    ]);
  }
  const octets = isJson ? Buffer.from(jsonMessage(random, input)) : binaryMessage(random, input);
  return random.oneIn(12) ? mutateOctets(random, octets) : octets;
}

/** What a message is compressed with, said in a header; now and then it is not, or not so. */
function compressed(random: Random, octets: Uint8Array, headers: Headers, name: string, rarely: number) {
  if (!random.oneIn(rarely)) {
    return { octets, flags: random.oneIn(80) ? 1 : 0 };
  }
  const encoding = random.pick(["gzip", "gzip", "gzip", "br", "identity", "snappy"]);
  if (!random.oneIn(12)) {
    headers.push([name, encoding]);
  }
  const packed = random.oneIn(60)
    ? BOMB
    : encoding === "gzip"
      ? gzipSync(octets, { level: 1 })
      : encoding === "br"
        ? brotli(octets)
        : octets;
  const asItIs = random.oneIn(12) ? octets : random.oneIn(12) ? mutateOctets(random, packed) : packed;
  return { octets: asItIs, flags: random.oneIn(12) ? 0 : 1 };
}

function brotli(octets: Uint8Array): Uint8Array {
  return brotliCompressSync(octets, QUICK);
}

const QUICK = { params: { 1: 1 } };

/** The messages of a call with what stands before each; now and then with another length, or flags that say other things. */
function framesOf(
  random: Random,
  method: DescMethod,
  message: () => Uint8Array,
  headers: Headers,
  encodingHeader: string,
): Uint8Array {
  const isStream = method.methodKind === "bidi_streaming" || method.methodKind === "client_streaming";
  const count = random.oneIn(40) ? random.below(4) : isStream ? 1 + random.below(4) : 1;
  const frames = Array.from({ length: count }, () => {
    const { octets, flags } = compressed(random, message(), headers, encodingHeader, 8);
    const frame = grpcFrame(octets);
    frame[0] = random.oneIn(60) ? random.below(256) : flags;
    if (random.oneIn(60)) {
      frame.writeUInt32BE(random.pick([0, 1, 65_536, 65_537, 2 ** 31, 2 ** 32 - 1, octets.length + 1]), 1);
    }
    return frame;
  });
  return Buffer.concat(frames);
}

/** https://connectrpc.com/docs/protocol/#unary-get-request */
function queryOf(random: Random, message: Uint8Array, format: string): string {
  const isBase64 = format === "proto" ? !random.oneIn(15) : random.oneIn(3);
  const isCompressed = random.oneIn(15);
  const octets = Buffer.from(isCompressed ? gzipSync(message) : message);
  const text = isBase64
    ? octets.toString(random.oneIn(4) ? "base64" : "base64url")
    : octets.toString("latin1");
  const parts = [
    `encoding=${random.oneIn(30) ? "xml" : format}`,
    `message=${encodeURIComponent(text)}`,
    ...(isBase64 || random.oneIn(15) ? ["base64=1"] : []),
    ...(isCompressed ? [`compression=${random.pick(["gzip", "gzip", "br", "zip"])}`] : []),
    ...(random.oneIn(3) ? ["connect=v1"] : []),
  ];
  if (random.oneIn(20)) {
    parts.splice(random.below(parts.length), 1);
  }
  const query = `?${parts.join("&")}`;
  return random.oneIn(15) ? mutate(random, query) : query;
}
