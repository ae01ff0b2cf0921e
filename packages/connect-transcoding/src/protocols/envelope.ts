/** The length of the prefix of each message in gRPC, gRPC-Web and Connect streams: a byte of flags, and the length. */
export const PREFIX_BYTES = 5;

/** The flag of the trailers at the end of a gRPC-Web body. */
export const TRAILER_FLAG = 0x80;

/** The flag of the end of a Connect stream. https://connectrpc.com/docs/protocol/#error-end-stream */
export const END_STREAM_FLAG = 0x02;

/** Fills in the prefix of a message that begins after {@link PREFIX_BYTES}. Returns the same bytes. */
export function writePrefix(envelope: Uint8Array, flags: number): Uint8Array {
  const length = envelope.length - PREFIX_BYTES;
  envelope[0] = flags;
  envelope[1] = length >>> 24;
  envelope[2] = length >>> 16;
  envelope[3] = length >>> 8;
  envelope[4] = length;
  return envelope;
}

/** The content types whose bodies consist of messages with a prefix: gRPC, gRPC-Web in binary form, Connect streams. */
const PREFIXED = /^application\/(?:grpc|connect\+)/i;

/**
 * Splits a request body into pieces that complete at most one message each. connect-es decodes all messages of a piece before it
 * handles the first one, and an empty message takes fifty times the memory of its five bytes. Returns bodies without prefixes as
 * they are.
 */
export function oneMessageAtATime(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncIterable<Uint8Array> {
  return PREFIXED.test(contentType) ? splitMessages(body) : body;
}

async function* splitMessages(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let prefixBytes = 0;
  /** The length of the message, and from the end of its prefix on, the number of its bytes that have not arrived. */
  let left = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; ) {
      if (prefixBytes < PREFIX_BYTES) {
        left = prefixBytes === 0 ? 0 : left * 256 + (chunk[at] ?? 0);
        prefixBytes += 1;
        at += 1;
      } else {
        const taken = Math.min(left, chunk.length - at);
        left -= taken;
        at += taken;
      }
      if (prefixBytes === PREFIX_BYTES && left === 0) {
        yield chunk.subarray(start, at);
        start = at;
        prefixBytes = 0;
      }
    }
    if (start < chunk.length) {
      yield chunk.subarray(start);
    }
  }
}
