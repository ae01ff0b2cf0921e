import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { constants } from "node:os";
import { systemErrorText } from "connect-transcoding-operations/failures/system-error";
import { EXIT } from "../../failures/exit-status.js";
import { StreamError } from "../stream-error.js";
import { type OutputStream, outputFile } from "./sinks.js";

const STOP_SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/**
 * Writes a file with a function, and replaces one that exists only when all is written. A path that leads to no regular file, such as
 * `/dev/stdout`, is written directly. Rejects with a {@link StreamError} if the file cannot be written, and with what `write` rejects with.
 */
export async function replaceWhenWritten(
  path: string,
  write: (out: OutputStream) => Promise<void>,
): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const stats = await stat(target).catch(() => undefined);
  if (stats !== undefined && !stats.isFile()) {
    const out = outputFile(path);
    await write(out);
    return out.sink.end();
  }
  const temporary = `${target}.${randomUUID()}.partial`;
  const stop = (signal: (typeof STOP_SIGNALS)[number]): void => {
    rmSync(temporary, { force: true });
    process.exit(128 + constants.signals[signal]);
  };
  STOP_SIGNALS.forEach((signal) => void process.once(signal, stop));
  try {
    const out = outputFile(path, temporary);
    await write(out);
    await out.sink.end();
    await rename(temporary, target).catch((cause: unknown) => {
      throw new StreamError(`${path} cannot be written (${systemErrorText(cause)})`, EXIT.io, cause);
    });
  } finally {
    STOP_SIGNALS.forEach((signal) => void process.off(signal, stop));
    await rm(temporary, { force: true }).catch(() => {});
  }
}
