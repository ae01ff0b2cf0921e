import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { describe, expect, it } from "vitest";
import { unpack } from "../../src/data-update/unpack.js";
import { databaseFile } from "./fake-publishers.js";

const FILE = databaseFile({ type: "Test", built: "2026-11-01" });

async function archive(...names: string[]): Promise<Buffer> {
  const entries = names.map((name) => ({ header: { name, size: FILE.length }, body: FILE }));
  return Buffer.from(await packTar(entries));
}

it.each<[string, () => Promise<Buffer> | Buffer]>([
  ["an MMDB file", () => FILE],
  ["an MMDB file in gzip", () => gzipSync(FILE)],
  ["a tar archive", () => archive("a/LICENSE.txt", "a/b.mmdb")],
  ["a tar archive in gzip", async () => gzipSync(await archive("b.mmdb", "README"))],
])("unpacks %s", async (_, download) => {
  expect(await unpack(await download(), 3 * FILE.length + 5_000)).toEqual({ ok: true, value: FILE });
});

const TOO_LARGE = "a file that is too large; allowed: 500000 bytes without compression";
const FILE_OF_ZEROS = gzipSync(Buffer.alloc(300_000));

describe("a download without an MMDB file", () => {
  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    [
      "truncated",
      () => gzipSync(FILE).subarray(0, -20),
      "a gzip file that is damaged or incomplete (Z_BUF_ERROR)",
    ],
    [
      "damaged",
      () => Buffer.from([0x1f, 0x8b, 1, 2, 3]),
      "a gzip file that is damaged or incomplete (Z_DATA_ERROR)",
    ],
    [
      "damaged at its end",
      () => Buffer.concat([gzipSync(FILE).subarray(0, -8), Buffer.alloc(8)]),
      "a gzip file that is damaged or incomplete (Z_DATA_ERROR)",
    ],
    ["too large", () => gzipSync(Buffer.alloc(500_001)), TOO_LARGE],
    ["too large in several parts of gzip", () => Buffer.concat([FILE_OF_ZEROS, FILE_OF_ZEROS]), TOO_LARGE],
    ["too large without gzip", () => Buffer.alloc(500_001), TOO_LARGE],
    ["no database", () => archive("a.txt"), "an archive with 0 MMDB files instead of one"],
    ["two databases", () => archive("a.mmdb", "b.mmdb"), "an archive with 2 MMDB files instead of one"],
    [
      "a truncated archive",
      async () => (await archive("a.mmdb")).subarray(0, 1024),
      "a tar archive that is damaged or incomplete",
    ],
  ])("is rejected: %s", async (_, download, problem) => {
    expect(await unpack(await download(), 500_000)).toEqual({
      ok: false,
      failure: { reason: "INVALID_DOWNLOAD", description: `has ${problem}` },
    });
  });
});
