import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** A socket in memory: what the client sends, and everything that the server writes. */
export class MemorySocket extends Duplex {
  readonly remoteAddress = "192.0.2.1";
  bytesRead = 0;
  bytesWritten = 0;
  readonly #isSlow: boolean;
  readonly #output: Buffer[] = [];
  /** Called when the server has written something or has closed its half. */
  onOutput: (chunk: Buffer | undefined) => void = () => {};

  /** `isSlow` says whether the client reads each write an iteration of the event loop later. */
  constructor(isSlow = false) {
    super({ allowHalfOpen: true, emitClose: true });
    this.#isSlow = isSlow;
  }

  /** Receives bytes from the client. */
  receive(bytes: Buffer): void {
    this.bytesRead += bytes.length;
    this.push(bytes);
  }

  /** As that of `net.Socket`. */
  destroySoon(): void {
    if (this.writable) {
      this.end();
    }
    if (this.writableFinished) {
      this.destroy();
    } else {
      this.once("finish", () => this.destroy());
    }
  }

  /** Everything that the server has written. */
  get output(): Buffer {
    return Buffer.concat(this.#output);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // The server may write to the buffer again, as the operating system has accepted the bytes.
    const copy = Buffer.from(chunk);
    this.bytesWritten += chunk.length;
    this.#output.push(copy);
    this.onOutput(copy);
    if (this.#isSlow) {
      setImmediate(done);
    } else {
      done();
    }
  }

  override _final(done: () => void): void {
    this.onOutput(undefined);
    done();
  }

  /** The socket, for a connection, which uses what a Duplex and this class have. */
  asSocket(): Socket {
    return this as unknown as Socket;
  }
}
