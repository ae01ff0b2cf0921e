import type { Socket } from "node:net";

/** Bytes up to this length are sent together with the text before them. */
const MAX_JOINED = 4096;
/** The length of text from which it is not collected any longer. */
const MAX_TEXT = 65_536;

/** The output of a connection. Text is collected until `flush`, so that several responses take one write. */
export class Output {
  /** Text to send; one character is one byte. */
  #text = "";
  #isScheduled = false;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Whether the next request must wait because too much output is unsent, or because the connection is broken. */
  get isBlocked(): boolean {
    // A handler that writes in microtasks would otherwise never let the socket emit "close".
    return this.#socket.writableNeedDrain || this.#socket.errored !== null;
  }

  /** The number of bytes that the socket does not have yet. */
  get length(): number {
    return this.#text.length;
  }

  addText(text: string): void {
    this.#text += text;
    if (this.#text.length > MAX_TEXT) {
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
      this.#socket.write(bytes);
    });
  }

  flush(): void {
    const text = this.#text;
    if (text !== "") {
      this.#text = "";
      this.#socket.write(text, "latin1");
    }
  }

  /** Sends everything that is added in this turn of the event loop at its end. */
  flushLater(): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      process.nextTick(() => {
        this.#isScheduled = false;
        this.flush();
      });
    }
  }

  /** Joins the writes of `write` to one. */
  join(write: () => void): void {
    this.#socket.cork();
    write();
    this.#socket.uncork();
  }
}
