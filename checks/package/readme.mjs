// `npm run check -- package/readme`: installs each package as its README says, in an empty folder, from a clone in which only `npm ci` has
// run, and follows "Start in an empty folder" of the engine's README. With --published, it installs them by name.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  check,
  checkRuns,
  conclude,
  freePort,
  mustRun,
  run,
  startServer,
  temporaryFolder,
} from "connect-transcoding-testing/checks.mjs";
import { EXAMPLE_CONFIG } from "../../scripts/release/config.mjs";
import { withBlocks } from "../../scripts/release/install.mjs";
import { ROOT, read, readJson } from "../../scripts/release/workspace.mjs";

/** Whether the packages come from the registry that npm is configured with. */
const isPublished = process.argv.includes("--published");
const ENGINE = "packages/connect-transcoding";
/** What to import of each package, by its folder. */
const MODULES = {
  gen: "@utility-tools/protos/services.js",
  "packages/http-server": "@utility-tools/http-server",
  "packages/operations": "connect-transcoding-operations/access/access",
  client: "@utility-tools/client",
  "packages/gateway": "connect-transcoding-gateway",
  [ENGINE]: "connect-transcoding",
};
const temporary = temporaryFolder("readme");
const clone = join(temporary, "utility-tools");
const quiet = { npm_config_prefer_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };
const env = { ...process.env, ...quiet };

/** A README as it is before the first release, or after. */
function readmeOf(folder) {
  const { version } = readJson("package.json");
  return withBlocks(read(join(folder, "README.md")), isPublished ? EXAMPLE_CONFIG : {}, version);
}

/** The code blocks of a text: their language, the name after it, and their text. */
function blocksOf(text) {
  return [...text.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(([, ...block]) => block);
}

/** Makes a clone in which `npm ci` has run. `npm pack` builds in it. */
function makeClone() {
  mustRun("git", ["clone", "--quiet", ROOT, clone]);
  const { stderr } = mustRun("npm", ["ci"], { cwd: clone, env, seconds: 600 });
  check("npm ci prints no warning", !/warn/i.test(stderr), stderr);
  const pack = ["pack", "--workspace", "packages/http-server", "--json", "--silent"];
  const packed = mustRun("npm", pack, { cwd: clone, env, seconds: 300 }).stdout;
  check("npm pack builds", packed.includes('"dist/index.js"'), packed);
  const service = run("npm", ["pack"], { cwd: clone, env });
  check("npm pack of the service names npm run pack", /npm run pack/.test(service.stderr), service.stderr);
}

/** Installs a package in an empty folder, after other commands of its README, and imports it. Returns the folder. */
function installFrom(folder) {
  const commands = blocksOf(readmeOf(folder)).filter(([, name]) => name === "start" || name === "install");
  const project = join(temporary, folder.replace("packages/", ""));
  mkdirSync(project);
  const options = { cwd: project, env, seconds: 900 };
  checkRuns(`${folder}: installs`, "sh", ["-ec", commands.map(([, , text]) => text).join("")], options);
  const program = `await import(${JSON.stringify(MODULES[folder])})`;
  checkRuns(`${folder}: is imported`, process.execPath, ["--input-type=module", "--eval", program], options);
  return project;
}

if (!isPublished) {
  makeClone();
}
const projects = Object.keys(MODULES).map(installFrom);
const project = projects.at(-1);
const [, section] = /^## Start in an empty folder$([\s\S]*?)^## /m.exec(readmeOf(ENGINE));
const blocks = blocksOf(section);
const commands = new Map(
  blocks.flatMap(([language, name, text]) => (language === "sh" ? [[name, text]] : [])),
);
const port = String(await freePort());
/** The program and the arguments that run commands, with the free port. */
const shell = (text) => ["sh", ["-ec", text.replaceAll("8080", port)]];
const options = { cwd: project, env, seconds: 900 };

for (const [language, name, text] of blocks) {
  if (language !== "sh" && name !== "") {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text.replaceAll("8080", port));
  }
}
const [generate, serve] = commands.get("serve").trim().split("\n");
checkRuns(generate, ...shell(generate), options);
const server = await startServer(`http://127.0.0.1:${port}`, ...shell(`exec ${serve}`), {
  ...options,
  stdio: ["ignore", "inherit", "inherit"],
});
check(`${serve}: is ready`, server.isReady);

const expected = JSON.stringify(JSON.parse(blocks.find(([language]) => language === "json")[2]));
for (const command of commands.get("call").replaceAll("\\\n", "").trim().split("\n")) {
  const { status, stdout, stderr } = run(...shell(command), options);
  const isRight = status === 0 && JSON.stringify(JSON.parse(stdout)) === expected;
  check(command, isRight, stdout + stderr);
}
await server.stop();
conclude();
