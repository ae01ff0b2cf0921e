import { brotliCompressSync, gzipSync } from "node:zlib";
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { http_field } from "@utility-tools/protos/connecttranscoding/v1/options_pb.js";
import { grpcFrame } from "../../lib/load/workload.js";
import type { Random } from "../random.js";
import { anyValue, mutate } from "../texts.js";
import { MARKER, type ProtocolRequest } from "./request.js";
import { anyHost, fieldText, mutateBytes, mutateHeaders, randomBytes } from "./values.js";

type Headers = [name: string, value: string][];
type Protocol = Exclude<ProtocolRequest["protocol"], "REST">;

/** Zeros that compress to a thousandth of their size. */
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
const GRPC_WEB_TYPES = ["application/grpc-web-text", "application/grpc-web+proto", "*/*"] as const;
const HTTP_METHODS = ["GET", "PUT", "HEAD", "OPTIONS", "DELETE", "BREW"] as const;

/** Returns a call of a method over one of the three RPC protocols, or a similar request. */
export function anyCall(
  random: Random,
  methods: readonly [DescMethod, ...DescMethod[]],
  protocol: Protocol,
  http: 1 | 2,
  host: string,
): ProtocolRequest {
  const method = random.pick(methods);
  const usual = usualCall(random, method, protocol);
  const headers: Headers = [["host", anyHost(random, host)]];
  for (const [name, value] of usual.headers) {
    headers.push([name, name === "content-type" && random.oneIn(30) ? random.pick(OTHER_TYPES) : value]);
  }
  if (isEndless(method)) {
    // Watch streams never end by themselves.
    headers.push(protocol === "Connect" ? ["connect-timeout-ms", "20"] : ["grpc-timeout", "20m"]);
  }
  const path = `/${method.parent.typeName}/${method.name}`;
  return {
    protocol,
    http,
    httpMethod: random.oneIn(50) ? random.pick(HTTP_METHODS) : usual.httpMethod,
    target: `${random.oneIn(60) ? mutate(random, path) : path}${usual.query}`,
    headers: mutateHeaders(random, headers),
    body: random.oneIn(12) ? mutateBytes(random, usual.body) : usual.body,
    // A mutation may have removed the timeout.
    breakOff: isEndless(method) || random.oneIn(60),
  };
}

function isEndless({ name }: DescMethod): boolean {
  return name === "Watch";
}

function usualCall(
  random: Random,
  method: DescMethod,
  protocol: Protocol,
): { httpMethod: string; headers: Headers; query: string; body: Uint8Array } {
  const isJson = random.oneIn(protocol === "Connect" ? 2 : 8);
  const format = isJson ? "json" : "proto";
  const message = () => messageOf(random, method, isJson);
  const post = { httpMethod: "POST", query: "" };
  if (protocol !== "Connect") {
    const isText = protocol === "gRPC-Web" && random.oneIn(2);
    const prefix = protocol === "gRPC" ? "application/grpc" : `application/grpc-web${isText ? "-text" : ""}`;
    const headers: Headers = [["content-type", !isJson && random.oneIn(2) ? prefix : `${prefix}+${format}`]];
    headers.push(protocol === "gRPC" ? ["te", "trailers"] : ["x-grpc-web", "1"]);
    if (protocol === "gRPC-Web" && random.oneIn(3)) {
      headers.push(["accept", random.pick(GRPC_WEB_TYPES)]);
    }
    const body = framesOf(random, method, message, headers, "grpc-encoding");
    return {
      ...post,
      headers: timed(random, headers, "grpc-timeout"),
      body: isText ? paddedTexts(random, body) : body,
    };
  }
  if (method.methodKind !== "unary") {
    const headers: Headers = [["content-type", `application/connect+${format}`]];
    return { ...post, headers, body: framesOf(random, method, message, headers, "connect-content-encoding") };
  }
  if (random.oneIn(5)) {
    return {
      httpMethod: "GET",
      headers: [],
      query: queryOf(random, message(), format),
      body: new Uint8Array(),
    };
  }
  const headers: Headers = [["content-type", `application/${format}`]];
  if (random.oneIn(2)) {
    headers.push(["connect-protocol-version", "1"]);
  }
  const body = compressed(random, message(), headers, "content-encoding", 8).bytes;
  return { ...post, headers: timed(random, headers, "connect-timeout-ms"), body };
}

/** Encodes bytes as one or more texts in base64, each with padding; rarely in the alphabet for URLs. */
function paddedTexts(random: Random, bytes: Uint8Array): Uint8Array {
  const encoding = random.oneIn(20) ? "base64url" : "base64";
  const cuts = Array.from({ length: random.size(20) }, () => random.below(bytes.length + 1));
  const ends = [...cuts.sort((a, b) => a - b), bytes.length];
  const parts = ends.map((end, index) => Buffer.from(bytes.subarray(ends[index - 1] ?? 0, end)));
  return Buffer.from(parts.map((part) => part.toString(encoding)).join(""));
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
      randomBytes(random, 1 + random.size(3000)),
      Buffer.alloc(70_000, 0x0a),
    ]);
  }
  const bytes = isJson ? Buffer.from(jsonMessage(random, input)) : binaryMessage(random, input);
  return random.oneIn(12) ? mutateBytes(random, bytes) : bytes;
}

/** Compresses a message and adds the header; occasionally without the compression or with another one. */
function compressed(random: Random, bytes: Uint8Array, headers: Headers, name: string, rarely: number) {
  if (!random.oneIn(rarely)) {
    return { bytes, flags: random.oneIn(80) ? 1 : 0 };
  }
  const encoding = random.pick(["gzip", "gzip", "gzip", "br", "identity", "snappy"]);
  if (!random.oneIn(12)) {
    headers.push([name, encoding]);
  }
  const packed = random.oneIn(60)
    ? BOMB
    : encoding === "gzip"
      ? gzipSync(bytes, { level: 1 })
      : encoding === "br"
        ? brotli(bytes)
        : bytes;
  const content = random.oneIn(12) ? bytes : random.oneIn(12) ? mutateBytes(random, packed) : packed;
  return { bytes: content, flags: random.oneIn(12) ? 0 : 1 };
}

function brotli(bytes: Uint8Array): Uint8Array {
  return brotliCompressSync(bytes, QUICK);
}

const QUICK = { params: { 1: 1 } };

/** Returns the length-prefixed messages of a call; occasionally with wrong lengths or flags. */
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
    const { bytes, flags } = compressed(random, message(), headers, encodingHeader, 8);
    const frame = grpcFrame(bytes);
    frame[0] = random.oneIn(60) ? random.below(256) : flags;
    if (random.oneIn(60)) {
      frame.writeUInt32BE(random.pick([0, 1, 65_536, 65_537, 2 ** 31, 2 ** 32 - 1, bytes.length + 1]), 1);
    }
    return frame;
  });
  return Buffer.concat(frames);
}

/** https://connectrpc.com/docs/protocol/#unary-get-request */
function queryOf(random: Random, message: Uint8Array, format: string): string {
  const isBase64 = format === "proto" ? !random.oneIn(15) : random.oneIn(3);
  const isCompressed = random.oneIn(15);
  const bytes = Buffer.from(isCompressed ? gzipSync(message) : message);
  const text = isBase64 ? bytes.toString(random.oneIn(4) ? "base64" : "base64url") : bytes.toString("latin1");
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

const INTEGERS = [0, 1, -1, 2, 6, 8, 99, 2147483647, -2147483648, 4294967295] as const;
const WIRE_TYPES = [WireType.Varint, WireType.Bit64, WireType.LengthDelimited, WireType.Bit32] as const;

/** Encodes a random message in the binary format, occasionally with unknown fields or wrong wire types. */
function binaryMessage(random: Random, desc: DescMessage, depth = 3): Uint8Array {
  const writer = new BinaryWriter();
  for (const field of desc.fields) {
    for (let times = timesOf(random, field); times > 0; times--) {
      writeField(random, writer, field, depth);
    }
  }
  if (random.oneIn(15)) {
    const number = random.pick([1, 2, 15, 16, 2047, 19_000, 536_870_911] as const);
    writeAny(random, writer.tag(number, random.pick(WIRE_TYPES)));
  }
  return writer.finish();
}

function timesOf(random: Random, field: DescField): number {
  const isMany = field.fieldKind === "list" || field.fieldKind === "map";
  if (field.oneof !== undefined && !random.oneIn(field.oneof.fields.length)) {
    return 0;
  }
  return random.oneIn(8) ? 0 : random.oneIn(isMany ? 2 : 25) ? 2 : 1;
}

function writeField(random: Random, writer: BinaryWriter, field: DescField, depth: number): void {
  if (random.oneIn(30)) {
    writeAny(random, writer.tag(field.number, random.pick(WIRE_TYPES)));
    return;
  }
  if (field.fieldKind === "message" || (field.fieldKind === "list" && field.listKind === "message")) {
    const inner = depth > 0 ? binaryMessage(random, field.message, depth - 1) : new Uint8Array();
    writer.tag(field.number, WireType.LengthDelimited).bytes(inner);
    return;
  }
  if (field.fieldKind === "map") {
    writer.tag(field.number, WireType.LengthDelimited).bytes(randomBytes(random, random.below(6)));
    return;
  }
  const scalar = field.scalar ?? ScalarType.INT32;
  switch (scalar) {
    case ScalarType.STRING:
      writer.tag(field.number, WireType.LengthDelimited).bytes(Buffer.from(textOf(random, field)));
      return;
    case ScalarType.BYTES:
      writer.tag(field.number, WireType.LengthDelimited).bytes(randomBytes(random, random.below(20)));
      return;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      writer.tag(field.number, WireType.Bit64).double(random.below(1000) / 7);
      return;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      writer.tag(field.number, WireType.Bit32).float(random.below(1000) / 7);
      return;
    default:
      writer.tag(field.number, WireType.Varint).int64(BigInt(random.pick(INTEGERS)));
  }
}

function writeAny(random: Random, writer: BinaryWriter): void {
  writer.raw(randomBytes(random, random.below(12)));
}

/** Encodes a random message as JSON, occasionally with values of other types or unknown members. */
function jsonMessage(random: Random, desc: DescMessage, depth = 3): string {
  const members = desc.fields.flatMap((field) =>
    Array.from({ length: timesOf(random, field) }, (_, index) => {
      const name = random.oneIn(2) ? field.jsonName : field.name;
      return index > 0 && !random.oneIn(4)
        ? []
        : [`${JSON.stringify(name)}:${jsonField(random, field, depth)}`];
    }).flat(),
  );
  if (random.oneIn(15)) {
    members.push(
      `${JSON.stringify(random.pick(["nope", "", "__proto__", "@type", "é"]))}:${jsonValue(random)}`,
    );
  }
  return `{${members.join(random.oneIn(10) ? " ,\n" : ",")}}`;
}

function jsonField(random: Random, field: DescField, depth: number): string {
  if (random.oneIn(12)) {
    return jsonValue(random);
  }
  const one = () => {
    if (field.message !== undefined) {
      return depth > 0 ? jsonMessage(random, field.message, depth - 1) : "{}";
    }
    if (field.enum !== undefined) {
      const { values } = field.enum;
      const value = values[random.below(values.length)];
      return random.oneIn(4) ? String(random.below(5)) : JSON.stringify(value?.name ?? "");
    }
    const isText = field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES;
    return isText ? JSON.stringify(textOf(random, field)) : jsonNumber(random);
  };
  return field.fieldKind === "list" ? `[${one()},${one()}]` : one();
}

function jsonNumber(random: Random): string {
  const number = String(random.pick(INTEGERS));
  return random.oneIn(4) ? JSON.stringify(number) : number;
}

function textOf(random: Random, field: DescField): string {
  const examples = hasOption(field, http_field) ? [getOption(field, http_field).example].flat() : [];
  return fieldText(random, field.name, examples);
}

const JSON_VALUES = [
  "null",
  "true",
  "[]",
  "{}",
  "[[[]]]",
  "1e999",
  "-0",
  "1.5",
  '{"a":{"b":[1]}}',
  '"\\ud800"',
] as const;

/** Returns any JSON value. */
export function jsonValue(random: Random): string {
  return random.oneIn(2) ? random.pick(JSON_VALUES) : JSON.stringify(anyValue(random));
}
