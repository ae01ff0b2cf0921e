// `node checks/lib/packages.mjs FOLDER…`: installs the packages of folders with a lock file of their own, unless they are there.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Installs the packages of a folder's own lock file, if it has one, unless they are there. Throws an Error if that fails. */
export function installPackages(folder) {
  const lock = join(folder, "package-lock.json");
  if (!existsSync(lock) || isInstalled(lock, join(folder, "node_modules", ".package-lock.json"))) {
    return;
  }
  // Some packages declare a newer Node than they need, and npm passes the settings of this project on to its scripts.
  const args = ["ci", "--no-audit", "--no-fund", "--no-engine-strict"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) {
    throw new Error(`npm ci failed in ${folder}`);
  }
}

function isInstalled(lock, installed) {
  if (!existsSync(installed)) {
    return false;
  }
  const versions = (file) =>
    Object.entries(JSON.parse(readFileSync(file, "utf8")).packages)
      .filter(([path, { optional }]) => path !== "" && !optional)
      .map(([path, { version }]) => `${path} ${version}`);
  const there = new Set(versions(installed));
  return versions(lock).every((each) => there.has(each));
}

if (process.argv[1] === import.meta.filename) {
  process.argv.slice(2).forEach(installPackages);
}
