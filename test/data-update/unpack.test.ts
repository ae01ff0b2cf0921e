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
  expect(await unpack(await download())).toEqual({ ok: true, value: FILE });
});

describe("a download without an MMDB file", () => {
  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    [
      "truncated",
      () => gzipSync(FILE).subarray(0, -20),
      "a gzip file that is damaged, incomplete or too large (Z_BUF_ERROR)",
    ],
    [
      "damaged",
      () => Buffer.from([0x1f, 0x8b, 1, 2, 3]),
      "a gzip file that is damaged, incomplete or too large (Z_DATA_ERROR)",
    ],
    [
      "too large",
      () => gzipSync(Buffer.alloc(1_000_000)),
      "a gzip file that is damaged, incomplete or too large (ERR_BUFFER_TOO_LARGE)",
    ],
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
