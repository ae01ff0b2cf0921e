import { gunzip } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { PREFIX_BYTES, prefixLength } from "connect-transcoding";

/** The flag of a compressed message. */
const COMPRESSED_FLAG = 0x01;

/** What the client accepts, in `grpc-accept-encoding`. */
export const ACCEPTED_ENCODINGS = "gzip";

/** A message of a response: its bytes, and whether they are compressed. */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
}

/** Splits the body of a response into messages. */
export class MessageFrames {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #length = 0;
  /** The bytes of the message that arrives, with its prefix; 0 before the prefix. */
  #expected = 0;

  /** @param limit the maximum length of a message in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether a message is incomplete. */
  get isWithin(): boolean {
    return this.#length > 0;
  }

  push(part: Buffer): void {
    if (part.length > 0) {
      this.#parts.push(part);
      this.#length += part.length;
    }
  }

  /** Removes the next message: a view of the bytes that were pushed. Undefined if it is incomplete. Throws a ConnectError if it is too long. */
  next(): Frame | undefined {
    if (this.#expected === 0) {
      if (this.#length < PREFIX_BYTES) {
        return undefined;
      }
      const length = prefixLength(this.#joined(PREFIX_BYTES), 0);
      if (length > this.#limit) {
        throw tooLarge(this.#limit);
      }
      this.#expected = PREFIX_BYTES + length;
    }
    if (this.#length < this.#expected) {
      return undefined;
    }
    const bytes = this.#joined(this.#expected);
    const end = this.#expected;
    const frame = { bytes: bytes.subarray(PREFIX_BYTES, end), isCompressed: isCompressed(bytes) };
    this.#parts[0] = bytes.subarray(end);
    if (bytes.length === end) {
      this.#parts.shift();
    }
    this.#length -= end;
    this.#expected = 0;
    return frame;
  }

  /** The first part, with `length` bytes at least. */
  #joined(length: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#parts;
    if (first.length >= length) {
      return first;
    }
    const joined = Buffer.concat(this.#parts);
    this.#parts = [joined];
    return joined;
  }
}

/** Throws a ConnectError for other flags than those of gRPC. */
function isCompressed(bytes: Uint8Array): boolean {
  const [flags = 0] = bytes;
  if (flags > COMPRESSED_FLAG) {
    throw new ConnectError(`the upstream server has sent the flags ${flags}`, Code.Internal);
  }
  return flags === COMPRESSED_FLAG;
}

/** The bytes of a message, decompressed. Rejects with a ConnectError. */
export async function inflate({ bytes }: Frame, encoding: unknown, limit: number): Promise<Uint8Array> {
  if (encoding !== "gzip") {
    throw new ConnectError(
      `the upstream server has sent a message compressed by ${encoding ?? "nothing that it names"}`,
      Code.Internal,
    );
  }
  return await new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: limit }, (error, inflated) => {
      if (error === null) {
        resolve(inflated);
      } else {
        const isTooLarge = "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
        reject(
          isTooLarge
            ? tooLarge(limit)
            : new ConnectError("the upstream server has sent malformed gzip", Code.Internal),
        );
      }
    });
  });
}

/** The error for a message of more than `limit` bytes. */
function tooLarge(limit: number): ConnectError {
  return new ConnectError(
    `the upstream server has sent a message of more than ${limit} bytes`,
    Code.ResourceExhausted,
  );
}
