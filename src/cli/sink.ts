import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";

/** Where output goes. */
export interface Sink {
  /** Resolves when there is room for more. Rejects with a {@link SinkError} when nothing more can be written. */
  write(data: string | Uint8Array): Promise<void>;
  /** Resolves when all has been handed over. Rejects as `write` does. */
  end(): Promise<void>;
}

/** Output cannot be written. */
export class SinkError extends Error {
  /** Whether whoever read it has gone, which is no fault of anybody's. */
  readonly isReaderGone: boolean;
  constructor(target: string, cause: unknown) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    super(`${target} cannot be written (${code})`, { cause });
    this.name = "SinkError";
    this.isReaderGone = code === "EPIPE";
  }
}

/** Writes to a stream of the process, which stays open. */
export function streamSink(stream: Writable, name: string): Sink {
  return sinkOn(() => stream, name, false);
}

/** Writes to a file, which is made or emptied with the first octets: without an answer it stays as it is. */
export function fileSink(path: string): Sink {
  return sinkOn(() => createWriteStream(path), path, true);
}

function sinkOn(open: () => Writable, name: string, closes: boolean): Sink {
  let stream: Writable | undefined;
  let broken: SinkError | undefined;
  let wake = (): void => {};

  function opened(): Writable {
    if (stream === undefined) {
      stream = open();
      stream.on("error", (cause) => {
        broken ??= new SinkError(name, cause);
        wake();
      });
      stream.on("drain", () => wake());
      stream.on("close", () => wake());
    }
    return stream;
  }

  return {
    async write(data) {
      const target = opened();
      if (broken === undefined && !target.write(data)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (broken !== undefined) {
        throw broken;
      }
    },
    async end() {
      if (stream !== undefined) {
        const target = stream;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (broken !== undefined) {
            resolve();
          } else if (closes) {
            target.end(() => {});
          } else {
            target.write("", () => resolve());
          }
        });
      }
      if (broken !== undefined) {
        throw broken;
      }
    },
  };
}
