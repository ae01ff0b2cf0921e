import { Writable } from "node:stream";
import type { HeaderList, ResponseStream } from "../request.js";
import type { Output } from "./output.js";

/** The maximum length of a chunk. */
const MAX_CHUNK = 65_536;

const LINE_END = "\r\n";
/** The last chunk, without trailers (RFC 9112, section 7.1). */
const LAST_CHUNK = "0\r\n\r\n";

type Callback = (error?: Error | null) => void;

/** The interface of a connection that a response stream uses. */
export interface ResponseStreamOptions {
  readonly output: Output;
  /** Whether the response has no body. If so, writes are ignored. */
  readonly isEmpty: boolean;
  /** Called when the stream has ended. */
  onFinish(): void;
  /** Called if the stream is destroyed before it has ended. */
  onAbort(): void;
}

/** A response of unknown length in the chunked transfer coding. A write is complete when the socket has accepted it. */
export class Http1ResponseStream extends Writable implements ResponseStream {
  trailers: HeaderList = [];
  #hasEnded = false;
  readonly #options: ResponseStreamOptions;

  constructor(options: ResponseStreamOptions) {
    super();
    this.#options = options;
    // Without a listener, a client that disconnects would end the process.
    this.on("error", ignore);
  }

  override _write(bytes: Uint8Array, _encoding: string, callback: Callback): void {
    this.#send(bytes, callback);
  }

  override _writev(
    writes: readonly { chunk: Uint8Array; encoding: BufferEncoding }[],
    callback: Callback,
  ): void {
    this.#send(Buffer.concat(writes.map(({ chunk }) => chunk)), callback);
  }

  #send(bytes: Uint8Array, callback: Callback): void {
    const { isEmpty, output } = this.#options;
    if (isEmpty || bytes.length === 0) {
      callback();
      return;
    }
    const chunk = bytes.length <= MAX_CHUNK ? bytes : bytes.subarray(0, MAX_CHUNK);
    const onSent: Callback =
      chunk === bytes
        ? callback
        : (error) => (error ? callback(error) : this.#send(bytes.subarray(MAX_CHUNK), callback));
    output.join(() => {
      output.addText(chunk.length.toString(16) + LINE_END);
      output.addBytes(chunk);
      output.addText(LINE_END);
      output.flush(onSent);
    });
  }

  override _final(callback: Callback): void {
    const { isEmpty, output, onFinish } = this.#options;
    this.#hasEnded = true;
    if (!isEmpty) {
      output.addText(LAST_CHUNK);
    }
    onFinish();
    callback();
  }

  override _destroy(error: Error | null, callback: Callback): void {
    if (!this.#hasEnded) {
      this.#options.onAbort();
    }
    callback(error);
  }
}

function ignore(): void {}
