// Decompresses and converts the data files, and builds the service; npm runs it at the end of `npm ci`. Only the build needs the optional
// dependencies: without them, an earlier build is kept.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { convertColumns } from "./convert-columns.mjs";

/** Builds the page and the service, and writes the manual page and the help. */
const BUILD =
  "vite build && vite build --config vite.service.config.ts && node dist/src/definitions/write-files.js";
const BUILT = ["dist/src/main.js", "dist/workbench/index.html"];

const DATA = ["data/asn.mmdb", "data/city.columns", "data/country-sources.columns"];

// The first `npx utility-tools` in a clone links the clone, and npm prepares what it links.
if (process.env.npm_command === "exec" && [...BUILT, ...DATA].every((file) => existsSync(file))) {
  process.exit();
}

// Renamed when it is complete, because a running service may load it at any time. Two builds can run at the same time.
for (const file of DATA) {
  const complete = `${file}.${process.pid}.new`;
  const bytes = brotliDecompressSync(readFileSync(`${file}.br`));
  writeFileSync(complete, file.endsWith(".columns") ? convertColumns(bytes) : bytes);
  renameSync(complete, file);
}

const { bin, optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const missing = Object.keys(optionalDependencies).filter((name) => !existsSync(`node_modules/${name}`));
if (missing.length === 0) {
  const { status } = spawnSync(BUILD, { shell: true, stdio: "inherit" });
  process.exitCode = status ?? 1;
  if (status === 0) {
    chmodSync("dist/src/main.js", 0o755);
    linkCommands();
  }
} else if (BUILT.every((file) => existsSync(file))) {
  console.log("the service is not built again, because the optional dependencies are not installed");
} else {
  console.error(
    `the service is not built, and the build needs ${missing.join(", ")}: install without --omit=optional`,
  );
  process.exitCode = 1;
}

/** npm links the commands of dependencies only. `npx @utility-tools/server` in a clone needs those of the clone as well. */
function linkCommands() {
  for (const [name, file] of process.platform === "win32" ? [] : Object.entries(bin)) {
    rmSync(`node_modules/.bin/${name}`, { force: true });
    symlinkSync(`../../${file}`, `node_modules/.bin/${name}`);
  }
}
