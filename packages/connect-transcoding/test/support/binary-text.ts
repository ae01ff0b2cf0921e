import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { createBinaryWriters } from "../../src/codec/binary-writer.js";
import type { MessageInit } from "../../src/codec/message-field.js";

/** The writers under test. */
export const { ofMessage } = createBinaryWriters();

/** What the writer is to write, by way of protobuf-es: in hexadecimal, where a difference is easier to see. */
export function expected(desc: DescMessage, init: MessageInit): string {
  return hex(toBinary(desc, create(desc, init)));
}

/** What it writes. */
export function written(desc: DescMessage, init: MessageInit): string {
  return hex(ofMessage(desc)(init));
}

/** Octets in hexadecimal. */
export function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString("hex");
}
