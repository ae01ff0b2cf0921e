/** Whether the bytes from `start` to `end` are those of the key. */
export function isEqual(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (key.length !== length) return false;
  for (let i = 0; i < length; i++) {
    if (key[i] !== bytes[start + i]) return false;
  }
  return true;
}

/** A hash of the bytes from `start` to `end`. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 1;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
  return hash ^ (hash >>> 15);
}
