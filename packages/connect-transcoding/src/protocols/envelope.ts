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
