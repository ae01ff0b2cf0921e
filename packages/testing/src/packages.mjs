// `node packages/testing/src/packages.mjs FOLDER…`: installs the packages of folders with a lock file of their own, unless they are there.
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
  const options = ["--no-audit", "--no-fund", "--no-engine-strict"];
  // A mirror of the registry may lack programs for other systems, which the lock file then lacks as well: npm ci rejects it.
  const commands = [
    ["ci", ...options],
    ["install", "--no-package-lock", ...options],
  ];
  const isDone = commands.some(
    (args) => spawnSync("npm", args, { cwd: folder, stdio: "ignore" }).status === 0,
  );
  if (!isDone) {
    throw new Error(`npm ci and npm install failed in ${folder}`);
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
