import { Readable } from "node:stream";
import type { Body } from "../request.js";

/** Bytes of a rejected body that are still read. */
const MAX_DISCARDED = 1024 * 1024;

/** The stream of a body, as far as the body needs it. */
export interface BodyOwner {
  /** Lets the client send as many bytes as it has sent: they have been consumed. */
  acknowledge(): void;
  /** Adds to the number of bytes that the connection holds. */
  hold(bytes: number): void;
  /** Ends a request that continues beyond {@link MAX_DISCARDED}. */
  abort(): void;
}

/**
 * The body of a request that does not arrive at once. Until somebody reads it, the client can send no more than the window
 * of the stream.
 */
export class IncomingBody {
  readonly #owner: BodyOwner;
  #chunks: Buffer[] = [];
  #length = 0;
  #limit = Number.POSITIVE_INFINITY;
  #isEnded = false;
  #discarded: number | undefined;
  #done: ((body: Body) => void) | undefined;
  #readable: Readable | undefined;

  constructor(owner: BodyOwner) {
    this.#owner = owner;
  }

  /** Called with the next bytes, a view of the connection's input. */
  receive(view: Uint8Array): void {
    if (this.#discarded !== undefined) {
      this.#discarded += view.length;
      if (this.#discarded > MAX_DISCARDED) {
        this.#owner.abort();
      } else {
        this.#owner.acknowledge();
      }
      return;
    }
    // A view would retain all of the input.
    const chunk = Buffer.from(view);
    if (this.#readable !== undefined) {
      this.#readable.push(chunk);
      this.#holdBuffered();
      return;
    }
    this.#length += chunk.length;
    this.#chunks.push(chunk);
    this.#owner.hold(chunk.length);
    if (this.#done !== undefined) {
      this.#checkLimit();
      this.#owner.acknowledge();
    }
  }

  /** Called at the end of the body. */
  end(): void {
    this.#isEnded = true;
    this.#readable?.push(null);
    this.#finish();
  }

  /** Called when the client disconnects before the end, and when the request is over. */
  destroy(): void {
    this.#done = undefined;
    this.#release();
    if (this.#readable !== undefined && !this.#readable.readableEnded && !this.#isEnded) {
      this.#readable.destroy(new Error("the client has closed the request before its end"));
    }
  }

  /** Reads the whole body; see `ServerRequest.readBody`. */
  collect(limit: number, announced: number | undefined, done: (body: Body) => void): void {
    this.#limit = limit;
    this.#done = done;
    if (announced !== undefined && announced > limit) {
      this.#reject();
    } else {
      this.#checkLimit();
      this.#finish();
    }
    this.#owner.acknowledge();
  }

  /** Returns the body as a stream. */
  toReadable(): Readable {
    const chunks = this.#chunks;
    this.#release();
    const readable = new Readable({
      read: () => {
        this.#holdBuffered();
        this.#owner.acknowledge();
      },
    });
    // Nobody may be reading when the client disconnects; without a listener that would be an uncaught exception.
    readable.on("error", () => {});
    this.#readable = readable;
    for (const chunk of chunks) {
      readable.push(chunk);
    }
    if (this.#isEnded) {
      readable.push(null);
    }
    return readable;
  }

  /** Updates the number of bytes that the stream buffers. */
  #holdBuffered(): void {
    const { readableLength = 0 } = this.#readable ?? {};
    this.#owner.hold(readableLength - this.#length);
    this.#length = readableLength;
  }

  #checkLimit(): void {
    if (this.#length > this.#limit) {
      this.#reject();
    }
  }

  #reject(): void {
    const done = this.#done;
    this.#done = undefined;
    this.#discarded = this.#length;
    this.#release();
    done?.("too large");
  }

  #finish(): void {
    const done = this.#done;
    if (this.#isEnded && done !== undefined) {
      this.#done = undefined;
      const chunks = this.#chunks;
      this.#release();
      const [only] = chunks;
      done(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    }
  }

  #release(): void {
    this.#owner.hold(-this.#length);
    this.#length = 0;
    this.#chunks = [];
  }
}
