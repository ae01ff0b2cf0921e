/** The most bytes of a number of 32 bits. */
export const MAX_VARINT = 5;
/** More than the place of the last of these bytes, each of which has seven bits. */
export const MAX_SHIFT = 7 * MAX_VARINT;

/**
 * Returns the signed number at a position, a varint in the zigzag form of protobuf
 * (https://protobuf.dev/programming-guides/encoding/#signed-ints). All bytes after the end are 0.
 */
export function numberAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  let zigzag = first & 127;
  if (first > 127) {
    const second = bytes[at + 1] ?? 0;
    zigzag |= (second & 127) << 7;
    if (second > 127) {
      zigzag |= longNumberAt(bytes, at);
    }
  }
  return (zigzag >>> 1) ^ -(zigzag & 1);
}

function longNumberAt(bytes: Uint8Array, at: number): number {
  let zigzag = 0;
  for (let byte = 128, index = 2; byte > 127 && index < MAX_VARINT; index++) {
    byte = bytes[at + index] ?? 0;
    zigzag |= (byte & 127) << (7 * index);
  }
  return zigzag;
}

/** Returns the position after the number at a position, which is at most {@link MAX_VARINT} bytes behind. */
export function numberEnd(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) < 128 ? at + 1 : (bytes[at + 1] ?? 0) < 128 ? at + 2 : longNumberEnd(bytes, at);
}

function longNumberEnd(bytes: Uint8Array, at: number): number {
  let end = at + 2;
  while (end < at + MAX_VARINT - 1 && (bytes[end] ?? 0) > 127) {
    end++;
  }
  return end + 1;
}
