import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { BUF_BIN, installBuf } from "../lib/buf.mjs";
import { installPackages } from "../lib/packages.mjs";

/** The proto files that are linted and formatted. */
export const PROTOS = [
  "proto",
  ...["proto", "test/proto"].map((each) => `packages/connect-transcoding/${each}`),
];

/** Runs every command, also after one has failed. Installs their programs when they are missing. Sets the exit code. */
export function runAll(commands) {
  installBuf();
  installPackages(import.meta.dirname);
  const bin = join(import.meta.dirname, "node_modules", ".bin");
  const options = {
    cwd: join(import.meta.dirname, "..", ".."),
    env: { ...process.env, PATH: [bin, BUF_BIN, process.env.PATH].join(delimiter) },
    shell: true,
    stdio: "inherit",
  };
  const failed = commands.filter((command) => spawnSync(command, options).status !== 0);
  console.log(failed.length === 0 ? `${commands.length} commands passed` : `failed: ${failed.join(", ")}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
