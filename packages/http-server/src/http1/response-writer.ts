import type { BodyWriter, HeaderList } from "../request.js";
import type { Output } from "./output.js";
import { type Framing, trailerSection } from "./response-head.js";

/** The maximum length of a chunk. */
const MAX_CHUNK = 65_536;

const LINE_END = "\r\n";
const NOTHING = new Uint8Array();

/** Writes a response of unknown length. What is written in one turn of the event loop is sent together. */
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
  #isScheduled = false;
  #isSending = false;
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
    this.#part = part;
    this.#retained = part.length;
    this.#send();
    const isReady = this.#part.length === 0 && !this.#output.isBlocked;
    this.#onReady = isReady ? undefined : onReady;
    return isReady;
  }

  end(part: Uint8Array = NOTHING, trailers: HeaderList = []): void {
    if (this.#isOver || this.#end !== undefined) {
      return;
    }
    const isChunked = this.#framing === "chunked";
    this.#end = isChunked ? `0${LINE_END}${trailerSection(trailers)}` : "";
    this.#part = this.#part.length === 0 ? part : Buffer.concat([this.#part, part]);
    this.#retained = this.#part.length;
    this.#send();
  }

  /** Called when the output accepts more. */
  onDrain(): void {
    if (this.#isSending) {
      // The output has accepted the data of a chunk, whose end must follow.
      return;
    }
    this.#send();
    if (this.#part.length === 0 && !this.#output.isBlocked) {
      const onReady = this.#onReady;
      this.#onReady = undefined;
      onReady?.();
    }
  }

  /** Called when the request is over. */
  close(): void {
    this.#isOver = true;
    this.#part = NOTHING;
    this.#onReady = undefined;
  }

  #send(): void {
    this.#isSending = true;
    while (this.#part.length > 0 && !this.#output.isBlocked) {
      const chunk = this.#part.subarray(0, MAX_CHUNK);
      this.#part = this.#part.subarray(chunk.length);
      this.#sendChunk(chunk);
    }
    this.#isSending = false;
    if (this.#part.length === 0 && this.#end !== undefined && !this.#isOver) {
      this.#isOver = true;
      this.#output.addText(this.#end);
      this.#onEnd();
    }
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      process.nextTick(() => {
        this.#isScheduled = false;
        this.#output.flush();
      });
    }
  }

  #sendChunk(chunk: Uint8Array): void {
    const output = this.#output;
    switch (this.#framing) {
      case "chunked":
        output.join(() => {
          output.addText(chunk.length.toString(16) + LINE_END);
          output.addBytes(chunk);
          output.addText(LINE_END);
        });
        return;
      case "close":
        output.addBytes(chunk);
        return;
      default:
      // A response to HEAD, 204 and 304 has no body.
    }
  }
}
