import type { HeaderSection } from "../../request.js";
import { HpackDecoder } from "../hpack/decoder.js";
import type { HeaderBlock } from "../hpack/header-block.js";
import { type RequestHead, readRequestHead, readTrailers } from "../streams/request-head.js";

/** CONTINUATION frames of one header section. */
const MAX_CONTINUATIONS = 32;

/** Reads the header sections of a connection. */
export class HeaderBlockReader {
  /** Stream and flags of the header section that is or was open. */
  streamId = 0;
  flags = 0;
  readonly #decoder: HpackDecoder;
  readonly #maxBytes: number;
  #parts: Buffer[] | undefined;
  #length = 0;

  /** @param maxBytes the maximum length of a header section */
  constructor(maxBytes: number) {
    this.#decoder = new HpackDecoder(maxBytes);
    this.#maxBytes = maxBytes;
  }

  /** Whether a header section is incomplete. */
  get isOpen(): boolean {
    return this.#parts !== undefined;
  }

  /** Begins a header section that CONTINUATION frames continue. */
  open(streamId: number, flags: number, part: Uint8Array): void {
    this.streamId = streamId;
    this.flags = flags;
    this.#parts = [Buffer.from(part)];
    this.#length = part.length;
  }

  /** Continues the header section. Returns false if it is too long. */
  append(part: Uint8Array): boolean {
    this.#parts?.push(Buffer.from(part));
    this.#length += part.length;
    // A section is longer than its block; some room is for the overhead of the encoding.
    return this.#length <= 2 * this.#maxBytes && (this.#parts?.length ?? 0) <= MAX_CONTINUATIONS;
  }

  /** Ends the header section, and returns its block. */
  take(): Buffer {
    const block = Buffer.concat(this.#parts ?? []);
    this.#parts = undefined;
    return block;
  }

  /** Decodes a block; undefined if it is invalid. */
  decode(bytes: Buffer, from: number, to: number): HeaderBlock | undefined {
    return this.#decoder.decode(bytes, from, to);
  }

  /** The head of a request; undefined if it is too long. */
  headOf(block: HeaderBlock): RequestHead | undefined {
    return block.isTooLarge ? undefined : readRequestHead(block);
  }

  /** The trailers of a request; undefined if they are invalid or too long. */
  trailersOf(block: HeaderBlock): HeaderSection | undefined {
    return block.isTooLarge ? undefined : readTrailers(block);
  }
}
