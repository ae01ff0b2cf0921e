import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EnvelopeReader, envelopeOf } from "../../src/protocols/envelope.js";

/** A message with its prefix. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
function message(length: number, fill = 7, flags = 0): Buffer {
  const bytes = Buffer.alloc(5 + length, fill);
  bytes[0] = flags;
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

/** The bytes of the next message; undefined if it is incomplete. */
function next(reader: EnvelopeReader): Uint8Array | undefined {
  return reader.next() ? reader.bytes.subarray(reader.messageStart, reader.messageEnd) : undefined;
}

/** Reads the messages of a body that arrives in parts. */
function read(parts: readonly Uint8Array[], limit = 1_000_000): Buffer[] {
  const reader = new EnvelopeReader(limit);
  const messages: Buffer[] = [];
  for (const part of parts) {
    reader.push(part);
    for (let bytes = next(reader); bytes !== undefined; bytes = next(reader)) {
      messages.push(Buffer.from(bytes));
    }
  }
  reader.end();
  return messages;
}

test("a prefix has the flags and the length in network byte order", () => {
  expect([...envelopeOf(Buffer.alloc(258), 2).subarray(0, 5)]).toEqual([2, 0, 0, 1, 2]);
});

describe("a reader of envelopes", () => {
  test("returns messages and their flags", () => {
    const reader = new EnvelopeReader(10);
    reader.push(Buffer.concat([message(0, 0, 2), message(3, 9, 1)]));
    expect([next(reader)?.length, reader.flags]).toEqual([0, 2]);
    expect([[...(next(reader) ?? [])], reader.flags]).toEqual([[9, 9, 9], 1]);
    expect(next(reader)).toBeUndefined();
  });

  test("returns the same messages wherever the body is cut", () => {
    const lengths = fc.array(fc.oneof(fc.nat(3), fc.nat(600)), { maxLength: 20 });
    fc.assert(
      fc.property(lengths, fc.array(fc.nat()), (all, cuts) => {
        const messages = all.map((length, index) => message(length, index));
        const body = Buffer.concat(messages);
        const at = cuts.map((cut) => cut % (body.length + 1)).sort((one, other) => one - other);
        const parts = [...at, body.length].map((end, index) => body.subarray(at[index - 1] ?? 0, end));
        expect(read(parts)).toEqual(messages.map((bytes) => bytes.subarray(5)));
      }),
    );
  });

  test("keeps the bytes of an incomplete message only, however many parts they come in", () => {
    const reader = new EnvelopeReader(1_000_000);
    const body = Buffer.concat([message(20_000), message(100_000).subarray(0, 60_000)]);
    reader.push(body.subarray(0, 30_000));
    expect(next(reader)?.length).toBe(20_000);
    expect(next(reader)).toBeUndefined();
    expect(reader.length).toBeLessThan(10_000);
    const messages: unknown[] = [];
    for (let at = 30_000; at < body.length; at++) {
      reader.push(body.subarray(at, at + 1));
      messages.push(next(reader));
    }
    expect(messages.filter((each) => each !== undefined)).toEqual([]);
    expect(reader.length).toBeLessThan(2.1 * 60_000);
  });

  test("keeps nothing between messages", () => {
    const reader = new EnvelopeReader(1_000_000);
    const body = message(50_000);
    reader.push(body.subarray(0, 7));
    expect(next(reader)).toBeUndefined();
    reader.push(body.subarray(7));
    expect(next(reader)?.length).toBe(50_000);
    expect([next(reader), reader.length]).toEqual([undefined, 0]);
  });

  test("rejects a message by its prefix if it is too long", () => {
    expect(() => read([message(11).subarray(0, 5)], 10)).toThrow(
      "the message is too large; allowed: 10 bytes",
    );
    expect(() => read([Buffer.from([0, 255, 255, 255, 255])], 10)).toThrow("too large");
    expect(read([message(10)], 10)).toEqual([Buffer.alloc(10, 7)]);
  });

  test.each([1, 4, 5, 7])("rejects a body that ends after %i bytes of a message", (length) => {
    expect(() => read([message(3).subarray(0, length)])).toThrow("the body ends within a message");
  });
});
