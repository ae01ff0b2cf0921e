import { ByteCollector } from "../../core/byte-collector.js";
import type { HeaderSection } from "../../request.js";
import { HpackDecoder } from "../hpack/decoder.js";
import type { HeaderBlock, HeaderLimits } from "../hpack/header-block.js";
import { type RequestHead, readRequestHead, readTrailers } from "../streams/request-head.js";

/** The bytes of a decoder that `CONNECTION_BYTES` includes. */
const HPACK_BYTES = 2_048;

/** CONTINUATION frames of one header section. */
const MAX_CONTINUATIONS = 32;

/** Reads the header sections of a connection. */
export class HeaderBlockReader {
  /** Stream and flags of the header section that is or was open. */
  streamId = 0;
  flags = 0;
  readonly #decoder: HpackDecoder;
  readonly #maxBytes: number;
  readonly #parts = new ByteCollector();
  #count = 0;

  constructor(limits: HeaderLimits) {
    this.#decoder = new HpackDecoder(limits);
    this.#maxBytes = limits.maxListSize;
  }

  /** Whether a header section is incomplete. */
  get isOpen(): boolean {
    return this.#count > 0;
  }

  /** Begins a header section that CONTINUATION frames continue. */
  open(streamId: number, flags: number, part: Uint8Array): void {
    this.streamId = streamId;
    this.flags = flags;
    this.#parts.add(part);
    this.#count = 1;
  }

  /** Continues the header section. Returns false if it is too long. */
  append(part: Uint8Array): boolean {
    this.#parts.add(part);
    this.#count += 1;
    // A section is longer than its block; some room is for the overhead of the encoding.
    return this.#parts.length <= 2 * this.#maxBytes && this.#count <= MAX_CONTINUATIONS;
  }

  /** Ends the header section, and returns its block. */
  take(): Buffer {
    this.#count = 0;
    return this.#parts.take();
  }

  /** Decodes a block; undefined if it is invalid. */
  decode(bytes: Buffer, from: number, to: number): HeaderBlock | undefined {
    return this.#decoder.decode(bytes, from, to);
  }

  /** The bytes of memory of the decoder and of an incomplete header section, beyond the fixed cost of a connection. */
  get held(): number {
    return this.#parts.capacity + Math.max(0, this.#decoder.heldBytes - HPACK_BYTES);
  }

  releaseCaches(): void {
    this.#decoder.releaseCaches();
  }

  /** The head of a request; undefined if it is too large. */
  headOf(block: HeaderBlock): RequestHead | undefined {
    return block.isTooLarge ? undefined : readRequestHead(block);
  }

  /** The trailers of a request; undefined if they are invalid or too long. */
  trailersOf(block: HeaderBlock): HeaderSection | undefined {
    return block.isTooLarge ? undefined : readTrailers(block);
  }
}
