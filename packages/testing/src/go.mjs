import { readdirSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "./checks.mjs";
import { prepared } from "./programs.mjs";

/**
 * Builds Go programs with the versions in a folder's go.sum into the cache, once for each content of its Go files. Returns the
 * folder of the programs.
 *
 * @param prepare is called with that folder after a build
 * @param further names of other files of the folder that it depends on
 */
export function goPrograms(name, folder, packages, prepare = () => {}, further = []) {
  const files = readdirSync(folder).filter((file) => /^go\.(mod|sum)$|\.go$/.test(file));
  const pins = [...files, ...further].map((file) => join(folder, file));
  return prepared(name, pins, (target) => {
    mustRun("go", ["build", "-mod=readonly", "-o", `${target}/`, ...packages], { cwd: folder, seconds: 600 });
    prepare(target);
  });
}
