/** The encodings of marked messages, by the encoder that made them. */
const encodings = new WeakMap<object, Map<unknown, unknown>>();

/**
 * Marks a message that a handler returns repeatedly: the server keeps its encodings, so it is serialized and compressed
 * once. The message must not change afterwards. Returns the message.
 */
export function cacheEncodings<T extends object>(message: T): T {
  if (!encodings.has(message)) {
    encodings.set(message, new Map());
  }
  return message;
}

/**
 * The encoding of a marked message, made on first use; undefined for a message that is not marked. One encoder makes one
 * kind of encoding.
 */
export function cachedEncoding<E extends object>(
  message: object,
  encoder: unknown,
  encode: () => E,
): E | undefined {
  const known = encodings.get(message);
  if (known === undefined) {
    return undefined;
  }
  // Every value was put there for the same encoder.
  let encoding = known.get(encoder) as E | undefined;
  if (encoding === undefined) {
    encoding = encode();
    known.set(encoder, encoding);
  }
  return encoding;
}
