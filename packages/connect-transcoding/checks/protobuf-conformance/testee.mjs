// The program that the runner tests: it reads requests from standard input and writes a response to each to standard output,
// all prefixed with their length (4 bytes, little-endian). The argument is a google.protobuf.FileDescriptorSet with the
// suite's protos. https://github.com/protocolbuffers/protobuf/tree/main/conformance
import { readFileSync, readSync, writeSync } from "node:fs";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import {
  createBinaryReaders,
  createBinaryWriters,
  createJsonMessageReader,
  createJsonMessageWriter,
} from "connect-transcoding/codec";

/** `conformance.WireFormat` and `conformance.TestCategory`; the registry has no types. */
const PROTOBUF = 1;
const JSON_FORMAT = 2;
const JSON_IGNORE_UNKNOWN_PARSING_TEST = 3;

const [, , protosPath] = process.argv;
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(protosPath)));
const binaryReaders = createBinaryReaders();
const binaryWriters = createBinaryWriters();
const readRequest = binaryReaders.ofMessage(registry.getMessage("conformance.ConformanceRequest"));
const writeResponse = binaryWriters.ofMessage(registry.getMessage("conformance.ConformanceResponse"));

for (let length = read(4); length !== undefined; length = read(4)) {
  const response = writeResponse({ result: resultOf(readRequest(read(length.readUInt32LE(0)))) });
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32LE(response.length);
  const bytes = Buffer.concat([prefix, response]);
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(1, bytes, written);
  }
}

/** Converts the message of a request from one format to the other. Returns the oneof of `conformance.ConformanceResponse`. */
function resultOf({ payload, requestedOutputFormat, messageType, testCategory }) {
  if (messageType === "conformance.FailureSet") {
    return { case: "protobufPayload", value: new Uint8Array() };
  }
  const skips = requestedOutputFormat !== PROTOBUF && requestedOutputFormat !== JSON_FORMAT;
  if (skips || (payload.case !== "protobufPayload" && payload.case !== "jsonPayload")) {
    return { case: "skipped", value: "the format is not supported" };
  }
  const desc = registry.getMessage(messageType);
  const bytes = Buffer.from(payload.value);
  const unknownParameters = testCategory === JSON_IGNORE_UNKNOWN_PARSING_TEST ? "ignore" : "reject";
  let message;
  try {
    message =
      payload.case === "protobufPayload"
        ? binaryReaders.ofMessage(desc)(bytes)
        : createJsonMessageReader(desc, { unknownParameters, registry })(bytes);
  } catch (error) {
    return { case: "parseError", value: String(error) };
  }
  try {
    return requestedOutputFormat === PROTOBUF
      ? { case: "protobufPayload", value: binaryWriters.ofMessage(desc)(message) }
      : { case: "jsonPayload", value: createJsonMessageWriter(desc, registry)(message) };
  } catch (error) {
    return { case: "serializeError", value: String(error) };
  }
}

/** Reads `length` bytes from standard input; undefined at its end. */
function read(length) {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length; ) {
    const count = readSync(0, bytes, filled, length - filled, null);
    if (count === 0) {
      return undefined;
    }
    filled += count;
  }
  return bytes;
}
