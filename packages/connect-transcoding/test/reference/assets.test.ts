import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PACKAGE = join(import.meta.dirname, "../..");

test("assets.ts is what build-reference.mjs writes: run `npm run generate`", async () => {
  const folder = await mkdtemp(join(tmpdir(), "reference-"));
  try {
    const file = join(folder, "assets.ts");
    await promisify(execFile)(process.execPath, [join(PACKAGE, "build-reference.mjs"), file]);
    expect(await readFile(join(PACKAGE, "src/reference/assets.ts"), "utf8")).toBe(
      await readFile(file, "utf8"),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
