import { type BigIntStats, createReadStream, fstatSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import { systemErrorText } from "connect-transcoding-operations/failures/system-error";
import { EXIT } from "../../failures/exit-status.js";
import { StreamError } from "../stream-error.js";

/** Standard input, or a file that is read in its place. */
export interface InputStream {
  readonly isTerminal: boolean;
  /** The length in bytes if it is a file; otherwise undefined. */
  readonly size: number | undefined;
  readonly chunks: AsyncIterable<Buffer>;
}

function unreadable(name: string, cause: unknown): StreamError {
  return new StreamError(`${name} cannot be read (${systemErrorText(cause)})`, EXIT.io, cause);
}

/** Describes standard input. It is opened by the first read, because opening can fail and most commands do not need it. */
export function standardInput(): InputStream {
  const stats = statsOrNone(() => fstatSync(0, { bigint: true }));
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      // Node reads a folder as empty input.
      if (stats?.isDirectory()) {
        throw Object.assign(new Error("standard input is a folder"), { code: "EISDIR" });
      }
      yield* process.stdin;
    } catch (thrown) {
      throw unreadable("standard input", thrown);
    }
  }
  return { isTerminal: isatty(0), size: stats?.isFile() ? Number(stats.size) : undefined, chunks: chunks() };
}

/** Describes a file that is read in place of standard input. It is opened by the first read. */
export function inputFile(path: string): InputStream {
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      yield* createReadStream(path);
    } catch (thrown) {
      throw unreadable(path, thrown);
    }
  }
  const stats = fileStats(path);
  return { isTerminal: false, size: stats && Number(stats.size), chunks: chunks() };
}

/** Whether two paths are one existing file, which cannot be read while it is written. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [fileStats(one), fileStats(other)];
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

/** Returns undefined for anything but a regular file. A problem with the path is reported when the file is opened. */
function fileStats(path: string): BigIntStats | undefined {
  const stats = statsOrNone(() => statSync(path, { bigint: true }));
  return stats?.isFile() ? stats : undefined;
}

/**
 * Returns undefined if the stats cannot be read. Node keeps the result of the last stat in a buffer that `realpathSync` reads: if that is a
 * pipe, a later `import()` does not resolve symbolic links, and loads modules twice. Stats in bigint use another buffer.
 */
function statsOrNone(read: () => BigIntStats): BigIntStats | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
