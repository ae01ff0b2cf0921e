import type { Socket } from "node:net";
import { copyOf, joined } from "./copy-of.js";
import { clientQueue, createQueue, type Queue, turns } from "./turns.js";

/** Why the handling of input stopped before its end, or that it did not. */
export type Stop =
  /** More bytes are needed. */
  | "incomplete"
  /** Something else has to happen first; then `Input.resume` is called. */
  | "blocked"
  /** The turn is over. */
  | "time";

export interface InputHandler {
  /** The address at the other end, with whose other connections it takes turns. */
  readonly peerAddress: string;
  /**
   * Handles bytes until a time of `performance.now()`. Returns the position of the first byte that waits, and says in
   * `Input.stop` why. Calls with `until` in the past handle at least one unit.
   */
  handleInput(bytes: Buffer, until: number): number;
  /** Called at the end of the client's half, after all bytes have been handled. */
  endInput(): void;
  /** Called when `Input.held` has changed. */
  updateBudget(): void;
}

/** The number of waiting bytes from which on a socket is paused. With fewer it is still read, to notice the end of its input. */
const MIN_PAUSED = 16_384;

/**
 * The input of one connection. It is handled in turns: a connection that has used up its time waits, and so does the input
 * behind a request that is being served. What waits is bounded, because the socket is paused.
 */
export class Input {
  /** Why the latest call of `handleInput` stopped. */
  stop: Stop = "incomplete";
  /** Whether the client has closed its half of the connection. */
  hasEnded = false;
  isHandling = false;
  /** Whether further input is not handled. */
  isClosed = false;
  /** The bytes that wait. */
  rest: Buffer | undefined;
  /** Whether bytes wait for the turn of the connection. */
  isQueued = false;
  readonly #socket: Socket;
  readonly #handler: InputHandler;
  #queue: Queue | undefined;

  constructor(socket: Socket, handler: InputHandler) {
    this.#socket = socket;
    this.#handler = handler;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("end", () => this.#end());
  }

  /** The number of bytes of memory. */
  get held(): number {
    return (this.rest?.buffer.byteLength ?? 0) + this.#socket.readableLength;
  }

  /** Whether bytes wait for something else than more bytes. */
  get isWaiting(): boolean {
    return this.isQueued || (this.rest !== undefined && this.stop !== "incomplete");
  }

  /** The queue of the connection's work. */
  get queue(): Queue {
    this.#queue ??= createQueue(clientQueue(this.#handler.peerAddress));
    return this.#queue;
  }

  /** Continues with input that was blocked. */
  resume(): void {
    if (!this.isHandling && !this.isQueued && this.stop === "blocked" && !this.isClosed) {
      this.#run(this.#take());
    }
  }

  /** Discards the input, now and in future. */
  close(): void {
    this.isClosed = true;
    this.rest = undefined;
  }

  #receive(chunk: Buffer): void {
    if (this.isClosed) {
      return;
    }
    const bytes = this.rest === undefined ? chunk : joined(this.rest, chunk);
    if (this.isQueued) {
      this.rest = bytes;
      this.#updateFlow();
      this.#handler.updateBudget();
    } else {
      this.rest = undefined;
      this.#run(bytes);
    }
  }

  #take(): Buffer {
    const bytes = this.rest ?? NOTHING;
    this.rest = undefined;
    return bytes;
  }

  #run(bytes: Buffer): void {
    const until = turns.deadline();
    if (until === undefined) {
      this.rest = bytes;
      this.#wait();
    } else {
      this.#handle(bytes, until);
    }
  }

  #wait(): void {
    this.isQueued = true;
    turns.add(this.queue, (until) => {
      this.isQueued = false;
      if (!this.isClosed) {
        this.#handle(this.#take(), until);
      }
      return true;
    });
    this.#updateFlow();
    this.#handler.updateBudget();
  }

  #handle(bytes: Buffer, until: number): void {
    this.isHandling = true;
    this.stop = "incomplete";
    const at = this.#handler.handleInput(bytes, until);
    this.isHandling = false;
    if (this.isClosed) {
      return;
    }
    if (at < bytes.length) {
      const rest = bytes.subarray(at);
      // A view retains all of the input.
      this.rest = rest.length < bytes.length / 2 ? copyOf(rest) : rest;
    }
    if ((this.stop as Stop) === "time") {
      this.#wait();
      return;
    }
    this.#updateFlow();
    this.#handler.updateBudget();
    if (this.hasEnded && !this.isWaiting) {
      this.#handler.endInput();
    }
  }

  #updateFlow(): void {
    const waiting = this.rest?.length ?? 0;
    if (waiting >= MIN_PAUSED && (this.isQueued || this.stop === "blocked")) {
      this.#socket.pause();
    } else if (this.#socket.isPaused()) {
      this.#socket.resume();
    }
  }

  #end(): void {
    this.hasEnded = true;
    if (!this.isClosed && !this.isWaiting) {
      this.#handler.endInput();
    }
  }
}

const NOTHING: Buffer = Buffer.alloc(0);
