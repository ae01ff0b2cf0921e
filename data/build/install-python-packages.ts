import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");
/** `node_modules` is ignored by git. */
const FOLDER = join(import.meta.dirname, "node_modules", ".python");
/** A copy of the requirements that are installed. */
const INSTALLED = join(FOLDER, "requirements.txt");

/**
 * Installs the packages of `requirements.txt` with pip, which checks their hashes, unless they are there. Returns their folder.
 * Throws an Error if pip fails.
 */
export function installPythonPackages(): string {
  if (!existsSync(INSTALLED) || !readFileSync(INSTALLED).equals(readFileSync(REQUIREMENTS))) {
    rmSync(FOLDER, { recursive: true, force: true });
    const options =
      "--quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes".split(" ");
    const args = ["-m", "pip", "install", ...options, "--target", FOLDER, "--requirement", REQUIREMENTS];
    const { status, stderr, error } = spawnSync("python3", args, { encoding: "utf8" });
    if (status !== 0) {
      throw new Error(`pip cannot install the packages of ${REQUIREMENTS}: ${error?.message ?? stderr}`);
    }
    cpSync(REQUIREMENTS, INSTALLED);
  }
  return FOLDER;
}
