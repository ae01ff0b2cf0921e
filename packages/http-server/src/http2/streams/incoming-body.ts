import { Readable } from "node:stream";
import type { Body } from "../../request.js";
import { ByteCollector } from "./byte-collector.js";

/** Bytes of a rejected body that are still read. */
const MAX_DISCARDED = 1024 * 1024;

/** The interface of a stream that its body uses. */
export interface BodyOwner {
  /** Enlarges the window by the consumed bytes. */
  acknowledge(): void;
  /** Adds to the number of bytes that the connection holds. */
  hold(bytes: number): void;
  /** Ends a request that continues beyond {@link MAX_DISCARDED}. */
  abort(): void;
}

const CLOSED = "the client has closed the request before its end";

/**
 * The body of a request that arrives in several parts. Until it is read, the window of the stream limits the bytes that the
 * client can send.
 */
export class IncomingBody {
  readonly #owner: BodyOwner;
  readonly #collected = new ByteCollector();
  /** The held bytes that have been reported to the owner. */
  #held = 0;
  #limit = Number.POSITIVE_INFINITY;
  /** Whether all of the body has been received. */
  #isEnded = false;
  /** Whether the request is over. */
  #isOver = false;
  #discarded: number | undefined;
  #done: ((body: Body) => void) | undefined;
  #readable: Readable | undefined;
  /** Whether the stream requests more bytes. */
  #isWanted = false;

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
    this.#collected.add(view);
    if (this.#readable !== undefined) {
      this.#deliver(this.#readable);
    } else {
      this.#hold();
      if (this.#done !== undefined) {
        this.#checkLimit();
        this.#owner.acknowledge();
      }
    }
  }

  /** Called at the end of the body. */
  end(): void {
    this.#isEnded = true;
    if (this.#readable !== undefined) {
      this.#deliver(this.#readable);
    }
    this.#finish();
  }

  /** Called when the client disconnects before the end, and when the request is over. */
  destroy(): void {
    this.#isOver = true;
    this.#done = undefined;
    const readable = this.#readable;
    if (readable !== undefined && this.#isEnded) {
      this.#isWanted = true;
      this.#deliver(readable);
    } else {
      readable?.destroy(new Error(CLOSED));
    }
    this.#collected.take();
    this.#hold();
  }

  /** Reads the whole body; see `ServerRequest.readBody`. */
  collect(limit: number, announced: number | undefined, done: (body: Body) => void): void {
    if (this.#isOver) {
      return;
    }
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
    const readable = new Readable({
      read: () => {
        this.#isWanted = true;
        this.#deliver(readable);
      },
    });
    // If the client disconnects while nothing reads, an error without a listener would be an uncaught exception.
    readable.on("error", () => {});
    this.#readable = readable;
    if (this.#isOver) {
      readable.destroy(new Error(CLOSED));
    }
    return readable;
  }

  /** Moves bytes to the stream on request. */
  #deliver(readable: Readable): void {
    if (this.#isWanted && this.#collected.length > 0) {
      this.#isWanted = readable.push(this.#collected.take());
      this.#owner.acknowledge();
    }
    if (this.#isEnded && this.#collected.length === 0 && !readable.readableEnded) {
      readable.push(null);
    }
    this.#hold();
  }

  /** Updates the number of bytes that the connection holds. */
  #hold(): void {
    const held = this.#isOver ? 0 : this.#collected.length + (this.#readable?.readableLength ?? 0);
    this.#owner.hold(held - this.#held);
    this.#held = held;
  }

  #checkLimit(): void {
    if (this.#collected.length > this.#limit) {
      this.#reject();
    }
  }

  #reject(): void {
    const done = this.#done;
    this.#done = undefined;
    this.#discarded = this.#collected.length;
    this.#collected.take();
    this.#hold();
    done?.("too large");
  }

  #finish(): void {
    const done = this.#done;
    if (this.#isEnded && done !== undefined) {
      this.#done = undefined;
      // The bytes are held until the request is over.
      done(this.#collected.take());
    }
  }
}
