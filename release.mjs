// `npm run release -- 0.2.0`: prints what the release changes. Options:
//   --write     changes the files, builds, packs into `release/`, commits and tags; nothing is pushed or published
//   --no-pack   with --write: changes the files, commits and tags only
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

const ROOT = import.meta.dirname;
const OUTPUT = join(ROOT, "release");
const WORKSPACES = [
  "gen",
  "packages/http-server",
  "packages/connect-transcoding",
  "packages/operations",
  "packages/client",
  "packages/gateway",
];
const MANIFESTS = ["", ...WORKSPACES].map((folder) => join(folder, "package.json"));
const LOCK = "package-lock.json";
const CHANGELOG = "CHANGELOG.md";
/** Files that show the version in the name of a tarball, in a response, or as the tag of an image. */
const EXAMPLES = [
  "docs/guide/clients.md",
  "docs/reference/command-line.md",
  "deploy/kubernetes/example/kustomization.yaml",
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false }, "no-pack": { type: "boolean", default: false } },
});
const [version = ""] = positionals;
const tag = `v${version}`;
const current = readJson("package.json").version;
const date = new Date().toISOString().slice(0, 10);

const problems = findProblems();
if (problems.length > 0) {
  console.error(problems.map((problem) => `release: ${problem}`).join("\n"));
  process.exit(1);
}
const changed = changedFiles();
console.log(`release ${version} (${date}); the version is ${current} now`);
console.log(`changes ${[...changed.keys()].join(", ")}`);
if (values.write) {
  for (const [file, text] of changed) {
    writeFileSync(join(ROOT, file), text);
  }
  if (!values["no-pack"]) {
    pack();
  }
  run("git", ["add", "--", ...changed.keys()]);
  run("git", ["commit", "--quiet", "--allow-empty", "--message", `Release ${version}`]);
  run("git", ["tag", "--annotate", tag, "--message", `Release ${version}`]);
  console.log(`committed and tagged ${tag}; to publish it, push the commit and the tag`);
} else {
  console.log(
    `packs ${WORKSPACES.join(", ")} and the service into release/, with a list of dependencies (CycloneDX)`,
  );
  console.log(`commits "Release ${version}" and tags it ${tag}`);
  console.log("nothing is done without --write");
}

/** Returns why there can be no release; empty if there is no reason. */
function findProblems() {
  if (!/^\d+\.\d+\.\d+$/.test(version) || positionals.length > 1) {
    return ["give one version, such as 0.2.0"];
  }
  const tags = git("tag", "--list", "v*").split("\n");
  const isNewer = compare(version, current) > 0 || (version === current && !tags.includes(tag));
  return [
    ...(isNewer ? [] : [`${version} is not newer than ${current}`]),
    ...(tags.includes(tag) ? [`the tag ${tag} exists`] : []),
    ...(values.write && git("status", "--porcelain") !== ""
      ? ["there are changes that are not committed"]
      : []),
    ...(unreleased() === "" ? [`${CHANGELOG} has nothing under "Unreleased"`] : []),
  ];
}

/** Compares two versions, as `Array.prototype.sort` expects it. */
function compare(a, b) {
  const [left, right] = [a, b].map((each) => each.split(".").map(Number));
  const index = left.findIndex((number, at) => number !== right[at]);
  return index < 0 ? 0 : left[index] - right[index];
}

/** The entries of the changelog that have no version yet. */
function unreleased() {
  return (/^## \[Unreleased\]\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(read(CHANGELOG))?.[1] ?? "").trim();
}

/** Returns the new texts of all files, by path. */
function changedFiles() {
  const names = new Set(MANIFESTS.map((file) => readJson(file).name));
  const lock = readJson(LOCK);
  lock.version = version;
  for (const folder of ["", ...WORKSPACES]) {
    lock.packages[folder] = released(lock.packages[folder], names);
  }
  const changelog = read(CHANGELOG).replace(
    "## [Unreleased]\n",
    `## [Unreleased]\n\n## [${version}] - ${date}\n`,
  );
  return new Map([
    ...MANIFESTS.map((file) => [file, textOf(released(readJson(file), names))]),
    [LOCK, textOf(lock)],
    [CHANGELOG, changelog],
    ...EXAMPLES.map((file) => [file, withVersion(read(file))]),
  ]);
}

/** A manifest with the new version, also of the packages of this repository in its dependencies. */
function released(manifest, names) {
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [
    name,
    names.has(name) ? version : range,
  ]);
  return {
    ...manifest,
    version,
    ...(manifest.dependencies && { dependencies: Object.fromEntries(dependencies) }),
  };
}

/** The text of an example with the new version. */
function withVersion(text) {
  return [(each) => `-${each}.tgz`, (each) => `"version":"${each}"`, (each) => `newTag: ${each}\n`].reduce(
    (changed, form) => changed.replaceAll(form(current), form(version)),
    text,
  );
}

/** Builds, and writes tarballs and the list of dependencies into `release/`. */
function pack() {
  run("npm", ["run", "prepare"]);
  run("npm", ["run", "protos"]);
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT);
  const workspaces = WORKSPACES.flatMap((folder) => ["--workspace", folder]);
  const options = ["--ignore-scripts", "--include-workspace-root", "--pack-destination", OUTPUT];
  run("npm", ["pack", ...options, ...workspaces]);
  writeFileSync(join(OUTPUT, `utility-tools-${version}.cdx.json`), dependencyList());
}

/**
 * The dependencies of the service in CycloneDX's JSON. `npm sbom` rejects an override by an alias as invalid, so it runs on
 * copies of the manifests in which the dependencies have the names of the overrides.
 */
function dependencyList() {
  const temporary = mkdtempSync(join(tmpdir(), "release-"));
  // `npm sbom` names the list by the folder.
  const folder = join(temporary, "utility-tools");
  try {
    for (const file of MANIFESTS) {
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

function read(file) {
  return readFileSync(join(ROOT, file), "utf8");
}

function readJson(file) {
  return JSON.parse(read(file));
}

function textOf(json) {
  return `${JSON.stringify(json, null, 2)}\n`;
}

function git(...args) {
  return run("git", args, { stdio: ["ignore", "pipe", "inherit"] }).trim();
}

/** Runs a command in the root of the repository. Exits with 1 if it fails. Returns its output if that is piped. */
function run(command, args, options = {}) {
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
