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
 * Returns the result of `encode` for a message. The first result for a marked message is cached. `encoder` identifies the
 * encoder and the type that it produces.
 */
export function encodeCached<M extends object, Encoder, E extends object>(
  message: M,
  encoder: Encoder,
  encode: (message: M, encoder: Encoder) => E,
  encodeToKeep: (message: M, encoder: Encoder) => E,
): E {
  const known = encodings.get(message);
  if (known === undefined) {
    return encode(message, encoder);
  }
  // The same encoder put it there.
  let encoding = known.get(encoder) as E | undefined;
  if (encoding === undefined) {
    encoding = encodeToKeep(message, encoder);
    known.set(encoder, encoding);
  }
  return encoding;
}
