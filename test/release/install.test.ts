import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { documentsWithBlocks, withBlocks } from "../../scripts/release/install.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const { version } = JSON.parse(read("package.json"));

test.each(documentsWithBlocks())(
  "%s installs as release.config.json says: run `node scripts/release/install.mjs`",
  (file) => {
    expect(read(file)).toBe(withBlocks(read(file), JSON.parse(read("release.config.json")), version));
  },
);
