import type { Socket } from "node:net";

/** Bytes up to this length are sent together with the text before them. */
const MAX_JOINED = 4096;
/** The maximum length of a write: a client that reads slowly shows progress after each. */
const MAX_WRITE = 65_536;

/** The output of a connection. Text is collected until `flush`, so that several responses take one write. */
export class Output {
  /** Text to send; one character is one byte. */
  #text = "";
  /** Bytes that are sent piece by piece. */
  #rest: Uint8Array | undefined;
  /** The number of bytes of which they are the rest: they stay in memory until the last piece is sent. */
  #retained = 0;
  /** The number of bytes passed to the socket. */
  #written = 0;
  /** Called once everything has been passed to the socket. */
  #onEnd: (() => void) | undefined;
  readonly #socket: Socket;
  readonly #onDrained: () => void;
  readonly #onWritten = (): void => this.#writeRest();
  readonly #onLastWritten = (): void => {
    this.#retained = 0;
    // The socket emits "drain" before it calls back.
    this.#onDrained();
  };

  /** `onDrained` is called when `isBlocked` may have become false, and when `held` is smaller. */
  constructor(socket: Socket, onDrained: () => void) {
    this.#socket = socket;
    this.#onDrained = onDrained;
  }

  /** Whether the next request must wait because too much output is unsent, or because the connection is broken. */
  get isBlocked(): boolean {
    // A handler that writes in microtasks would otherwise never let the socket emit "close".
    return this.#rest !== undefined || this.#socket.writableNeedDrain || this.#socket.errored !== null;
  }

  /** The number of bytes that the operating system has not accepted. */
  get unsent(): number {
    return this.#text.length + this.#socket.writableLength + (this.#rest?.length ?? 0);
  }

  /** The number of bytes of memory. */
  get held(): number {
    return this.#text.length + Math.max(this.#socket.writableLength, this.#retained);
  }

  /** The number of bytes that the operating system has accepted, in whole writes. */
  get sent(): number {
    return this.#written - this.#socket.writableLength;
  }

  /** Adds text, with one character per byte. */
  addText(text: string): void {
    this.#text += text;
    if (this.#text.length > MAX_WRITE) {
      this.flush();
    }
  }

  /** Adds bytes. Keeps a reference to them if they are many. */
  addBytes(bytes: Uint8Array): void {
    if (bytes.length <= MAX_JOINED) {
      this.addText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1"));
      return;
    }
    this.join(() => {
      this.flush();
      this.#rest = bytes;
      this.#retained = bytes.length;
      this.#writeRest();
    });
  }

  /** Sends the added output. Calls back when the operating system has accepted it, or with an error. */
  flush(callback?: (error?: Error | null) => void): void {
    const text = this.#text;
    this.#text = "";
    this.#written += text.length;
    if (text !== "" || callback !== undefined) {
      this.#socket.write(text, "latin1", callback);
    }
  }

  /** Joins the writes of `write` to one. */
  join(write: () => void): void {
    this.#socket.cork();
    write();
    this.#socket.uncork();
  }

  /** Passes all output to the socket, then calls `onEnd`, which ends the socket. */
  end(onEnd: () => void): void {
    this.flush();
    if (this.#rest === undefined) {
      onEnd();
    } else {
      this.#onEnd = onEnd;
    }
  }

  /** Writes the next piece. The pieces are separate writes, because the socket joins those that wait at the same time. */
  #writeRest(): void {
    const rest = this.#rest;
    if (rest === undefined) {
      return;
    }
    const piece = rest.length <= MAX_WRITE ? rest : rest.subarray(0, MAX_WRITE);
    this.#rest = piece === rest ? undefined : rest.subarray(MAX_WRITE);
    this.#written += piece.length;
    if (this.#rest !== undefined) {
      this.#socket.write(piece, this.#onWritten);
      return;
    }
    this.#socket.write(piece, this.#onLastWritten);
    this.#onEnd?.();
    this.#onDrained();
  }
}
