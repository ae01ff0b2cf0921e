import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PackageOrigin, PackageRecord } from "./countries/read-packages.js";
import { installPythonPackages } from "./install-python-packages.js";

/** A file of a Python package, and its record for `SOURCES.json`. */
export interface PythonFile {
  readonly text: string;
  readonly record: PackageRecord;
}

/**
 * Reads a file of a Python package of `requirements.txt`, by its path in the module. Throws an Error if the license of the package is
 * no longer MIT.
 */
export function readPythonPackage(
  name: string,
  path: string,
  origin: PackageOrigin & { readonly date?: string },
): PythonFile {
  const folder = installPythonPackages();
  const module = name.replaceAll("-", "_");
  const info = readdirSync(folder).find(
    (each) => each.startsWith(`${module}-`) && each.endsWith(".dist-info"),
  );
  if (info === undefined) {
    throw new Error(`the package ${name} is not installed`);
  }
  const licenses = join(folder, info, "licenses");
  const files = [
    join(folder, info, "METADATA"),
    ...(existsSync(licenses) ? readdirSync(licenses).map((file) => join(licenses, file)) : []),
  ];
  const isMit = /MIT License|^License(?:-Expression)?: MIT$|Permission is hereby granted, free of charge/m;
  if (!files.some((file) => isMit.test(readFileSync(file, "utf8")))) {
    throw new Error(`the license of ${name} is no longer MIT: review it`);
  }
  const text = readFileSync(join(folder, module, path), "utf8");
  const [, version = ""] = /-([^-]+)\.dist-info$/.exec(info) ?? [];
  const sha256 = createHash("sha256").update(text).digest("hex");
  return {
    text,
    record: { package: name, version, license: "MIT", ...origin, files: [{ path, files: 1, sha256 }] },
  };
}
