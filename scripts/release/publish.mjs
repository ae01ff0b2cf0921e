import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { isPrerelease } from "./version.mjs";
import { ROOT, run } from "./workspace.mjs";

/** Whether a registry runs on this machine, as for a rehearsal. */
export function isLocal(registry) {
  return registry !== undefined && /^(127\.|localhost$|\[::1\]$)/.test(new URL(registry).hostname);
}

/**
 * Publishes tarballs in their order. First asks for all names: a name of somebody else, or a version with other content, ends
 * the program before the first upload. Skips what the registry has already, so that a release that has failed can be run again.
 * Provenance needs the identity of a CI run, which a registry on this machine does not verify.
 *
 * @param config the content of release.config.json, with the repository and the user of npm that our packages have in the registry
 */
export function publishPackages(packages, { version, config, registry, isDryRun }) {
  const target = registry === undefined ? [] : ["--registry", registry];
  const states = packages.map((each) => ({ ...each, ...stateOf(each, version, config, target) }));
  const problems = states.flatMap(({ name, problem }) => (problem ? [`release: ${name}: ${problem}`] : []));
  if (problems.length > 0) {
    console.error(problems.join("\n"));
    process.exit(1);
  }
  for (const { name, tarball, isPublished } of states) {
    if (isPublished) {
      console.log(`${name}@${version} is published already, with the same content`);
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

/** Whether the registry has this content of a version, or why it cannot be published. */
function stateOf({ name, tarball }, version, { repository, owner }, target) {
  if (!existsSync(tarball)) {
    return { problem: `there is no ${tarball}` };
  }
  const { status, stdout, stderr } = spawnSync("npm", ["view", name, "--json", ...target], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (status !== 0) {
    return /\bE404\b/.test(stdout + stderr) ? {} : { problem: `the registry does not answer\n${stderr}` };
  }
  const { repository: source = {}, versions, maintainers = owner } = JSON.parse(stdout);
  // npm gives each as "name <address>". A registry on this machine has none.
  const owners = [maintainers].flat().map((each) => each.split(" ")[0]);
  if (source.url !== `git+${repository}.git` || !owners.includes(owner)) {
    return {
      problem: `is not ours: the registry has it from ${source.url ?? "nowhere"}, by ${owners.join(", ")}`,
    };
  }
  if (![versions].flat().includes(version)) {
    return {};
  }
  const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  const args = ["view", `${name}@${version}`, "dist.integrity", ...target];
  const published = run("npm", args, { stdio: ["ignore", "pipe", "inherit"] }).trim();
  return published === integrity
    ? { isPublished: true }
    : {
        problem: `the registry has the version ${version} with other content: ${published}, not ${integrity}`,
      };
}
