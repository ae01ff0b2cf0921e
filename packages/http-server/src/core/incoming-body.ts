import type { Body, BodyReader } from "../request.js";
import { ByteCollector } from "./byte-collector.js";

/** Bytes of a rejected body that are still read. */
export const MAX_DISCARDED: number = 1024 * 1024;

/** Bytes that are received before the reader takes them. */
const MAX_WAITING = 65_536;

export interface BodyOwner {
  /** Called when bytes of the body have been consumed: the client may send more. */
  acknowledge(): void;
  hold(bytes: number): void;
}

/** The body of a request that arrives in several parts. */
export class IncomingBody implements BodyReader {
  readonly #owner: BodyOwner;
  readonly #collected = new ByteCollector();
  /** The held bytes that have been reported to the owner. */
  #held = 0;
  /** Bytes that have been taken and are still in memory. */
  #retained = 0;
  #limit = Number.POSITIVE_INFINITY;
  #isEnded = false;
  #isOver = false;
  #discarded: number | undefined;
  #done: ((body: Body) => void) | undefined;
  #onChange: (() => void) | undefined;

  constructor(owner: BodyOwner) {
    this.#owner = owner;
  }

  /** Whether more bytes are read now. */
  get isWanted(): boolean {
    if (this.#discarded !== undefined) {
      return this.#discarded <= MAX_DISCARDED;
    }
    return this.#done !== undefined || (this.#onChange !== undefined && this.#collected.length < MAX_WAITING);
  }

  /** Called with the next bytes, a view of the connection's input. */
  receive(view: Uint8Array): void {
    if (this.#discarded !== undefined) {
      this.#discarded += view.length;
      if (this.#discarded <= MAX_DISCARDED) {
        this.#owner.acknowledge();
      }
      return;
    }
    this.#collected.add(view);
    this.#hold();
    this.#onChange?.();
    if (this.#done !== undefined) {
      this.#deliver();
      this.#owner.acknowledge();
    }
  }

  end(): void {
    this.#isEnded = true;
    this.#deliver();
    this.#onChange?.();
  }

  /** Called when the request is over. Bytes that have arrived completely can still be taken. */
  destroy(): void {
    this.#isOver = true;
    this.#done = undefined;
    this.#onChange = undefined;
    if (!this.#isEnded) {
      this.#collected.take();
    }
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
      this.#deliver();
    }
    this.#owner.acknowledge();
  }

  /** Reads the body part by part; see `ServerRequest.openBody`. */
  open(onChange: () => void): void {
    if (!this.#isOver) {
      this.#onChange = onChange;
      this.#owner.acknowledge();
    }
  }

  take(): Uint8Array | undefined {
    if (this.#collected.length === 0) {
      return undefined;
    }
    const bytes = this.#collected.take();
    this.#hold();
    this.#owner.acknowledge();
    return bytes;
  }

  retain(bytes: number): void {
    this.#retained = bytes;
    this.#hold();
  }

  get isTaken(): boolean {
    return this.#isEnded && this.#collected.length === 0;
  }

  /** Updates the number of bytes that the connection holds. */
  #hold(): void {
    const held = this.#isOver ? 0 : this.#collected.capacity + this.#retained;
    if (held !== this.#held) {
      this.#owner.hold(held - this.#held);
      this.#held = held;
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

  /** Passes on the body if it is complete or too large. */
  #deliver(): void {
    const done = this.#done;
    if (done !== undefined && this.#collected.length > this.#limit) {
      this.#reject();
    } else if (done !== undefined && this.#isEnded) {
      this.#done = undefined;
      const { capacity } = this.#collected;
      const body = this.#collected.take();
      // The handler may keep the bytes until the request is over.
      this.retain(capacity);
      done(body);
    }
  }
}
