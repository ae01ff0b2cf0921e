// `npm run check -- NAME…`: runs suites of this folder, and builds what they use.
//   npm run check -- --list                   what there is
//   npm run check -- fuzz                     all suites of a folder
//   npm run check -- fuzz/frames --count 50   one suite, with its own options
//   npm run check -- --since main             the suites of CI whose inputs differ from a commit
//   npm run check -- --ci                     all suites of CI, three at a time; --ci --built uses the build of the service that there is
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { installPackages } from "connect-transcoding-testing/packages.mjs";
import { folderOf, inputsOf, SUITES } from "./suites.mjs";

const ROOT = join(import.meta.dirname, "..");
/** How many suites run at a time in CI. Most of them wait half of the time, for a browser or for timeouts. */
const AT_A_TIME = 3;
/** Other suites use the processors while tests wait: fewer workers than otherwise are enough, and each loads the data. */
const VITEST_MAX_WORKERS = "3";
const PATH = [join(ROOT, "node_modules", ".bin"), process.env.PATH, "/usr/sbin"].join(delimiter);
const ENV = { ...process.env, PATH };
/** Lines of output that are repeated at the end for a failed suite. */
const REPEATED_LINES = 60;

await main(process.argv.slice(2));

async function main(args) {
  const end = args.findIndex((arg) => suitesNamed(arg).length === 0);
  const names = end === -1 ? args : args.slice(0, end);
  const options = end === -1 ? [] : args.slice(end);
  if (names.length > 0) {
    return runNamed(names, options);
  }
  const [option, value, ...more] = options;
  if (option === "--list" && value === undefined) {
    list();
  } else if (option === "--ci" && more.length === 0 && [undefined, "--built"].includes(value)) {
    await runAll(SUITES, value !== undefined);
  } else if (option === "--since" && value !== undefined && more.length === 0) {
    await runAll(changedSince(value));
  } else {
    fail(`there is no suite ${option ?? "without a name"}: use a name of --list, --ci or --since REF`);
  }
}

/** Returns the suites with an input that differs from a commit, in the work tree or in commits. */
function changedSince(ref) {
  const git = (...args) => {
    const { status, stdout } = spawnSync("git", args, {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    return status === 0 ? stdout.split("\n").filter(Boolean) : fail(`git ${args.join(" ")} failed`);
  };
  const files = [
    ...git("diff", "--name-only", ref, "--"),
    ...git("ls-files", "--others", "--exclude-standard"),
  ];
  const isIn = (file, path) => path === "" || file === path || file.startsWith(`${path}/`);
  return SUITES.filter((suite) => files.some((file) => inputsOf(suite).some((path) => isIn(file, path))));
}

/** The files of the checkout that differ from the commit. */
function changedFiles() {
  return spawnSync("git", ["status", "--porcelain"], { cwd: ROOT, encoding: "utf8" }).stdout.split("\n");
}

function suitesNamed(name) {
  return SUITES.filter(
    (suite) => suite.name === name || (suite.name.startsWith(`${name}/`) && !suite.onlyByName),
  );
}

/** Runs suites one after another with the options of the command line, with their output as it comes. */
async function runNamed(names, options) {
  const suites = names.flatMap(suitesNamed);
  await Promise.all([build(suites), installCommands(suites)]);
  for (const folder of new Set(suites.flatMap(packagesOf))) {
    installPackages(folder);
  }
  const failed = suites.filter((suite) => {
    if (!isPossible(suite)) {
      return false;
    }
    const [program, ...args] = [...suite.command, ...options];
    return spawnSync(program, args, { cwd: ROOT, env: ENV, stdio: "inherit" }).status !== 0;
  });
  if (failed.length > 0) {
    console.log(`failed: ${failed.map(({ name }) => name).join(", ")}`);
    process.exitCode = 1;
  }
}

/** Runs those of the suites that CI runs. Prints the output of each when it ends, and that of failed ones again at the end. */
async function runAll(suites, isBuilt = false) {
  const inCi = suites.filter(({ ci }) => ci !== undefined);
  const before = changedFiles();
  const folderOf = prepare(inCi, isBuilt);
  const reading = inCi.filter(({ writes, measures }) => !writes && !measures);
  const results = [];
  const work = async (own) => {
    const next = () => own.shift() ?? reading.shift();
    for (let suite = next(); suite !== undefined; suite = next()) {
      const folder = await folderOf(suite);
      if (isPossible(suite)) {
        results.push(await runInCi(suite, folder));
      }
    }
  };
  // Those that write to the copy run one after another.
  const writing = inCi.filter(({ writes }) => writes);
  await Promise.all(Array.from({ length: AT_A_TIME }, (_, index) => work(index === 0 ? writing : [])));
  // One after another: the load of other suites would count as that of the service.
  await work(inCi.filter(({ measures }) => measures));
  const failures = results.filter(({ isFailed }) => isFailed);
  for (const { name, output } of failures) {
    console.log(`\n== FAILED: ${name}\n${output.split("\n").slice(-REPEATED_LINES).join("\n")}`);
  }
  const changed = changedFiles().filter((line) => !before.includes(line));
  if (changed.length > 0) {
    failures.push(changed);
    console.log(`\n== FAILED: suites changed the checkout\n${changed.join("\n")}`);
  }
  console.log(`\n${results.filter(({ isFailed }) => !isFailed).length} passed, ${failures.length} failed`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/**
 * Builds and installs what suites use, while those run that do not need it. Returns a function that waits for what a suite uses, and
 * resolves to the folder in which the suite runs: a copy of the checkout if it writes.
 */
function prepare(suites, isBuilt) {
  const commands = installCommands(suites);
  const preparing = Promise.all([
    build(suites, isBuilt),
    install(join(ROOT, "packages/testing/src/buf")),
  ]).then(async () => ({
    copy: suites.some(({ writes }) => writes) ? await makeCopy() : undefined,
    installing: installInTurn(suites),
  }));
  return async (suite) => {
    if (suite.name === "test") {
      return ROOT;
    }
    const { copy, installing } = await preparing;
    const packages = packagesOf(suite).map((folder) => installing.get(folder));
    await Promise.all([...packages, suite.debian && commands]);
    return suite.writes ? copy : ROOT;
  };
}

/** Runs a suite with each list of its arguments for CI. Resolves to its output and whether it failed. */
async function runInCi(suite, folder) {
  const start = performance.now();
  let output = "";
  let isFailed = false;
  for (const extra of suite.ci) {
    const [program, ...args] = [...suite.command, ...extra];
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...ENV, NO_COLOR: "1", VITEST_MAX_WORKERS },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    const [status] = await once(child, "close");
    isFailed ||= status !== 0;
  }
  const seconds = Math.round((performance.now() - start) / 1_000);
  console.log(
    `\n== ${suite.name}\n${output}== ${isFailed ? "FAILED" : "passed"}: ${suite.name}, ${seconds} s`,
  );
  return { name: suite.name, output, isFailed };
}

/** Builds the packages if a suite uses them, and the service if it is not built. */
async function build(suites, isBuilt = false) {
  if (suites.some((suite) => suite.build)) {
    const all = suites.some((suite) => suite.build === true) && !isBuilt;
    await mustRun("npm", ["run", "--silent", all ? "build" : "build:packages"]);
  }
}

/** The folders of packages that a suite uses, besides those of the project. */
function packagesOf({ name, packages = folderOf(name) }) {
  return [packages].flat().map((folder) => join(ROOT, folder));
}

/** Installs packages in the order of their suites, while other suites run. Returns what to wait for, by folder. */
function installInTurn(suites) {
  const installing = new Map();
  let previous = Promise.resolve();
  for (const folder of new Set(suites.flatMap(packagesOf))) {
    previous = previous.then(() => install(folder));
    installing.set(folder, previous);
  }
  return installing;
}

async function install(folder) {
  const program = join(ROOT, "packages/testing/src/packages.mjs");
  const [status] = await once(spawn(process.execPath, [program, folder], { stdio: "inherit" }), "close");
  if (status !== 0) {
    console.error(`the packages of ${folder} cannot be installed`);
  }
}

/** Returns a copy of the checkout with a `node_modules` of hard links. Removed at exit. */
async function makeCopy() {
  const folder = temporaryFolder("checks");
  const script = `tar --create --exclude=./node_modules . | tar --extract --directory "$0" && cp --archive --link node_modules "$0"`;
  await mustRun("sh", ["-c", script, folder]);
  return folder;
}

/** Whether the commands that a suite needs are there. Otherwise prints which are not. */
function isPossible(suite) {
  const missing = missingCommands(suite);
  if (missing.length > 0) {
    console.log(`skipped: ${suite.name} requires ${missing.join(", ")}`);
  }
  return missing.length === 0;
}

function missingCommands({ needs = [] }) {
  return needs.filter((command) => spawnSync("which", [command], { env: { PATH } }).status !== 0);
}

/** Installs the Debian packages with the commands that suites need and that are not there, if the user may install packages. */
async function installCommands(suites) {
  const packages = new Set(
    suites.filter((suite) => missingCommands(suite).length > 0).map(({ debian }) => debian),
  );
  packages.delete(undefined);
  if (packages.size > 0 && process.getuid?.() === 0) {
    const installs = [...packages].map((each) => `apt-get install -y --no-install-recommends ${each}`);
    const script = ["apt-get update", ...installs].join("; ");
    await once(spawn("sh", ["-c", script], { stdio: "ignore" }), "close");
  }
}

/** Prints each suite with the first sentence of its README. */
function list() {
  for (const { name, ci } of SUITES) {
    const readme = join(ROOT, folderOf(name), "README.md");
    const [, about = ""] = existsSync(readme)
      ? (/^# [^\n]*\n+(.*?\.)(?=\s)/s.exec(readFileSync(readme, "utf8")) ?? [])
      : [];
    console.log(`${name.padEnd(22)} ${ci === undefined ? "  " : "CI"}  ${about.replaceAll("\n", " ")}`);
  }
}

async function mustRun(program, args) {
  const child = spawn(program, args, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  const [status] = await once(child, "close");
  if (status !== 0) {
    fail(`${program} ${args.join(" ")} failed`);
  }
}

function fail(problem) {
  console.error(`check: ${problem}`);
  process.exit(1);
}
