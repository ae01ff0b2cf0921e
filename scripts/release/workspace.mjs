// The packages of this repository, and what the programs of a release share.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** The folders of the packages besides the service. Each comes after those that it depends on, so that they are published first. */
export const WORKSPACES = [
  "gen",
  "packages/http-server",
  "packages/connect-transcoding",
  "packages/operations",
  "client",
  "packages/gateway",
];

/** The folders of all packages in the order in which they are published. The service is the root folder. */
export const PACKAGES = [...WORKSPACES, ""];

/** Reads a file of the repository. */
export function read(file) {
  return readFileSync(join(ROOT, file), "utf8");
}

/** Reads a JSON file of the repository. */
export function readJson(file) {
  return JSON.parse(read(file));
}

/** The name of the tarball that `npm pack` writes. */
export function tarballName(name, version) {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

/** JSON as npm writes it. */
export function textOf(json) {
  return `${JSON.stringify(json, null, 2)}\n`;
}

/** Runs a command in the root of the repository. Exits with 1 if it fails. Returns its output if that is piped. */
export function run(command, args, options = {}) {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: "inherit",
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (status !== 0) {
    console.error(`release: ${command} ${args.join(" ")} failed${error ? `: ${error.message}` : ""}`);
    process.exit(1);
  }
  return stdout ?? "";
}
