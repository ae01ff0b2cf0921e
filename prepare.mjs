// Decompresses the data files and builds the service; npm runs it at the end of `npm ci`. Only the build needs the optional
// dependencies: without them, an earlier build is kept.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

const BUILT = ["packages/connect-transcoding/dist/index.js", "dist/src/main.js", "dist/workbench/index.html"];

// Renamed when it is complete, because a running service may load it at any time.
for (const file of ["data/asn.mmdb", "data/city.columns"]) {
  writeFileSync(`${file}.new`, brotliDecompressSync(readFileSync(`${file}.br`)));
  renameSync(`${file}.new`, file);
}

const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const missing = Object.keys(optionalDependencies).filter((name) => !existsSync(`node_modules/${name}`));
if (missing.length === 0) {
  const { status } = spawnSync("npm run build", { shell: true, stdio: "inherit" });
  process.exitCode = status ?? 1;
} else if (BUILT.every((file) => existsSync(file))) {
  console.log("the service is not built again, because the optional dependencies are not installed");
} else {
  console.error(
    `the service is not built, and the build needs ${missing.join(", ")}: install without --omit=optional`,
  );
  process.exitCode = 1;
}
