import { Code, ConnectError } from "@connectrpc/connect";
import { PREFIX_BYTES, prefixLength } from "connect-transcoding";

/** Checks the lengths of messages that pass part by part. */
export class FrameLimit {
  readonly #limit: number;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #prefixBytes = 0;
  /** The bytes of the current message that are missing. */
  #missing = 0;

  /** @param limit the maximum length of a message in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Throws a ConnectError if a message is too long. */
  pass(part: Uint8Array): void {
    let at = 0;
    while (at < part.length) {
      if (this.#missing > 0) {
        const passed = Math.min(this.#missing, part.length - at);
        this.#missing -= passed;
        at += passed;
        continue;
      }
      const length = Math.min(PREFIX_BYTES - this.#prefixBytes, part.length - at);
      this.#prefix.set(part.subarray(at, at + length), this.#prefixBytes);
      this.#prefixBytes += length;
      at += length;
      if (this.#prefixBytes === PREFIX_BYTES) {
        this.#prefixBytes = 0;
        this.#missing = prefixLength(this.#prefix, 0);
        if (this.#missing > this.#limit) {
          throw frameTooLarge(this.#limit);
        }
      }
    }
  }
}

/** The error for a message of more than `limit` bytes. */
export function frameTooLarge(limit: number): ConnectError {
  return new ConnectError(`the message is larger than ${limit} bytes`, Code.ResourceExhausted);
}
