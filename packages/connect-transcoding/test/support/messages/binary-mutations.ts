import { type DescField, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { anyMessage } from "./arbitrary-message.js";

/** The binary form of any message of a type, or of several, one after the other, which protobuf merges. */
export function anyEncoded(desc: DescMessage): fc.Arbitrary<Uint8Array> {
  return fc
    .array(anyMessage(desc, canBePartial), { minLength: 1, maxLength: 3 })
    .map((messages) => concat(messages.map((message) => toBinary(desc, message))));
}

/** Whether `toBinary` writes any message of the field: one without required fields. */
function canBePartial({ message }: DescField): boolean {
  return !message?.fields.some(({ presence }) => presence === FeatureSet_FieldPresence.LEGACY_REQUIRED);
}

/** Replaces `removed` bytes at a part (0 to 1) of the length. */
interface Mutation {
  readonly at: number;
  readonly removed: number;
  readonly inserted: Uint8Array;
}

/** Bytes that begin or end a varint, a tag or a length. */
const anyByte = fc.oneof(
  fc.constantFrom(0x00, 0x01, 0x07, 0x0b, 0x0c, 0x0f, 0x7f, 0x80, 0xff),
  fc.integer({ min: 0, max: 255 }),
);

const anyMutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.oneof(fc.constant(1), fc.nat(3)),
  inserted: fc.oneof(
    fc.array(anyByte, { maxLength: 3 }).map((bytes) => Uint8Array.from(bytes)),
    fc.nat(12).map((length) => new Uint8Array(length).fill(0xff)),
  ),
});

/** The binary form of any message of a type with a few changes, which is mostly malformed. */
export function anyMutated(desc: DescMessage): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(anyEncoded(desc), fc.array(anyMutation, { minLength: 1, maxLength: 3 }))
    .map(([bytes, mutations]) => mutations.reduce(mutate, bytes));
}

function mutate(bytes: Uint8Array, { at, removed, inserted }: Mutation): Uint8Array {
  const start = Math.floor(at * bytes.length);
  return concat([bytes.subarray(0, start), inserted, bytes.subarray(start + removed)]);
}

/** Any fields of a type in any wire type, and some that it does not have: well-formed, but rarely with the right types. */
export function anyFields(desc: DescMessage, depth = 3): fc.Arbitrary<Uint8Array> {
  const numbers = desc.fields.flatMap((field) => [field.number, field.number, field.number]);
  const number = fc.constantFrom(...numbers, 15, 16, 2047, 2048, 2 ** 29 - 1);
  return fc.array(number.chain((no) => anyFieldOf(desc, no, depth))).map(concat);
}

function anyFieldOf(desc: DescMessage, number: number, depth: number): fc.Arbitrary<Uint8Array> {
  const { message } = desc.fields.find((field) => field.number === number) ?? {};
  const long = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const small = fc.nat(300).map(BigInt);
  const content =
    depth > 0 && message !== undefined ? anyFields(message, depth - 1) : fc.uint8Array({ maxLength: 9 });
  const tagged = (wireType: number) => (value: Uint8Array) =>
    concat([varint(BigInt(number) * 8n + BigInt(wireType)), value]);
  return fc.oneof(
    fc.oneof(small, long).map(varint).map(tagged(0)),
    fc.uint8Array({ minLength: 8, maxLength: 8 }).map(tagged(1)),
    {
      weight: 4,
      arbitrary: content.map((bytes) => concat([varint(BigInt(bytes.length)), bytes])).map(tagged(2)),
    },
    content.map((bytes) => concat([bytes, varint(BigInt(number) * 8n + 4n)])).map(tagged(3)),
    fc.uint8Array({ minLength: 4, maxLength: 4 }).map(tagged(5)),
  );
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return Uint8Array.from([...bytes, Number(rest)]);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
