// `npm run check -- release`: releases a clone to a registry on this machine, and uses each package by its name in an empty project.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  check,
  checkEqual,
  checkPrinted,
  checkRuns,
  conclude,
  freePort,
  mustRun,
  run,
  startServer,
  startService,
  temporaryFolder,
} from "connect-transcoding-testing/checks.mjs";
import { EXAMPLE_CONFIG } from "../../scripts/release/config.mjs";
import { NAMES } from "../../scripts/release/install.mjs";
import { ROOT, read, readJson, tarballName } from "../../scripts/release/workspace.mjs";
import { checkLookUp } from "../lib/projects.mjs";
import { blocksOf, followReadmes } from "../lib/readme.mjs";
import { startRegistry } from "./registry.mjs";

const BIN = join(import.meta.dirname, "node_modules", ".bin");

const temporary = temporaryFolder("release");
const clone = join(temporary, "clone");
const uplink = mustRun("npm", ["config", "get", "registry"]).stdout.trim();
const registry = await startRegistry(temporary, uplink);
const env = {
  ...process.env,
  npm_config_userconfig: registry.npmrc,
  npm_config_registry: registry.url,
  npm_config_cache: join(temporary, "cache"),
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};
const inClone = { cwd: clone, env, seconds: 600 };
const { name: SERVICE, version } = readJson("package.json");
const ENGINE = "connect-transcoding";
/** The command of the service, which is the name of a stranger's package. */
const COMMAND = "utility-tools";
const PUBLISH = ["scripts/release/run.mjs", "--publish", "--registry", registry.url];

makeRelease();
refuseStrangers();
await publish();
examine();
const projectOf = await followReadmes(temporary, EXAMPLE_CONFIG, env);
await useService();
await registry.stop();
conclude();

/** Makes a release of a clone, and packs it. */
function makeRelease() {
  // As before a release, also if the checkout is one.
  mustRun("git", ["clone", "--quiet", "--no-tags", ROOT, clone]);
  // The packages of the checkout come from where they always come from.
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  mustRun("npm", ["ci", ...flags], { cwd: clone, seconds: 600 });
  writeFileSync(join(clone, "CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n\n- A change.\n");
  writeFileSync(join(clone, "release.config.json"), JSON.stringify(EXAMPLE_CONFIG));
  mustRun("git", ["commit", "--quiet", "--all", "--message", "configuration"], inClone);
  mustRun("node", ["scripts/release/run.mjs", version, "--write", "--no-pack"], inClone);
  const { stdout } = mustRun("node", [...PUBLISH, "--dry-run"], inClone);
  console.log(stdout.match(/^packed .*$/gm)?.join("\n"));
  checkEqual("--dry-run publishes nothing", uploads(), 0);
}

/** The number of uploads so far. */
function uploads() {
  return registry.requests().filter((each) => each.startsWith("PUT")).length;
}

/** Tries to publish while the registry has packages of a stranger: one named like the command, and each of the others with our name. */
function refuseStrangers() {
  const upload = (manifest) => {
    const folder = join(temporary, "stranger");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, bin: { [COMMAND]: "a.js" } }));
    writeFileSync(join(folder, "a.js"), '#!/usr/bin/env node\nconsole.log("a stranger");\n');
    mustRun("npm", ["publish", "--access", "public"], { cwd: folder, env });
  };
  upload({ name: COMMAND, version: "1.0.4" });
  const repository = { type: "git", url: `git+${EXAMPLE_CONFIG.repository}.git` };
  for (const [manifest, problem] of [
    [{ name: SERVICE, version: "0.0.1" }, "is not ours: the registry has it from nowhere, by example"],
    [
      { name: ENGINE, version: "0.0.1", repository, maintainers: [{ name: "stranger" }] },
      `is not ours: the registry has it from ${repository.url}, by stranger`,
    ],
    [{ name: ENGINE, version, repository }, `the registry has the version ${version} with other content`],
  ]) {
    upload(manifest);
    const before = uploads();
    const { status, stderr } = run("node", [...PUBLISH, "--no-pack"], inClone);
    const isRefused = status === 1 && stderr.startsWith(`release: ${manifest.name}: ${problem}`);
    check(`${manifest.name}@${manifest.version} stops the release: ${problem}`, isRefused, stderr);
    checkEqual("nothing is uploaded", uploads(), before);
    mustRun("npm", ["unpublish", "--force", manifest.name], { cwd: temporary, env });
  }
}

/** Publishes, is killed after the first package, continues, and publishes once more from a new build. */
async function publish() {
  const before = registry.requests().length;
  const child = spawn("node", [...PUBLISH, "--no-pack"], {
    ...inClone,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "close");
  createInterface(child.stdout).once("line", () => process.kill(-child.pid, "SIGKILL"));
  await ended;
  const outcomes = (stdout) =>
    ["published ", `.*@${version} is published already`].map(
      (text) => stdout.match(new RegExp(`^${text}`, "gm"))?.length ?? 0,
    );
  const [published, already] = outcomes(mustRun("node", [...PUBLISH, "--no-pack"], inClone).stdout);
  const isContinued = already > 0 && published > 0 && published + already === NAMES.length;
  check("an interrupted release continues", isContinued, { published, already });
  const requests = registry.requests().slice(before);
  const asked = requests.slice(
    0,
    requests.findIndex((each) => each.startsWith("PUT")),
  );
  // npm itself asks for the first package once more.
  checkEqual(
    "all names are asked for before the first upload",
    [...new Set(asked)],
    NAMES.map((name) => `GET ${name}`),
  );
  const again = mustRun("node", PUBLISH, inClone).stdout;
  checkEqual("a new build is the same: it is published already", outcomes(again), [0, NAMES.length]);
}

/** Examines the tarballs with publint and attw. The service has a command and no exports. */
function examine() {
  const folder = join(clone, "release");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".tgz"))) {
    checkRuns(`publint: ${file}`, join(BIN, "publint"), [join(folder, file), "--strict"], { env });
    if (file !== tarballName(SERVICE, version)) {
      checkRuns(`attw: ${file}`, join(BIN, "attw"), [join(folder, file), "--profile", "esm-only"], { env });
    }
  }
}

/** Installs the service, and runs the first example of each README with it. */
async function useService() {
  const empty = join(temporary, "empty");
  mkdirSync(empty);
  const options = { cwd: empty, env, seconds: 300 };
  const printed = run("npx", ["--yes", SERVICE, "8.8.8.8"], options);
  check(`npx ${SERVICE} 8.8.8.8`, printed.stdout.includes("Google LLC"), printed.stderr);
  checkRuns(`npm install ${SERVICE}`, "npm", ["install", SERVICE], options);
  const program = join(empty, "node_modules/.bin/utility-tools");
  const { url, stop } = await startService(program, ["serve"]);
  await checkLookUp("the service answers", url);

  const { host } = new URL(url);
  const atService = (text) => text.replaceAll("127.0.0.1:8080", host);
  checkPrinted("README of the client", runExample("client", atService), "US Google LLC\n");
  const printing = (text) => `${atService(text)}\nconsole.log(country.name);\n`;
  checkPrinted("README of the messages", runExample("gen", printing), "France\n");
  // The service is a gRPC server with reflection, and its methods have HTTP rules.
  const gateway = ["node_modules/.bin/connect-transcoding-gateway", "--upstream", url, "--port"];
  await whileRunning("packages/gateway", gateway, (at) => checkLookUp("README of the gateway", at));
  await stop();

  await whileExampleRuns("packages/http-server", "", async (at) => {
    const body = await (await fetch(`${at}/a`, { method: "POST", body: "four" })).text();
    checkEqual("README of the HTTP server", body, "POST /a: 4 bytes");
  });
  const key = run(program, ["make-key", "ci", "--append", "keys"], { cwd: projectOf("packages/operations") });
  const headers = { authorization: `Bearer ${key.stdout.trim()}` };
  // The page leaves out the routes and the port.
  const listen = 'function routes() {}\nawait server.listen("127.0.0.1", 8080);\n';
  await whileExampleRuns("packages/operations", listen, async (at) => {
    const responses = [await fetch(`${at}/a`), await fetch(`${at}/a`, { headers })];
    checkEqual(
      "README of the operations",
      responses.map(({ status }) => status),
      [401, 404],
    );
  });
}

/** Writes the first program of a README into its project. */
function writeExample(folder, change) {
  const [, , text] = blocksOf(read(join(folder, "README.md"))).find(([language]) => /^[jt]s$/.test(language));
  writeFileSync(join(projectOf(folder), "example.mjs"), change(text));
}

function runExample(folder, change) {
  writeExample(folder, change);
  return run(process.execPath, ["example.mjs"], { cwd: projectOf(folder), env });
}

/** Calls a function while the first program of a README runs, with more text at its end. */
async function whileExampleRuns(folder, more, use) {
  writeExample(folder, (text) => `${text}\n${more}`.replaceAll("8080", "Number(process.argv[2])"));
  await whileRunning(folder, [process.execPath, "example.mjs"], use);
}

/** Calls a function with the URL of a program in a project, whose last argument is its port. */
async function whileRunning(folder, [program, ...args], use) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = { cwd: projectOf(folder), env };
  const { isReady, stop } = await startServer(url, program, [...args, String(port)], options);
  check(`${folder}: its program listens`, isReady);
  if (isReady) {
    await use(url);
  }
  await stop();
}
