import { type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { createBinaryReaders } from "../../../src/codec/binary/reader.js";
import { hex } from "./binary-text.js";

/** The readers under test. */
export const { ofMessage: readerOf } = createBinaryReaders();

/** The result of a function, or the error that it throws, as a string. */
type Outcome<T> = { readonly value: T } | { readonly error: string };

function outcomeOf<T>(run: () => T): Outcome<T> {
  try {
    return { value: run() };
  } catch (thrown) {
    return { error: String(thrown) };
  }
}

/** Expects that the bytes are read or rejected as by protobuf-es, and that the message has no view of the bytes. */
export function expectSameOutcome(desc: DescMessage, bytes: Uint8Array): void {
  const given = new Uint8Array(bytes);
  const actual = outcomeOf(() => readerOf(desc)(given));
  given.fill(0xee);
  const expected = outcomeOf(() => fromBinary(desc, new Uint8Array(bytes)));
  expect(actual).toStrictEqual(expected);
  if ("value" in actual && "value" in expected) {
    expect(Object.getPrototypeOf(actual.value)).toBe(Object.getPrototypeOf(expected.value));
    expect(written(desc, actual.value)).toStrictEqual(written(desc, expected.value));
  }
}

function written(desc: DescMessage, message: Message): Outcome<string> {
  return outcomeOf(() => hex(toBinary(desc, message)));
}
