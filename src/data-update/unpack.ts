import { createGunzip } from "node:zlib";
import { systemErrorCode } from "connect-transcoding-operations/failures/system-error";
import { unpackTar } from "modern-tar";
import type { FolderFile } from "../data-files/data-folder.js";
import { type Failure, fail, ok, type Result } from "../failures/result.js";

const MIB = 1024 * 1024;

/**
 * The maximum length of an unpacked file in bytes. The largest database that a source offers has some 150 MB, and the list of disposable
 * domains less than 1 MB.
 */
export const MAX_UNPACKED_BYTES: Readonly<Record<FolderFile, number>> = {
  city: 320 * MIB,
  asn: 320 * MIB,
  disposable: 16 * MIB,
};

/** Why a download has no file that can be used. The description continues a sentence that begins with the source. */
export type UnpackFailure = Failure<"INVALID_DOWNLOAD">;

/**
 * Unpacks a download: a file, which may be compressed with gzip, or a tar archive with an MMDB file, which may be compressed
 * with gzip. The content decides, not the name. Never throws. Takes no more memory than `maxBytes`, and twice that for an archive.
 */
export async function unpack(download: Uint8Array, maxBytes: number): Promise<Result<Buffer, UnpackFailure>> {
  const plain = isGzip(download) ? await decompress(download, maxBytes) : ok(asBuffer(download));
  if (plain.ok && plain.value.length > maxBytes) {
    return tooLarge(maxBytes);
  }
  return plain.ok && isTar(plain.value) ? databaseIn(plain.value) : plain;
}

/** RFC 1952, section 2.3.1. */
function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Decompresses twice: first to count the bytes, so that one buffer is large enough for them and no larger. */
async function decompress(bytes: Uint8Array, maxBytes: number): Promise<Result<Buffer, UnpackFailure>> {
  try {
    let length = 0;
    for await (const part of inflated(bytes)) {
      length += part.length;
      if (length > maxBytes) {
        return tooLarge(maxBytes);
      }
    }
    const content = Buffer.allocUnsafeSlow(length);
    let at = 0;
    for await (const part of inflated(bytes)) {
      content.set(part, at);
      at += part.length;
    }
    return ok(content);
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    return fail("INVALID_DOWNLOAD", `has a gzip file that is damaged or incomplete (${code})`);
  }
}

function inflated(bytes: Uint8Array): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize: MIB });
  gunzip.end(bytes);
  return gunzip;
}

function tooLarge(maxBytes: number): Result<never, UnpackFailure> {
  return fail(
    "INVALID_DOWNLOAD",
    `has a file that is too large; allowed: ${maxBytes} bytes without compression`,
  );
}

/** The magic bytes of a tar header (POSIX.1-1988, `ustar`). */
function isTar(bytes: Buffer): boolean {
  return bytes.toString("latin1", 257, 262) === "ustar";
}

/** Returns the MMDB file in a tar archive. MaxMind's archives have it beside its license, in a folder. */
async function databaseIn(archive: Buffer): Promise<Result<Buffer, UnpackFailure>> {
  try {
    const entries = await unpackTar(archive, {
      filter: ({ name, type }) => type === "file" && name.endsWith(".mmdb"),
      strict: true,
    });
    const [entry] = entries;
    return entries.length === 1 && entry?.data !== undefined
      ? ok(asBuffer(entry.data))
      : fail("INVALID_DOWNLOAD", `has an archive with ${entries.length} MMDB files instead of one`);
  } catch {
    return fail("INVALID_DOWNLOAD", "has a tar archive that is damaged or incomplete");
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
