import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { convertColumns } from "../../scripts/convert-columns.mjs";
import { readPackageMmdb } from "./cities/read-package.js";
import { writeColumns } from "./cities/write-columns.js";

// Run manually after an update of the package: builds data/city.columns.br. Takes two minutes and 1.5 GB of memory.
const columns = writeColumns(readPackageMmdb("dbip-city-lite"));
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
const compressed = brotliCompressSync(columns, {
  params: { [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: columns.length },
});
const folder = join(import.meta.dirname, "..");
writeFileSync(join(folder, "city.columns"), convertColumns(columns));
writeFileSync(join(folder, "city.columns.br"), compressed);
const sha256 = createHash("sha256").update(columns).digest("hex");
const sourcesFile = join(folder, "SOURCES.json");
const sources = JSON.parse(readFileSync(sourcesFile, "utf8"));
sources["city.columns"][0].sha256 = sha256;
writeFileSync(sourcesFile, `${JSON.stringify(sources, undefined, 2)}\n`);
console.log(
  `data/city.columns.br was built: ${compressed.length} bytes, ${columns.length} unpacked, SHA-256 ${sha256}`,
);
