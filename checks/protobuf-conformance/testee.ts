import { readFileSync, readSync, writeSync } from "node:fs";
import { createFileRegistry, type DescMessage, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import {
  createBinaryReaders,
  createBinaryWriters,
  createJsonMessageReader,
  createJsonMessageWriter,
} from "connect-transcoding/codec";

// The program that the runner tests: it reads requests from standard input and writes a response to each to standard output,
// all prefixed with their length (4 bytes, little-endian). The argument is a google.protobuf.FileDescriptorSet with the
// suite's protos. https://github.com/protocolbuffers/protobuf/tree/main/conformance

/** `conformance.ConformanceRequest`; the registry has no types. */
interface ConformanceRequest {
  readonly payload: { readonly case: string; readonly value: Uint8Array | string };
  readonly requestedOutputFormat: number;
  readonly messageType: string;
  readonly testCategory: number;
}

/** The oneof of `conformance.ConformanceResponse`. */
interface ConformanceResult {
  readonly case: "parseError" | "serializeError" | "protobufPayload" | "jsonPayload" | "skipped";
  readonly value: string | Uint8Array;
}

/** `conformance.WireFormat` and `conformance.TestCategory`. */
const PROTOBUF = 1;
const JSON_FORMAT = 2;
const JSON_IGNORE_UNKNOWN_PARSING_TEST = 3;

const binaryReaders = createBinaryReaders();
const binaryWriters = createBinaryWriters();

/** Converts the message of a request from one format to the other. */
function convert(request: ConformanceRequest, desc: DescMessage, registry: FileRegistry): ConformanceResult {
  const { payload, requestedOutputFormat, testCategory } = request;
  const skips = requestedOutputFormat !== PROTOBUF && requestedOutputFormat !== JSON_FORMAT;
  if (skips || (payload.case !== "protobufPayload" && payload.case !== "jsonPayload")) {
    return { case: "skipped", value: "the format is not supported" };
  }
  const bytes = Buffer.from(payload.value as Uint8Array);
  const unknownParameters = testCategory === JSON_IGNORE_UNKNOWN_PARSING_TEST ? "ignore" : "reject";
  let message: ReturnType<ReturnType<typeof binaryReaders.ofMessage>>;
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
function read(length: number): Buffer | undefined {
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

function write(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(1, bytes, written);
  }
}

function main(protosPath: string): void {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(protosPath)));
  const find = (name: string): DescMessage => {
    const desc = registry.getMessage(name);
    if (desc === undefined) {
      throw new Error(`${protosPath} lacks ${name}`);
    }
    return desc;
  };
  const readRequest = binaryReaders.ofMessage(find("conformance.ConformanceRequest"));
  const writeResponse = binaryWriters.ofMessage(find("conformance.ConformanceResponse"));
  for (let length = read(4); length !== undefined; length = read(4)) {
    const bytes = read(length.readUInt32LE(0));
    if (bytes === undefined) {
      throw new Error("the input ends within a request");
    }
    const request = readRequest(bytes) as unknown as ConformanceRequest;
    const response = Buffer.from(
      request.messageType === "conformance.FailureSet"
        ? writeResponse({ result: { case: "protobufPayload", value: new Uint8Array() } })
        : writeResponse({ result: convert(request, find(request.messageType), registry) }),
    );
    const prefix = Buffer.alloc(4);
    prefix.writeUInt32LE(response.length);
    write(Buffer.concat([prefix, response]));
  }
}

const [, , protosPath] = process.argv;
if (protosPath === undefined) {
  throw new Error("usage: testee.js FILE, a google.protobuf.FileDescriptorSet with the suite's protos");
}
main(protosPath);
