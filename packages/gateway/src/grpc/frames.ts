import { gunzip } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { EnvelopeReader } from "connect-transcoding";

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
  readonly #reader: EnvelopeReader;

  /** @param limit the maximum length of a message in bytes */
  constructor(limit: number) {
    this.#limit = limit;
    this.#reader = new EnvelopeReader(limit);
  }

  push(part: Buffer): void {
    this.#reader.push(part);
  }

  /** Removes the next message. Undefined if it is incomplete. Throws a ConnectError if it is too long. */
  next(): Frame | undefined {
    const reader = this.#reader;
    try {
      if (!reader.next()) {
        return undefined;
      }
    } catch {
      throw tooLarge(this.#limit);
    }
    const { bytes, flags, messageStart, messageEnd } = reader;
    return { bytes: bytes.subarray(messageStart, messageEnd), isCompressed: isCompressed(flags) };
  }

  /** The error of a body that ends here: within a message. Undefined between messages. */
  get problem(): ConnectError | undefined {
    return this.#reader.isWithin
      ? new ConnectError("the response of the upstream server ends within a message", Code.Internal)
      : undefined;
  }
}

/** Throws a ConnectError for other flags than those of gRPC. */
function isCompressed(flags: number): boolean {
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
