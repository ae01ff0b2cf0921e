// `npm run release -- 0.2.0`: prints what the release changes; 0.2.0-rc.1 is a prerelease. Options:
//   --write      changes the files, builds, packs into `release/`, commits and tags; nothing is pushed or published
//   --no-pack    with --write: changes the files, commits and tags only
//   --sign       with --write: signs the tag with the key that git is configured with
// `npm run pack -- NAME…`: packs these packages, with those of this repository that they need, or all into `release/`, and prints
// the command that installs them in a project.
// `npm run release -- --publish`: packs the tagged commit into `release/` and publishes it. CI runs it for each tag. Options:
//   --registry URL   where to; one on this machine is for a rehearsal, which needs no tag
//   --dry-run        everything but the upload
//   --no-pack        publishes what `release/` has
// `npm run release -- --notes`: prints the entries of the changelog for the current version.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BILL } from "./bill-of-materials.mjs";
import { datedChangelog, sectionOf, UNRELEASED } from "./changelog.mjs";
import { configProblems } from "./config.mjs";
import { documentsWithBlocks, withBlocks } from "./install.mjs";
import { packPackages } from "./pack.mjs";
import { isLocal, publishPackages } from "./publish.mjs";
import { compareVersions, isPrerelease, isVersion } from "./version.mjs";
import { PACKAGES, ROOT, read, readJson, run, tarballName, textOf, WORKSPACES } from "./workspace.mjs";

const OUTPUT = join(ROOT, "release");
const MANIFESTS = ["", ...WORKSPACES].map((folder) => join(folder, "package.json"));
const LOCK = "package-lock.json";
const CHANGELOG = "CHANGELOG.md";
/** Files that name the image, the chart, and links of alerts. */
const EXAMPLES = [
  "deploy/kubernetes/example/kustomization.yaml",
  "deploy/helm/utility-tools/Chart.yaml",
  "deploy/helm/utility-tools/values.yaml",
  "deploy/prometheus/rules.yaml",
  "deploy/kubernetes/components/prometheus-operator/prometheus-rule.yaml",
  "checks/deploy/stack/rules.test.yaml",
];
/** Stands for the page about alerts before the first release. */
const ALERTS = "https://tools.example/alerts#";
/** Stands for the name of the image before the first release. */
const IMAGE = "registry.example/utility-tools";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean", default: false },
    "no-pack": { type: "boolean", default: false },
    sign: { type: "boolean", default: false },
    publish: { type: "boolean", default: false },
    notes: { type: "boolean", default: false },
    pack: { type: "boolean", default: false },
    registry: { type: "string" },
    "dry-run": { type: "boolean", default: false },
  },
});
const current = readJson("package.json").version;
const config = readJson("release.config.json");

if (values.notes) {
  const changelog = read(CHANGELOG);
  console.log(sectionOf(changelog, current) || sectionOf(changelog, UNRELEASED));
} else if (values.pack) {
  pack(current, foldersFor(positionals));
  console.log(`to install them in a project:\n  npm install ${join(OUTPUT, "*.tgz")}`);
} else if (values.publish) {
  publish();
} else {
  makeRelease();
}

/** Packs and publishes the commit that is checked out. */
function publish() {
  const tags = git("tag", "--points-at", "HEAD").split("\n");
  const isTagged = tags.includes(`v${current}`);
  exitOn([
    ...configProblems(config),
    ...(isTagged || isLocal(values.registry) || values["dry-run"]
      ? []
      : [`the commit does not have the tag v${current}`]),
    ...(positionals.length === 0 ? [] : ["--publish takes the version from package.json"]),
  ]);
  publishPackages(values["no-pack"] ? packedBefore() : pack(current), {
    version: current,
    config,
    registry: values.registry,
    isDryRun: values["dry-run"],
  });
}

/** Prints what a release changes, or changes it. */
function makeRelease() {
  const [version = ""] = positionals;
  const tag = `v${version}`;
  const date = new Date().toISOString().slice(0, 10);
  exitOn(findProblems(version, tag));
  const changed = changedFiles(version, date);
  console.log(`release ${version} (${date}); the version is ${current} now`);
  console.log(`changes ${[...changed.keys()].join(", ")}`);
  if (!values.write) {
    console.log(
      `packs ${WORKSPACES.join(", ")} and the service into release/, with a bill of materials (CycloneDX)`,
    );
    console.log(`commits "Release ${version}" and tags it ${tag}`);
    console.log("nothing is done without --write");
    return;
  }
  for (const [file, text] of changed) {
    writeFileSync(join(ROOT, file), text);
  }
  if (!values["no-pack"]) {
    pack(version);
  }
  const message = `Release ${version}`;
  run("git", ["add", "--", ...changed.keys()]);
  run("git", ["commit", "--quiet", "--allow-empty", "--message", message]);
  run("git", ["tag", values.sign ? "--sign" : "--annotate", tag, "--message", message]);
  console.log(`committed and tagged ${tag}; to publish it, push the commit and the tag`);
}

/** Returns why there can be no release; empty if there is no reason. */
function findProblems(version, tag) {
  if (!isVersion(version) || positionals.length > 1) {
    return ["give one version, such as 0.2.0 or 0.2.0-rc.1"];
  }
  const tags = git("tag", "--list", "v*").split("\n");
  const isNewer = compareVersions(version, current) > 0 || (version === current && !tags.includes(tag));
  return [
    ...(isNewer ? [] : [`${version} is not newer than ${current}`]),
    ...(tags.includes(tag) ? [`the tag ${tag} exists`] : []),
    ...(values.write && git("status", "--porcelain") !== ""
      ? ["there are changes that are not committed"]
      : []),
    ...(sectionOf(read(CHANGELOG), UNRELEASED) === "" ? [`${CHANGELOG} has nothing under "Unreleased"`] : []),
    ...configProblems(config),
  ];
}

/** Returns the new texts of all files, by path. The entries of a prerelease stay unreleased in the changelog. */
function changedFiles(version, date) {
  const names = new Set(MANIFESTS.map((file) => readJson(file).name));
  const lock = readJson(LOCK);
  lock.version = version;
  for (const folder of ["", ...WORKSPACES]) {
    lock.packages[folder] = released(lock.packages[folder], names, version);
  }
  return new Map([
    ...MANIFESTS.map((file) => [file, textOf(released(readJson(file), names, version))]),
    [LOCK, textOf(lock)],
    ...(isPrerelease(version) ? [] : [[CHANGELOG, datedChangelog(read(CHANGELOG), version, date)]]),
    ...[...new Set([...EXAMPLES, ...documentsWithBlocks()])].map((file) => [
      file,
      withBlocks(withVersion(read(file), version), config, version),
    ]),
  ]);
}

/** A manifest with the new version, also of the packages of this repository in its dependencies. */
function released(manifest, names, version) {
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
function withVersion(text, version) {
  const forms = [
    (each) => `/blob/v${each}/docs/`,
    ...["newTag", "\nversion", "\nappVersion"].map((key) => (each) => `${key}: ${each}\n`),
  ];
  const named = text
    .replaceAll(ALERTS, `${config.repository}/blob/v${version}/docs/guide/alerts.md#`)
    .replaceAll(IMAGE, config.image);
  return forms.reduce((changed, form) => changed.replaceAll(form(current), form(version)), named);
}

/** Returns the folders of packages and of those of this repository that they need. Without names, of all. */
function foldersFor(names) {
  const manifests = new Map(PACKAGES.map((folder) => [folder, readJson(join(folder, "package.json"))]));
  const all = [...manifests.values()].map(({ name }) => name);
  exitOn(
    names
      .filter((name) => !all.includes(name))
      .map((name) => `there is no package ${name}: name some of ${all.join(", ")}`),
  );
  const needed = new Set(names);
  // Those that a package depends on come before it.
  for (const [folder, { name, dependencies = {} }] of [...manifests].reverse()) {
    if (needed.has(name) && folder !== "") {
      for (const each of Object.keys(dependencies)) {
        needed.add(each);
      }
    }
  }
  return PACKAGES.filter((folder) => names.length === 0 || needed.has(manifests.get(folder).name));
}

/** Builds, and writes tarballs and the bill of materials of the service into `release/`. Returns the packages. */
function pack(version, folders = PACKAGES) {
  const scripts = [
    ...(folders.includes("") ? ["prepare"] : []),
    ...(folders.includes("client") ? ["build:client"] : []),
    ...(folders.some((folder) => folder.startsWith("packages/")) ? ["build:packages"] : []),
    ...(folders.includes("gen") ? ["protos"] : []),
  ];
  for (const script of scripts) {
    run("npm", ["run", "--silent", script]);
  }
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT);
  const packages = packPackages(config, OUTPUT, folders);
  for (const { name, size } of packages) {
    console.log(`packed ${name}, ${(size / 1e3).toFixed(0)} kB`);
  }
  if (folders.includes("")) {
    cpSync(join(ROOT, "dist/src", BILL), join(OUTPUT, `utility-tools-${version}.cdx.json`));
  }
  return packages;
}

/** The packages whose tarballs an earlier run has packed. */
function packedBefore() {
  return PACKAGES.map((folder) => {
    const { name } = readJson(join(folder, "package.json"));
    return { name, tarball: join(OUTPUT, tarballName(name, current)) };
  });
}

/** Exits with 1 and prints the problems if there are any. */
function exitOn(problems) {
  if (problems.length > 0) {
    console.error(problems.map((problem) => `release: ${problem}`).join("\n"));
    process.exit(1);
  }
}

function git(...args) {
  return run("git", args, { stdio: ["ignore", "pipe", "inherit"] }).trim();
}
