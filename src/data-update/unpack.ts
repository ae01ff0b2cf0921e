import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { systemErrorCode } from "connect-transcoding-operations/failures/system-error";
import { unpackTar } from "modern-tar";
import { type Failure, fail, ok, type Result } from "../failures/result.js";

/** The maximum length of an unpacked file in bytes. The largest database that a source offers has some 150 MB. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;

/** Why a download has no MMDB file. The description continues a sentence that begins with the source. */
export type UnpackFailure = Failure<"INVALID_DOWNLOAD">;

/**
 * Unpacks a download: an MMDB file, which may be compressed with gzip, or a tar archive with one, which may be compressed
 * with gzip. The content decides, not the name. Never throws.
 */
export async function unpack(
  download: Uint8Array,
  maxBytes = MAX_UNPACKED_BYTES,
): Promise<Result<Buffer, UnpackFailure>> {
  const plain = isGzip(download) ? await decompress(download, maxBytes) : ok(asBuffer(download));
  return plain.ok && isTar(plain.value) ? databaseIn(plain.value) : plain;
}

/** RFC 1952, section 2.3.1. */
function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

async function decompress(bytes: Uint8Array, maxBytes: number): Promise<Result<Buffer, UnpackFailure>> {
  try {
    return ok(await promisify(gunzip)(bytes, { maxOutputLength: maxBytes }));
  } catch (thrown) {
    return fail(
      "INVALID_DOWNLOAD",
      `has a gzip file that is damaged, incomplete or too large (${systemErrorCode(thrown)})`,
    );
  }
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
