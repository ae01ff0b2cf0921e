import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { createBinaryWriters } from "../../../src/codec/binary/writer.js";
import type { MessageInit } from "../../../src/codec/message-field.js";

/** The writers under test. */
export const { ofMessage } = createBinaryWriters();

/** The expected encoding, from protobuf-es, in hexadecimal. */
export function expected(desc: DescMessage, init: MessageInit): string {
  return hex(toBinary(desc, create(desc, init)));
}

/** The actual encoding, in hexadecimal. */
export function written(desc: DescMessage, init: MessageInit): string {
  return hex(ofMessage(desc)(init));
}

/** Bytes in hexadecimal. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
