/** A field of a protobuf message: its number, and the value of its wire type. */
export interface WireField {
  readonly number: number;
  /** A varint, or bytes. Fixed values are bytes. */
  readonly value: bigint | Uint8Array;
}

/**
 * Reads the fields of a protobuf message in their order. Returns undefined if the bytes are no message. Groups are not supported.
 * https://protobuf.dev/programming-guides/encoding/
 */
export function readWireFields(bytes: Uint8Array): WireField[] | undefined {
  const fields: WireField[] = [];
  let position = 0;
  const varint = (): bigint | undefined => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[position++];
      if (byte === undefined) {
        return undefined;
      }
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return BigInt.asUintN(64, value);
      }
    }
    return undefined;
  };
  const take = (size: number): Uint8Array | undefined => {
    const taken = bytes.subarray(position, position + size);
    position += size;
    return taken.length === size ? taken : undefined;
  };
  while (position < bytes.length) {
    const tag = varint();
    if (tag === undefined || tag >> 3n === 0n) {
      return undefined;
    }
    const value = readValue(Number(tag & 7n));
    if (value === undefined) {
      return undefined;
    }
    fields.push({ number: Number(tag >> 3n), value });
  }
  return fields;

  function readValue(type: number): bigint | Uint8Array | undefined {
    switch (type) {
      case 0:
        return varint();
      case 1:
        return take(8);
      case 2: {
        const size = varint();
        return size === undefined || size > BigInt(bytes.length) ? undefined : take(Number(size));
      }
      case 5:
        return take(4);
      default:
        return undefined;
    }
  }
}
