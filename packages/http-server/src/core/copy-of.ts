/** A copy in memory of its own: a view, and a buffer of Node's pool, would retain more than the bytes. */
export function copyOf(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Two parts in memory of their own. */
export function joined(first: Uint8Array, second: Uint8Array): Buffer {
  const both = Buffer.allocUnsafeSlow(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
