import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { ServerRequest } from "../../src/request.js";

/** Iterations of the event loop until a connection must be over. */
const MAX_TURNS = 100;

/** A socket in memory: what the client sends, and everything that the server writes. */
export class MemorySocket extends Duplex {
  readonly remoteAddress = "192.0.2.1";
  bytesRead = 0;
  bytesWritten = 0;
  #isFinal = false;
  readonly #isSlow: boolean;
  readonly #output: Buffer[] = [];

  /** `isSlow` says whether the client reads each write an iteration of the event loop later. */
  constructor(isSlow = false) {
    super({ allowHalfOpen: true, emitClose: true });
    this.#isSlow = isSlow;
  }

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

  /** Whether the server has closed its half, or the connection. */
  get hasEnded(): boolean {
    return this.#isFinal || this.destroyed;
  }

  /** Everything that the server has written. */
  get output(): Buffer {
    return Buffer.concat(this.#output);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.bytesWritten += chunk.length;
    // The server may write to the buffer again, as the operating system has accepted the bytes.
    this.#output.push(Buffer.from(chunk));
    if (this.#isSlow) {
      setImmediate(done);
    } else {
      done();
    }
  }

  override _final(done: () => void): void {
    this.#isFinal = true;
    done();
  }

  /** The socket, for a connection, which uses what a Duplex and this class have. */
  asSocket(): Socket {
    return this as unknown as Socket;
  }

  /** Waits until something holds, at most for a hundred turns of the event loop. `onTurn` is called in each with its number. */
  async until(holds: () => boolean, onTurn: (turns: number) => void = () => {}): Promise<void> {
    for (let turns = 0; turns < MAX_TURNS && !holds(); turns++) {
      onTurn(turns);
      await turn();
    }
  }
}

/** Returns a problem for each number that is not 0 after the end of a connection. */
export function leftAfterEnd(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([what, left]) =>
    left === 0 ? [] : [`${left} ${what} are left after the end`],
  );
}

/** Responds with some bytes, then the body of the request, part by part, and with trailers. */
export function respondInParts(
  request: ServerRequest,
  status: number,
  first: Buffer | undefined,
  trailers: string[],
): void {
  const response = request.openResponse(status, ["x-a", "b"]);
  const body = request.openBody(copy);
  let isBlocked = first !== undefined && !response.write(first, onReady);
  let isOver = false;
  copy();

  function onReady(): void {
    isBlocked = false;
    copy();
  }

  function copy(): void {
    while (!isBlocked && !isOver) {
      const part = body.take();
      if (part === undefined) {
        if (body.isTaken) {
          isOver = true;
          response.end(undefined, trailers);
        }
        return;
      }
      isBlocked = !response.write(part, onReady);
    }
  }
}
