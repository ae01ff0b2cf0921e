import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
/** What a release reads and changes. */
const FILES = execFileSync(
  "git",
  [
    "ls-files",
    "*package.json",
    "*.md",
    "deploy",
    "checks/deploy/stack",
    "scripts/release",
    "package-lock.json",
    "scripts/release/run.mjs",
  ],
  { cwd: ROOT, encoding: "utf8" },
)
  .trim()
  .split("\n");
const MANIFESTS = FILES.filter((file) =>
  /^((gen|client|packages\/(?!testing)[^/]+)\/)?package\.json$/.test(file),
);
const EXAMPLE_CONFIG = {
  repository: "https://git.example.com/a/b",
  homepage: "https://example.com",
  bugs: "https://git.example.com/a/b/issues",
  image: "registry.example.com/a/b",
  owner: "a",
};
const shipped = JSON.parse(readFileSync(join(ROOT, "release.config.json"), "utf8")) as typeof EXAMPLE_CONFIG;
/** After the first release, the examples have the values of the repository. */
const CONFIG = shipped.image === "" ? EXAMPLE_CONFIG : shipped;

const CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A tool.\n";

/** Who commits, and no settings of the user. */
const ENVIRONMENT = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

let folder: string;

const run = (command: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    env: ENVIRONMENT,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
};
const git = (...args: readonly string[]) => run("git", ...args).stdout.trim();
const release = (...args: readonly string[]) => run(process.execPath, "scripts/release/run.mjs", ...args);
const read = (file: string) => readFileSync(join(folder, file), "utf8");
const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
/** The version of the repository. */
const current = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version as string;
const next = current.replace(/\d+/, (major) => String(Number(major) + 1));

const repository = mkdtempSync(join(tmpdir(), "release-test-"));
beforeAll(() => {
  folder = repository;
  for (const file of FILES) {
    cpSync(join(ROOT, file), join(folder, file));
  }
  write("release.config.json", JSON.stringify(CONFIG));
  write("CHANGELOG.md", CHANGELOG);
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "first");
});
afterAll(() => rmSync(repository, { recursive: true }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "release-test-"));
  cpSync(repository, folder, { recursive: true, preserveTimestamps: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

test("without --write, nothing changes", () => {
  const { status, stdout } = release(next);
  expect(status).toBe(0);
  expect(stdout).toContain(`release ${next}`);
  expect(stdout).toContain("nothing is done without --write");
  expect(git("status", "--porcelain")).toBe("");
  expect(git("tag")).toBe("");
});

test("--write sets the version everywhere, dates the changelog, commits and tags", () => {
  expect(release(next, "--write", "--no-pack")).toMatchObject({ status: 0, stderr: "" });
  const names = MANIFESTS.map((file) => JSON.parse(read(file)).name as string);
  const lock = JSON.parse(read("package-lock.json"));
  const manifests = [
    ...MANIFESTS.map((file) => JSON.parse(read(file))),
    ...["", "gen", "client", "packages/operations", "packages/gateway"].map((path) => lock.packages[path]),
  ];
  for (const { version, dependencies = {} } of manifests) {
    expect(version).toBe(next);
    const own = Object.entries(dependencies).filter(([name]) => names.includes(name));
    expect(own.map(([, range]) => range)).toEqual(own.map(() => next));
  }
  expect(lock.version).toBe(next);
  const date = new Date().toISOString().slice(0, 10);
  expect(read("CHANGELOG.md")).toBe(
    `# Changelog\n\n## [Unreleased]\n\n## [${next}] - ${date}\n\n### Added\n\n- A tool.\n`,
  );
  expect(read("docs/guide/clients.md")).toContain("\nnpm install @utility-tools/client\n");
  expect(read("deploy/kubernetes/example/kustomization.yaml")).toContain(`newTag: ${next}\n`);
  expect(read("deploy/helm/utility-tools/Chart.yaml")).toContain(`version: ${next}\nappVersion: ${next}\n`);
  for (const file of ["README.md", "deploy/containers.md"]) {
    expect(read(file)).toContain(`${CONFIG.image}:${next}`);
  }
  for (const file of ["kubernetes/example/kustomization.yaml", "helm/utility-tools/values.yaml"]) {
    expect(read(`deploy/${file}`)).toMatch(new RegExp(`(?:newName|repository): ${CONFIG.image}\n`));
  }
  const page = `${CONFIG.repository}/blob/v${next}/docs/guide/alerts.md`;
  for (const file of FILES.filter((each) => /rules?[.\w]*\.yaml$/.test(each))) {
    const links = read(file).match(/(?<=runbook_url: "?)https:[^#]+/g) ?? [];
    expect(new Set(links)).toEqual(new Set([page]));
  }
  expect(git("log", "--format=%s", "-1")).toBe(`Release ${next}`);
  expect(git("tag", "--points-at", "HEAD")).toBe(`v${next}`);
  expect(git("status", "--porcelain")).toBe("");
});

test("the first release can have the version that the repository has", () => {
  expect(release(current, "--write", "--no-pack").status).toBe(0);
  write("CHANGELOG.md", CHANGELOG);
  const { status, stderr } = release(current);
  expect([status, stderr]).toEqual([
    1,
    `release: ${current} is not newer than ${current}\nrelease: the tag v${current} exists\n`,
  ]);
});

test.each([
  [[], "release: give one version, such as 0.2.0 or 0.2.0-rc.1\n"],
  [["v9.0.0"], "release: give one version, such as 0.2.0 or 0.2.0-rc.1\n"],
  [["9.0.0-rc"], "release: give one version, such as 0.2.0 or 0.2.0-rc.1\n"],
  [[`${current}-rc.1`], `release: ${current}-rc.1 is not newer than ${current}\n`],
  [["--publish"], `release: the commit does not have the tag v${current}\n`],
  [["0.0.1"], `release: 0.0.1 is not newer than ${current}\n`],
])("%j is rejected", (args, message) => {
  expect(release(...args)).toMatchObject({ status: 1, stderr: message });
});

test("a release needs committed changes and entries of the changelog", () => {
  write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n## [0.0.1] - 2026-01-01\n\n- A tool.\n");
  expect(release(next, "--write", "--no-pack")).toMatchObject({
    status: 1,
    stderr:
      "release: there are changes that are not committed\n" +
      'release: CHANGELOG.md has nothing under "Unreleased"\n',
  });
});

test("a prerelease leaves the entries of the changelog unreleased, and the release follows it", () => {
  expect(release(`${next}-rc.2`, "--write", "--no-pack").status).toBe(0);
  expect(read("CHANGELOG.md")).toBe(CHANGELOG);
  expect(git("tag", "--points-at", "HEAD")).toBe(`v${next}-rc.2`);
  expect(release("--notes").stdout).toBe("### Added\n\n- A tool.\n");
  expect(release(`${next}-rc.1`).stderr).toBe(`release: ${next}-rc.1 is not newer than ${next}-rc.2\n`);
  expect(release(`${next}-rc.10`).status).toBe(0);
  expect(release(next, "--write", "--no-pack").status).toBe(0);
  expect(release("--notes").stdout).toBe("### Added\n\n- A tool.\n");
});

test("a release and its publication need a filled release.config.json", () => {
  write("release.config.json", JSON.stringify({ ...CONFIG, bugs: "", image: "A:1", other: "x" }));
  const expected =
    'release: release.config.json has no "bugs": write one, such as "https://github.com/example/utility-tools/issues"\n' +
    'release: "image" in release.config.json is "A:1": write one such as "ghcr.io/example/utility-tools"\n' +
    'release: release.config.json has the unknown field "other"\n';
  expect(release(next)).toMatchObject({ status: 1, stderr: expected });
  expect(release("--publish", "--dry-run")).toMatchObject({ status: 1, stderr: expected });
});

test("a tag is signed on request", () => {
  // A stand-in for gpg, which git calls to sign.
  write("sign", '#!/bin/sh\ncat >/dev/null\necho "[GNUPG:] SIG_CREATED " >&2\necho SIGNED\n');
  run("chmod", "+x", "sign");
  git("config", "gpg.program", join(folder, "sign"));
  git("add", "sign");
  git("commit", "--quiet", "--message", "second");
  expect(release(next, "--write", "--no-pack", "--sign").status).toBe(0);
  expect(git("cat-file", "tag", `v${next}`)).toContain("SIGNED");
});

test.each([
  ["@utility-tools/protos", ["protos"]],
  ["@utility-tools/client", ["build:client", "protos"]],
  ["connect-transcoding", ["build:packages"]],
  ["@utility-tools/server", ["prepare"]],
])("packing %s builds all that it packs, also in a new clone", (name, scripts) => {
  // A stand-in for npm, which prints the scripts that it should run.
  write("npm", '#!/bin/sh\necho "$@"\n');
  run("chmod", "+x", "npm");
  const script = [process.execPath, "scripts/release/run.mjs", "--pack", name];
  const { stdout } = run("env", `PATH=${folder}:${ENVIRONMENT.PATH}`, ...script);
  expect(stdout.match(/(?<=^run --silent )\S+/gm)).toEqual(scripts);
});
