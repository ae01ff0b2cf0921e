import { Code, ConnectError } from "@connectrpc/connect";
import { messageTooLarge } from "../errors/errors.js";

/** The length of the prefix of each message in gRPC, gRPC-Web and Connect streams: a byte of flags, and the length. */
export const PREFIX_BYTES = 5;

/** The flag of a compressed message. */
export const COMPRESSED_FLAG = 0x01;

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

/** The length in a prefix at an offset. */
export function prefixLength(bytes: Uint8Array, at: number): number {
  const low = ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0);
  return (bytes[at + 1] ?? 0) * 2 ** 24 + low;
}

/** Adds a prefix to content. */
export function envelopeOf(content: Uint8Array, flags: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + content.length);
  bytes.set(content, PREFIX_BYTES);
  return writePrefix(bytes, flags);
}

const EMPTY = Buffer.alloc(0);

/** Splits bytes into messages with a prefix. */
export class EnvelopeReader {
  /** The latest message: its flags, and its place in `bytes`. A view for each message would cost more than the rest. */
  flags = 0;
  messageStart = 0;
  messageEnd = 0;
  readonly #limit: number;
  #bytes = EMPTY;
  #start = 0;
  #end = 0;
  /** Whether the bytes are a buffer of this reader, which can have room at its end. */
  #isOwn = false;
  /** The length of the message after a prefix that has been read; negative before one. */
  #expected = -1;

  /** @param limit the maximum length of a message in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The bytes of memory of an incomplete message. */
  get length(): number {
    return this.#start === this.#end ? 0 : this.#bytes.length;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  push(part: Uint8Array): void {
    if (this.#start === this.#end) {
      this.#bytes = part instanceof Buffer ? part : Buffer.from(part.buffer, part.byteOffset, part.length);
      this.#start = 0;
      this.#end = part.length;
      this.#isOwn = false;
      return;
    }
    const end = this.#end + part.length;
    if (!this.#isOwn || end > this.#bytes.length) {
      this.#move(2 * (end - this.#start));
    }
    this.#bytes.set(part, this.#end);
    this.#end += part.length;
  }

  /** Removes the next message; its bytes stay until the next call. Returns false if it is incomplete. Throws a ConnectError if it is too long. */
  next(): boolean {
    if (this.#expected < 0 && this.#end - this.#start >= PREFIX_BYTES) {
      this.#readPrefix();
    }
    if (this.#expected < 0 || this.#end - this.#start < this.#expected) {
      if (this.#start === this.#end) {
        this.#bytes = EMPTY;
        this.#start = 0;
        this.#end = 0;
      } else if (!this.#isOwn) {
        // A view would retain all of the part.
        this.#move(this.#end - this.#start);
      }
      return false;
    }
    this.messageStart = this.#start;
    this.#start += this.#expected;
    this.messageEnd = this.#start;
    this.#expected = -1;
    return true;
  }

  /** Whether a message is incomplete. */
  get isWithin(): boolean {
    return this.#start < this.#end || this.#expected >= 0;
  }

  /** Throws a ConnectError if a message is incomplete. */
  end(): void {
    if (this.isWithin) {
      throw new ConnectError("the body ends within a message", Code.InvalidArgument);
    }
  }

  #readPrefix(): void {
    const bytes = this.#bytes;
    const at = this.#start;
    this.flags = bytes[at] ?? 0;
    this.#expected = prefixLength(bytes, at);
    if (this.#expected > this.#limit) {
      throw messageTooLarge(this.#limit);
    }
    this.#start += PREFIX_BYTES;
  }

  /** Moves the bytes to a buffer of this reader: many small parts would take far more memory than their bytes. */
  #move(capacity: number): void {
    const bytes = Buffer.from(new ArrayBuffer(capacity));
    bytes.set(this.#bytes.subarray(this.#start, this.#end));
    this.#bytes = bytes;
    this.#end -= this.#start;
    this.#start = 0;
    this.#isOwn = true;
  }
}
