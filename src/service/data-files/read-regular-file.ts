import { constants, type FileHandle, open, stat } from "node:fs/promises";
import { type Failure, fail, ok, type Result } from "../../result.js";

/** Why a file cannot be read; the description goes on after its path, and has no word of what is in it. */
export type ReadFailure = Failure<"FILE_NOT_FOUND" | "FILE_UNREADABLE" | "FILE_TOO_LARGE" | "FILE_CHANGED">;

/**
 * Reads a file as a whole, if it is one, has no more than `maxOctets`, and stays as it is meanwhile: half of one version
 * and half of another can look well. Never waits for anybody, whatever the path leads to: a directory fails late, and a
 * device or a pipe may never end.
 */
export async function readRegularFile(
  path: string,
  maxOctets = Number.POSITIVE_INFINITY,
): Promise<Result<Buffer, ReadFailure>> {
  try {
    // Without the second flag a named pipe is opened once somebody writes to it, which may be never.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return await readOpen(file, path, maxOctets);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return code === "ENOENT" || code === "ENOTDIR"
      ? fail("FILE_NOT_FOUND", "does not exist")
      : fail("FILE_UNREADABLE", `cannot be read (${code})`);
  }
}

async function readOpen(
  file: FileHandle,
  path: string,
  maxOctets: number,
): Promise<Result<Buffer, ReadFailure>> {
  const before = await file.stat({ bigint: true });
  if (!before.isFile()) {
    return fail("FILE_UNREADABLE", "is not a regular file");
  }
  if (before.size > maxOctets) {
    return fail("FILE_TOO_LARGE", `is too large; allowed: ${maxOctets} octets`);
  }
  const octets = await readUpTo(file, Number(before.size) + 1);
  const after = await stat(path, { bigint: true });
  const isSame = (["ino", "size", "mtimeNs", "ctimeNs"] as const).every(
    (name) => before[name] === after[name],
  );
  return isSame && octets.length === Number(before.size)
    ? ok(octets)
    : fail("FILE_CHANGED", "was changed while it was read");
}

/** What is in a file, or its first `length` octets: one that grows meanwhile, or says that it is empty, takes no more memory. */
async function readUpTo(file: FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (let read = -1; read !== 0 && end < length; end += read) {
    read = (await file.read(buffer, end, length - end)).bytesRead;
  }
  return buffer.subarray(0, end);
}
