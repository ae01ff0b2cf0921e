// `node packages/testing/src/buf.mjs ARGUMENTS`: runs buf in the current folder, with protoc-gen-es on the PATH. Installs both when they are missing.
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { installPackages } from "./packages.mjs";

const FOLDER = join(import.meta.dirname, "buf");
/** The folder of `buf` and `protoc-gen-es`. */
export const BUF_BIN = join(FOLDER, "node_modules", ".bin");

/** Installs buf when it is missing. Returns the path of the program. */
export function installBuf() {
  installPackages(FOLDER);
  return join(BUF_BIN, "buf");
}

if (process.argv[1] === import.meta.filename) {
  const env = { ...process.env, PATH: [BUF_BIN, process.env.PATH].join(delimiter) };
  const { status } = spawnSync(installBuf(), process.argv.slice(2), { env, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
