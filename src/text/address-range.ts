/** Returns the number of leading bits that two addresses of a family have in common. */
function sharedBits(one: readonly number[], other: readonly number[]): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) {
    index++;
  }
  return index === one.length
    ? 8 * index
    : 8 * index + Math.clz32((one[index] ?? 0) ^ (other[index] ?? 0)) - 24;
}

/**
 * Changes the first address of a network into the first one after it. Returns the number of leading bits that are still the same; undefined
 * after the last network, whose successor is the address with all bits zero.
 */
export function moveToNext(bytes: number[], prefixLength: number): number | undefined {
  for (let bit = prefixLength - 1; bit >= 0; bit--) {
    const mask = 0x80 >> (bit & 7);
    const byte = (bytes[bit >> 3] ?? 0) ^ mask;
    bytes[bit >> 3] = byte;
    if ((byte & mask) !== 0) {
      return bit;
    }
  }
  return undefined;
}

/** Returns the address before another one; the last one before the first one. */
export function bytesBefore(bytes: readonly number[]): number[] {
  const before = bytes.slice();
  for (let index = bytes.length - 1; index >= 0; index--) {
    const byte = bytes[index] ?? 0;
    before[index] = (byte - 1) & 0xff;
    if (byte > 0) {
      break;
    }
  }
  return before;
}

/** Returns the bit of an address at an index, which is 0 for the most significant one. */
export function bitAt(bytes: readonly number[], index: number): 0 | 1 {
  return ((bytes[index >> 3] ?? 0) & (0x80 >> (index & 7))) === 0 ? 0 : 1;
}

/** Returns the prefix lengths of the fewest networks that have exactly the addresses of a range, in the order of addresses. */
export function prefixLengths(first: readonly number[], last: readonly number[]): number[] {
  const shared = sharedBits(first, last);
  const [start, end] = [lengthWithout(first, 0), lengthWithout(last, 1)];
  if (start <= shared && end <= shared) {
    return [shared];
  }
  // The networks before the first bit that differs become larger, those after it smaller.
  const before = Math.max(start, shared + 1);
  const after = Math.max(end, shared + 1);
  const lengths = [before];
  for (let bit = before - 1; bit > shared; bit--) {
    if (bitAt(first, bit) === 0) {
      lengths.push(bit + 1);
    }
  }
  for (let bit = shared + 1; bit < after; bit++) {
    if (bitAt(last, bit) === 1) {
      lengths.push(bit + 1);
    }
  }
  lengths.push(after);
  return lengths;
}

/** Returns the number of bits before the last ones that have a value. */
function lengthWithout(bytes: readonly number[], value: 0 | 1): number {
  let length = 8 * bytes.length;
  while (length > 0 && bitAt(bytes, length - 1) === value) {
    length--;
  }
  return length;
}
