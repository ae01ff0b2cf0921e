import { Readable } from "node:stream";
import type { Body } from "../request.js";

/** Bytes of a body that are read and discarded so that the connection can be used again. */
const MAX_DISCARDED = 1024 * 1024;
/** The first allocation for a body that arrives in pieces: a client must send bytes before the server allocates for them. */
const MIN_ALLOCATED = 16_384;
/** A view of less than this part of the input is copied, because a view retains all of the input. */
const MIN_VIEWED = 1 / 2;

const EMPTY = new Uint8Array();

/** What happens to the bytes of a body. They wait in the socket while it is `unread`, and forever if it is `refused`. */
type Mode = "unread" | "collected" | "streamed" | "discarded" | "refused";

/** The bodies of the requests of one connection, one after another, each of a known length. */
export class Http1Body {
  /** The number of bytes that have not been received. */
  left = 0;
  #length = 0;
  /** The number of bytes that have been read as a whole. */
  #delivered = 0;
  #mode: Mode = "unread";
  #done: ((body: Body) => void) | undefined;
  #collected: Buffer | undefined;
  #stream: Readable | undefined;
  /** Whether the stream has room. */
  #hasRoom = false;
  readonly #onWanted: () => void;
  readonly #read = (): void => {
    this.#hasRoom = true;
    this.#onWanted();
  };

  /** `onWanted` is called when `isWanted` may have become true. */
  constructor(onWanted: () => void) {
    this.#onWanted = onWanted;
  }

  /** Begins the body of the next request. */
  begin(length: number): void {
    this.left = length;
    this.#length = length;
    this.#delivered = 0;
    this.#mode = "unread";
  }

  /** Whether more of the body can be taken. */
  get isWanted(): boolean {
    switch (this.#mode) {
      case "collected":
      case "discarded":
        return this.left > 0;
      case "streamed":
        return this.left > 0 && this.#hasRoom;
      default:
        return false;
    }
  }

  /** The number of bytes in memory: of a body that is not complete, or of one that has been read, until the next begins. */
  get held(): number {
    return this.#collected?.length ?? this.#delivered;
  }

  /** Whether the rest is so long that the connection must close if it is not read. */
  get isLong(): boolean {
    return this.left > MAX_DISCARDED;
  }

  /** Whether the rest is not read because it is too long. */
  get isRefused(): boolean {
    return this.#mode === "refused" && this.left > 0;
  }

  /** Calls back with the whole body, at once if it is empty or longer than `limit`. */
  collect(limit: number, done: (body: Body) => void): void {
    this.#claim();
    if (this.#length > limit) {
      this.discard();
      done("too large");
    } else if (this.#length === 0) {
      done(EMPTY);
    } else {
      this.#mode = "collected";
      this.#done = done;
      this.#onWanted();
    }
  }

  /** Returns a stream of the body. */
  stream(): Readable {
    this.#claim();
    this.#mode = "streamed";
    this.#hasRoom = false;
    const stream = new Readable({
      read: this.#read,
      destroy: (error, callback) => {
        if (this.#stream === stream) {
          this.#stream = undefined;
          this.discard();
        }
        callback(error);
      },
    });
    // Without a listener, a client that disconnects would end the process.
    stream.on("error", ignore);
    if (this.left === 0) {
      stream.push(null);
    } else {
      this.#stream = stream;
    }
    return stream;
  }

  /** Takes bytes of the body from a position of the input. Returns how many, 0 if the body must wait. */
  take(input: Buffer, at: number): number {
    if (!this.isWanted) {
      return 0;
    }
    const count = Math.min(this.left, input.length - at);
    const isWhole = count === this.#length;
    this.left -= count;
    if (this.#mode === "streamed") {
      this.#push(input, at, count);
    } else if (this.#mode === "collected") {
      if (!isWhole) {
        this.#append(input, at, count);
      }
      if (this.left === 0) {
        this.#finish(isWhole ? input.subarray(at, at + count) : this.#collected);
      }
    }
    return count;
  }

  /** Discards the rest, if it is short enough. */
  discard(): void {
    this.#mode = this.isLong ? "refused" : "discarded";
    this.#done = undefined;
    this.#collected = undefined;
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.destroy(new Error("The response was sent before the end of the request body"));
    this.#onWanted();
  }

  /** Called when the client has disconnected. */
  abort(): void {
    this.#done = undefined;
    this.#collected = undefined;
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.destroy(new Error("The client disconnected before the end of the request body"));
  }

  #claim(): void {
    if (this.#mode !== "unread") {
      throw new Error("The request body has been read already");
    }
    this.#mode = "discarded";
  }

  #finish(body: Uint8Array = EMPTY): void {
    const done = this.#done;
    this.#done = undefined;
    this.#collected = undefined;
    this.#delivered = body.length;
    done?.(body);
  }

  #push(input: Buffer, at: number, count: number): void {
    const view = input.subarray(at, at + count);
    const stream = this.#stream;
    this.#hasRoom = stream?.push(count < input.length * MIN_VIEWED ? Buffer.from(view) : view) ?? false;
    if (this.left === 0) {
      this.#stream = undefined;
      stream?.push(null);
    }
  }

  /** Copies bytes to a buffer that grows with the body: many small pieces would take far more memory than their bytes. */
  #append(input: Buffer, at: number, count: number): void {
    const end = this.#length - this.left;
    let collected = this.#collected;
    if (collected === undefined || collected.length < end) {
      const capacity = Math.max(end, MIN_ALLOCATED, 2 * (collected?.length ?? 0));
      const larger = Buffer.allocUnsafeSlow(Math.min(this.#length, capacity));
      collected?.copy(larger, 0, 0, end - count);
      collected = larger;
      this.#collected = collected;
    }
    input.copy(collected, end - count, at, at + count);
  }
}

function ignore(): void {}
