import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildDateOf } from "../../../../src/tools/geoip/databases/load-build-date.js";
import { mmdbBytes } from "../test-databases.js";
import { columnsBytes, dbIpRecord } from "./block-databases.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "build-date-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function dateOf(content: Buffer): Promise<string | undefined> {
  const path = join(folder, "file");
  await writeFile(path, content);
  return (await buildDateOf(path))?.toISOString();
}

/** More nodes than the 128 KiB at its end have room for, and text that is the number of one of them. */
const large = Object.fromEntries(
  Array.from({ length: 1_000 }, (_, index) => [
    `2600:${index}::/128`,
    { name: `${"\u0001".repeat(200)}${index}` },
  ]),
);

describe("buildDateOf", () => {
  it.each([24, 28, 32] as const)(
    "reads that of a large MMDB file, records of %d bits",
    async (recordSize) => {
      const bytes = mmdbBytes(large, { recordSize, buildEpoch: 1_781_722_800 });
      expect(bytes.length).toBeGreaterThan(128 * 1024);
      expect(await dateOf(bytes)).toBe("2026-06-17T19:00:00.000Z");
    },
  );

  it("reads that of a database in columns", async () => {
    expect(await dateOf(columnsBytes({ "8.0.0.0/8": dbIpRecord("CH") }))).toBe("2026-06-17T19:00:00.000Z");
  });

  it.each([
    ["an empty file", Buffer.alloc(0)],
    ["another file", Buffer.from("text")],
    ["a cut file", columnsBytes({ "8.0.0.0/8": dbIpRecord("CH") }).subarray(0, 20)],
  ])("returns undefined for %s", async (_, content) => {
    expect(await dateOf(content)).toBeUndefined();
  });
});
