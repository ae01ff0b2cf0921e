import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");

/** Where the package is installed. `node_modules` is ignored by git. */
const FOLDER = join(import.meta.dirname, "..", "node_modules", ".python");

/** A Python package that is installed. */
export interface PythonPackage {
  readonly name: string;
  readonly version: string;
  /** The folder with its modules. */
  readonly folder: string;
}

/**
 * Installs the package of `requirements.txt` with pip, unless it is there. pip checks its hash. Throws an Error if pip fails, or if the
 * license of the package is not the expected one.
 */
export function installPythonPackage(expectedLicense: string): PythonPackage {
  const [, name = "", version = ""] = /^([\w-]+)==(\S+)/.exec(readFileSync(REQUIREMENTS, "utf8")) ?? [];
  const module = name.replaceAll("-", "_");
  const info = join(FOLDER, `${module}-${version}.dist-info`);
  if (!existsSync(info)) {
    rmSync(FOLDER, { recursive: true, force: true });
    const options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--target", FOLDER];
    const args = [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      ...options,
      "-r",
      REQUIREMENTS,
    ];
    const { status, stderr, error } = spawnSync("python3", args, { encoding: "utf8" });
    if (status !== 0) {
      throw new Error(`pip cannot install ${name}: ${error?.message ?? stderr}`);
    }
  }
  const metadata = readFileSync(join(info, "METADATA"), "utf8");
  const text = readFileSync(join(info, "licenses", "LICENSE.txt"), "utf8");
  const [, license] = /^License-Expression: (.*)$/m.exec(metadata) ?? [];
  if (license !== expectedLicense || !text.startsWith(`The ${expectedLicense} License`)) {
    throw new Error(`the license of ${name} is ${license}, no longer ${expectedLicense}: review it`);
  }
  return { name, version, folder: join(FOLDER, module) };
}
