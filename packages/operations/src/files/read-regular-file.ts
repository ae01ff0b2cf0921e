import { constants, type FileHandle, open, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { systemErrorCode, systemErrorText } from "../failures/system-error.js";

/** Why a file cannot be read. The description continues a sentence that begins with the path, and quotes nothing of the content. */
export type ReadFailure = Failure<"FILE_NOT_FOUND" | "FILE_UNREADABLE" | "FILE_TOO_LARGE" | "FILE_CHANGED">;

/** How often a file is read that changes meanwhile, and the milliseconds in between: a rename or an appended line takes less. */
const ATTEMPTS = 4;
const PAUSE = 20;

/**
 * Reads a regular file of at most `maxBytes` bytes. Reads it again if it changes meanwhile, and fails if it does each time: half of one
 * version and half of another can look valid. Never blocks: devices and pipes, which may never end, are rejected.
 */
export async function readRegularFile(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Result<Buffer, ReadFailure>> {
  for (let attempt = 1; ; attempt++) {
    const content = await readOnce(path, maxBytes);
    if (content.ok || content.failure.reason !== "FILE_CHANGED" || attempt === ATTEMPTS) {
      return content;
    }
    await wait(PAUSE);
  }
}

async function readOnce(path: string, maxBytes: number): Promise<Result<Buffer, ReadFailure>> {
  try {
    // Without O_NONBLOCK, opening a named pipe blocks until another process writes to it.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return await readOpen(file, path, maxBytes);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = systemErrorCode(error);
    return code === "ENOENT" || code === "ENOTDIR"
      ? fail("FILE_NOT_FOUND", "does not exist")
      : fail("FILE_UNREADABLE", `cannot be read (${systemErrorText(error)})`);
  }
}

async function readOpen(
  file: FileHandle,
  path: string,
  maxBytes: number,
): Promise<Result<Buffer, ReadFailure>> {
  const before = await file.stat({ bigint: true });
  if (!before.isFile()) {
    return fail("FILE_UNREADABLE", "is not a regular file");
  }
  if (before.size > maxBytes) {
    return fail("FILE_TOO_LARGE", `is too large; allowed: ${maxBytes} bytes`);
  }
  const content = await readUpTo(file, Number(before.size) + 1);
  const after = await stat(path, { bigint: true });
  const isSame = (["ino", "size", "mtimeNs", "ctimeNs"] as const).every(
    (name) => before[name] === after[name],
  );
  return isSame && content.length === Number(before.size)
    ? ok(content)
    : fail("FILE_CHANGED", "was changed while it was read");
}

/** Reads at most `length` bytes, so that a file that grows meanwhile does not take more memory. */
async function readUpTo(file: FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (let read = -1; read !== 0 && end < length; end += read) {
    read = (await file.read(buffer, end, length - end)).bytesRead;
  }
  return buffer.subarray(0, end);
}
