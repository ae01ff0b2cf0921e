import { spawnSync } from "node:child_process";
import { isPrerelease } from "./version.mjs";
import { ROOT, run } from "./workspace.mjs";

/** Whether a registry runs on this machine, as for a rehearsal. */
export function isLocal(registry) {
  return registry !== undefined && /^(127\.|localhost$|\[::1\]$)/.test(new URL(registry).hostname);
}

/**
 * Publishes tarballs in their order. Skips those that the registry has, so that a release that has failed can be run again.
 * Provenance needs the identity of a CI run, which a registry on this machine does not verify.
 */
export function publishPackages(packages, { version, registry, isDryRun }) {
  const target = registry === undefined ? [] : ["--registry", registry];
  for (const { name, tarball } of packages) {
    if (isPublished(`${name}@${version}`, target)) {
      console.log(`${name}@${version} is published already`);
      continue;
    }
    run("npm", [
      "publish",
      tarball,
      "--ignore-scripts",
      "--access",
      "public",
      // `npm install` must not choose a prerelease.
      "--tag",
      isPrerelease(version) ? "next" : "latest",
      ...(isLocal(registry) || isDryRun ? [] : ["--provenance"]),
      ...(isDryRun ? ["--dry-run"] : []),
      ...target,
    ]);
    console.log(`${isDryRun ? "would publish" : "published"} ${name}@${version}`);
  }
}

function isPublished(nameAndVersion, target) {
  const { status, stdout } = spawnSync("npm", ["view", nameAndVersion, "version", ...target], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return status === 0 && stdout.trim() !== "";
}
