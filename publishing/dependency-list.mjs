import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PACKAGES, ROOT, readJson, run, textOf } from "./workspace.mjs";

const LOCK = "package-lock.json";

/**
 * The dependencies of the service in CycloneDX's JSON. `npm sbom` rejects an override by an alias as invalid, so it runs on
 * copies of the manifests in which the dependencies have the names of the overrides.
 */
export function dependencyList() {
  const temporary = mkdtempSync(join(tmpdir(), "release-"));
  // `npm sbom` names the list by the folder.
  const folder = join(temporary, "utility-tools");
  try {
    for (const file of PACKAGES.map((each) => join(each, "package.json"))) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      cpSync(join(ROOT, file), join(folder, file));
    }
    const { overrides, ...manifest } = readJson("package.json");
    const lock = readJson(LOCK);
    for (const each of Object.values(lock.packages)) {
      for (const [name, replacement] of Object.entries(overrides)) {
        if (each.dependencies?.[name] !== undefined && replacement.startsWith("npm:")) {
          each.dependencies[name] = replacement;
        }
      }
    }
    writeFileSync(join(folder, "package.json"), textOf(manifest));
    writeFileSync(join(folder, LOCK), textOf(lock));
    const options = [
      "--sbom-format",
      "cyclonedx",
      "--omit",
      "dev",
      "--omit",
      "optional",
      "--package-lock-only",
    ];
    return run("npm", ["sbom", ...options], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  } finally {
    rmSync(temporary, { recursive: true });
  }
}
