import {
  create,
  type DescMessage,
  fromBinary,
  fromJsonString,
  type Message,
  type Registry,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { createBinaryReaders } from "../codec/binary/reader.js";
import { createBinaryWriters } from "../codec/binary/writer.js";
import { createJsonMessageReader } from "../codec/json/reader.js";
import { createJsonMessageWriter } from "../codec/json/writer.js";
import type { MessageInit } from "../codec/message-field.js";
import { missingFields } from "../codec/required-fields.js";
import { invalidArgument, malformedMessage, responseTooLarge } from "../errors/errors.js";
import type { ServedMethod } from "../routes/served-methods.js";

/** Reads and writes the messages of one method in one encoding. */
export interface Codec {
  readonly name: "proto" | "json";
  /** Reads a message from `start` to `end` of the bytes. Throws a ConnectError for malformed bytes. The message has no views of them. */
  read(bytes: Uint8Array, start?: number, end?: number): Message;
  /** Leaves room for a prefix before the message. */
  write(message: MessageInit, prefixBytes: number): Uint8Array;
  /** Writes a message without a prefix. Text can be sent faster than bytes over HTTP/1.1. */
  writeBody(message: MessageInit): string | Uint8Array;
}

export interface Codecs {
  readonly proto: Codec;
  readonly json: Codec;
}

export interface CodecOptions {
  /** What to do with fields of a JSON request that the message does not have. */
  readonly unknownParameters: "reject" | "ignore";
  /** Resolves the types in `google.protobuf.Any`. */
  readonly registry: Registry;
}

type Read = (bytes: Uint8Array) => Message;

type Write = (message: MessageInit) => string | Uint8Array;

/** The codecs of a method. With options of protobuf-es, its own readers and writers are used, except for `readUnknownFields`. */
export function createCodecs({ method, options }: ServedMethod, shared: CodecOptions): Codecs {
  const { input, output } = method;
  const { binaryOptions, jsonOptions, writeMaxBytes } = options;
  const jsonDefaults = { alwaysEmitImplicit: true, registry: shared.registry, ...jsonOptions };
  const ignoreUnknownFields = shared.unknownParameters === "ignore";

  const { readUnknownFields, ...otherOptions } = binaryOptions ?? {};
  const hasOwnBinary = Object.keys(otherOptions).length === 0;
  const readBinary = hasOwnBinary
    ? createBinaryReaders(readUnknownFields).ofMessage(input)
    : ranged((bytes) => fromBinary(input, new Uint8Array(bytes), binaryOptions));
  const writeBinary = hasOwnBinary
    ? createBinaryWriters().ofMessage(output)
    : prefixed((message) => toBinary(output, create(output, message), binaryOptions));
  const readJson = ranged(
    jsonOptions === undefined
      ? createJsonMessageReader(input, shared)
      : orMalformed(
          (bytes) =>
            fromJsonString(input, Buffer.from(bytes).toString(), { ignoreUnknownFields, ...jsonDefaults }),
          "JSON",
        ),
  );
  const writeJson: Write =
    jsonOptions === undefined
      ? createJsonMessageWriter(output, shared.registry)
      : (message) => toJsonString(output, create(output, message), jsonDefaults);

  const proto = limited(writeBinary, writeMaxBytes);
  const json = limited(prefixed(writeJson), writeMaxBytes);
  return {
    proto: {
      name: "proto",
      read: complete(orMalformed(readBinary), input, "name"),
      write: proto,
      writeBody: (message) => proto(message, 0),
    },
    json: {
      name: "json",
      read: complete(jsonOptions === undefined ? readJson : orMalformed(readJson), input, "jsonName"),
      write: json,
      writeBody: writeMaxBytes === undefined ? writeJson : (message) => json(message, 0),
    },
  };
}

/** Hides the details of the parser from the client. */
function orMalformed(read: Codec["read"], format?: "JSON"): Codec["read"] {
  return (bytes, start, end) => {
    try {
      return read(bytes, start, end);
    } catch {
      throw malformedMessage(format);
    }
  };
}

/** Rejects messages that lack required fields, as the parsers of most languages do. Those of protobuf-es accept them. */
function complete(read: Codec["read"], input: DescMessage, name: "name" | "jsonName"): Codec["read"] {
  const findMissing = missingFields(input, name);
  if (findMissing === undefined) {
    return read;
  }
  return (bytes, start, end) => {
    const message = read(bytes, start, end);
    const missing = findMissing(message);
    if (missing.length > 0) {
      throw invalidArgument(missing);
    }
    return message;
  };
}

function ranged(read: Read): Codec["read"] {
  return (bytes, start, end) => read(start === undefined ? bytes : bytes.subarray(start, end));
}

function prefixed(write: Write): Codec["write"] {
  return (message, prefixBytes) => {
    const content = write(message);
    const bytes = Buffer.allocUnsafe(prefixBytes + Buffer.byteLength(content));
    if (typeof content === "string") {
      bytes.write(content, prefixBytes);
    } else {
      bytes.set(content, prefixBytes);
    }
    return bytes;
  };
}

function limited(write: Codec["write"], maxBytes: number | undefined): Codec["write"] {
  if (maxBytes === undefined) {
    return write;
  }
  return (message, prefixBytes) => {
    const bytes = write(message, prefixBytes);
    if (bytes.length - prefixBytes > maxBytes) {
      throw responseTooLarge(maxBytes);
    }
    return bytes;
  };
}
