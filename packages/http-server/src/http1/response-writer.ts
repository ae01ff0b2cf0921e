import type { BodyWriter, HeaderList } from "../request.js";
import type { Output } from "./output.js";
import { type Framing, trailerSection } from "./response-head.js";

/** The maximum length of a chunk, and of a write: a client that reads slowly shows progress after each. */
export const MAX_CHUNK = 65_536;

const LINE_END = "\r\n";
const NOTHING = new Uint8Array();

/** Writes a body that is long, or whose length is unknown. What is written in one turn of the event loop is sent together. */
export class ResponseWriter implements BodyWriter {
  readonly #output: Output;
  readonly #framing: Framing;
  readonly #onEnd: () => void;
  #part: Uint8Array = NOTHING;
  /** The number of bytes of which the part is the rest: they stay in memory until it has been sent. */
  #retained = 0;
  #onReady: (() => void) | undefined;
  /** What follows the last part. */
  #end: string | undefined;
  #isOver = false;

  /** `onEnd` is called when the whole response has been passed to the output. */
  constructor(output: Output, framing: Framing, onEnd: () => void) {
    this.#output = output;
    this.#framing = framing;
    this.#onEnd = onEnd;
  }

  /** The bytes of memory of the part that waits. */
  get held(): number {
    return this.#part.length === 0 ? 0 : this.#retained;
  }

  write(part: Uint8Array, onReady: () => void): boolean {
    if (this.#isOver || this.#end !== undefined) {
      return true;
    }
    this.#send(part);
    const isReady = this.#part.length === 0 && !this.#output.isBlocked;
    this.#onReady = isReady ? undefined : onReady;
    return isReady;
  }

  end(part: Uint8Array = NOTHING, trailers: HeaderList = []): void {
    if (this.#isOver || this.#end !== undefined) {
      return;
    }
    this.#end = this.#framing === "chunked" ? `0${LINE_END}${trailerSection(trailers)}` : "";
    this.#send(this.#part.length === 0 ? part : Buffer.concat([this.#part, part]));
  }

  onDrain(): void {
    this.#sendRest();
    if (this.#part.length === 0 && !this.#output.isBlocked) {
      const onReady = this.#onReady;
      this.#onReady = undefined;
      onReady?.();
    }
  }

  close(): void {
    this.#isOver = true;
    this.#part = NOTHING;
    this.#onReady = undefined;
  }

  #send(part: Uint8Array): void {
    this.#part = part;
    this.#retained = part.length;
    this.#sendRest();
  }

  #sendRest(): void {
    while (this.#part.length > 0 && !this.#output.isBlocked) {
      const chunk = this.#part.subarray(0, MAX_CHUNK);
      this.#part = this.#part.subarray(chunk.length);
      this.#sendChunk(chunk);
    }
    this.#output.flushLater();
    if (this.#part.length === 0 && this.#end !== undefined && !this.#isOver) {
      this.#isOver = true;
      this.#output.addText(this.#end);
      this.#onEnd();
    }
  }

  #sendChunk(chunk: Uint8Array): void {
    const output = this.#output;
    if (this.#framing === "chunked") {
      output.join(() => {
        output.addText(chunk.length.toString(16) + LINE_END);
        output.addBytes(chunk);
        output.addText(LINE_END);
      });
    } else if (this.#framing === "close" || typeof this.#framing === "number") {
      output.addBytes(chunk);
    }
    // A response to HEAD, 204 and 304 has no body.
  }
}
