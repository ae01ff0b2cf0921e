/**
 * Bytes of memory that count for the limit of all connections. They are measured on Node 20 to 26 as the growth of
 * `heapUsed + external + arrayBuffers`, and rounded up.
 */

/** A connection without a request: its sockets, and the objects of the server. */
export const CONNECTION_BYTES = 8_192;

/** What TLS adds to that. */
export const TLS_BYTES = 16_384;

/** A request without its response, besides its header section and its body. */
const OPEN_REQUEST_BYTES = 4_096;

/** A field of a header section, besides its characters. */
const FIELD_BYTES = 48;

/** The bytes that an open request counts for, besides its body. */
export function requestBytes(fields: number, textLength: number): number {
  return OPEN_REQUEST_BYTES + FIELD_BYTES * fields + textLength;
}
