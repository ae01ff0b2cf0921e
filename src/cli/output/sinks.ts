import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";
import { systemErrorCode, systemErrorText } from "connect-transcoding-operations/failures/system-error";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import { StreamError } from "../stream-error.js";

/** A standard stream or a file that is written, and whether it is a terminal. */
export interface OutputStream {
  readonly isTerminal: boolean;
  /** Columns of the terminal; undefined for a file, a pipe or an unknown width. */
  readonly width: number | undefined;
  readonly sink: Sink;
}

/** A destination of output. */
export interface Sink {
  /** Resolves when there is room for more. Rejects with a {@link StreamError} if nothing more can be written. */
  write(data: string | Uint8Array): Promise<void>;
  /** Resolves when all data has been handed over. Rejects like `write`. */
  end(): Promise<void>;
}

/** Describes a standard output of the process. The stream stays open. */
export function standardOutput(stream: NodeJS.WriteStream, name: string): OutputStream {
  return {
    isTerminal: stream.isTTY === true,
    // A terminal of unknown width reports 0.
    width: stream.columns || undefined,
    sink: createSink(() => stream, name, false),
  };
}

/**
 * Describes a file that is created or truncated by the first write: without a response it stays as it is.
 *
 * @param name what errors call it
 */
export function outputFile(name: string, path = name): OutputStream {
  return { isTerminal: false, width: undefined, sink: createSink(() => createWriteStream(path), name, true) };
}

/** Ends outputs. Resolves to `status`, or to another one if something cannot be written. A reader that has gone is no error. */
export async function endOutputs(
  status: ExitStatus,
  ...outputs: readonly OutputStream[]
): Promise<ExitStatus> {
  try {
    for (const { sink } of outputs) {
      await sink.end();
    }
    return status;
  } catch (thrown) {
    if (!(thrown instanceof StreamError)) {
      throw thrown;
    }
    return thrown.isReaderGone ? status : EXIT.io;
  }
}

function createSink(open: () => Writable, name: string, closes: boolean): Sink {
  let stream: Writable | undefined;
  let broken: StreamError | undefined;
  const waiting: (() => void)[] = [];
  const wake = (): void => waiting.splice(0).forEach((resolve) => void resolve());

  function opened(): Writable {
    if (stream === undefined) {
      stream = open().on("error", (cause) => {
        const problem = `${name} cannot be written (${systemErrorText(cause)})`;
        broken ??= new StreamError(problem, EXIT.io, cause, systemErrorCode(cause) === "EPIPE");
        wake();
      });
      stream.on("drain", wake).on("close", wake);
    }
    return stream;
  }

  /** Starts something, and waits until that or the stream has ended. Throws if the stream is broken. */
  async function settle(start: (done: () => void) => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      if (broken !== undefined || start(resolve)) {
        resolve();
      } else {
        waiting.push(resolve);
      }
    });
    if (broken !== undefined) {
      throw broken;
    }
  }

  return {
    write: (data) => settle(() => opened().write(data)),
    async end() {
      const target = stream;
      if (target !== undefined) {
        await settle((done) => {
          if (closes) {
            target.end();
          } else {
            target.write("", () => done());
          }
          return false;
        });
      }
    },
  };
}
