import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { BUF_BIN, installBuf } from "connect-transcoding-testing/buf.mjs";
import { installPackages } from "connect-transcoding-testing/packages.mjs";

const ENGINE = "packages/connect-transcoding";

/** The proto files that are formatted, as arguments of buf. Those of Google are as they came. */
export const PROTOS = [
  "proto",
  `${ENGINE}/proto --path ${ENGINE}/proto/connecttranscoding`,
  "packages/testing/proto",
];

const BIN = join(import.meta.dirname, "node_modules", ".bin");

/** Installs the linters when they are missing. Returns the path of Biome. */
export function installBiome() {
  installPackages(import.meta.dirname);
  return join(BIN, "biome");
}

/** Runs every command, also after one has failed. Installs their programs when they are missing. Sets the exit code. */
export function runAll(commands) {
  installBuf();
  installBiome();
  const options = {
    cwd: join(import.meta.dirname, "..", ".."),
    env: { ...process.env, PATH: [BIN, BUF_BIN, process.env.PATH].join(delimiter) },
    shell: true,
    stdio: "inherit",
  };
  const failed = commands.filter((command) => spawnSync(command, options).status !== 0);
  console.log(failed.length === 0 ? `${commands.length} commands passed` : `failed: ${failed.join(", ")}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
