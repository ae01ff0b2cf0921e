// `npm run check -- release`: releases a clone to a registry on this machine, and uses each package by its name in an empty project.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  check,
  checkPrinted,
  checkRuns,
  conclude,
  mustRun,
  run,
  startServer,
  startService,
  temporaryFolder,
} from "connect-transcoding-testing/checks.mjs";
import { EXAMPLE_CONFIG } from "../../scripts/release/config.mjs";
import { ROOT, read, readJson, tarballName } from "../../scripts/release/workspace.mjs";
import { checkLookUp, createProject, installedSize } from "../lib/projects.mjs";
import { startRegistry } from "./registry.mjs";

const BIN = join(import.meta.dirname, "node_modules", ".bin");
/** The largest installation of the service, in megabytes. */
const MAX_INSTALLED = 200;

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
const { name: SERVICE, version } = readJson("package.json");

release();
examine();
const service = await useService();
await useClient(service.url);
await useProtos(service.url);
await useGateway(service.url);
await service.stop();
await useHttpServer();
await useOperations();
const readme = [join(ROOT, "checks/package/readme.mjs"), "--published"];
const what = "the first section of the engine's README";
checkRuns(what, process.execPath, readme, { cwd: ROOT, env, seconds: 300 });
await registry.stop();
conclude();

/** Releases and publishes a clone as a maintainer does. */
function release() {
  // As before a release, also if the checkout is one.
  mustRun("git", ["clone", "--quiet", "--no-tags", ROOT, clone]);
  writeFileSync(join(clone, "release.config.json"), "{}");
  writeFileSync(join(clone, "CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n\n- A change.\n");
  const inClone = { cwd: clone, env, seconds: 600 };
  const refused = run("node", ["scripts/release/run.mjs", version], inClone);
  check(
    "an empty configuration is refused",
    /release\.config\.json has no "repository"/.test(refused.stderr),
  );
  // The packages of the checkout come from where they always come from.
  mustRun("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: clone,
    seconds: 600,
  });
  writeFileSync(join(clone, "release.config.json"), JSON.stringify(EXAMPLE_CONFIG));
  mustRun("git", ["commit", "--quiet", "--all", "--message", "configuration"], inClone);
  mustRun("node", ["scripts/release/run.mjs", version, "--write", "--no-pack"], inClone);
  check(
    "a release leaves no other changes",
    mustRun("git", ["status", "--porcelain"], inClone).stdout === "",
  );
  const publish = ["scripts/release/run.mjs", "--publish", "--registry", registry.url];
  const rehearsed = mustRun("node", [...publish, "--dry-run"], inClone);
  check("--dry-run publishes nothing", !/^published /m.test(rehearsed.stdout));
  refuseStrangers([...publish, "--no-pack"], inClone);
  const published = mustRun("node", [...publish, "--no-pack"], inClone);
  const count = published.stdout.match(/^published .*$/gm)?.length ?? 0;
  check("all packages are published", count === 7, published.stdout);
  for (const line of rehearsed.stdout.match(/^packed .*$/gm) ?? []) {
    console.log(`     ${line}`);
  }
  const again = mustRun("node", publish, inClone);
  check(
    "a second run packs the same and publishes nothing",
    !/^published /m.test(again.stdout),
    again.stdout,
  );
}

/** Tries to publish while the registry has packages of a stranger: one named like the command, and two with the name of one of ours. */
function refuseStrangers(publish, inClone) {
  const stranger = (name, version, repository) => {
    const folder = join(temporary, "stranger");
    mkdirSync(folder, { recursive: true });
    const manifest = { name, version, repository, bin: { "utility-tools": "a.js" } };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "a.js"), '#!/usr/bin/env node\nconsole.log("a stranger");\n');
    mustRun("npm", ["publish"], { cwd: folder, env });
  };
  stranger("utility-tools", "1.0.4");
  const own = { type: "git", url: `git+${EXAMPLE_CONFIG.repository}.git` };
  for (const [what, args, problem] of [
    [
      "the name of a stranger",
      ["0.0.1"],
      /connect-transcoding: is not ours: the registry has it from nowhere/,
    ],
    [
      "a version with other content",
      [version, own],
      /connect-transcoding: the registry has the version .* other content/,
    ],
  ]) {
    stranger("connect-transcoding", ...args);
    const { status, stdout, stderr } = run("node", publish, inClone);
    const isRefused = status === 1 && problem.test(stderr) && !/^published /m.test(stdout);
    check(`${what} stops the release before the first upload`, isRefused, stdout + stderr);
    mustRun("npm", ["unpublish", "--force", "connect-transcoding"], { cwd: temporary, env });
  }
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

/** Creates an empty project, and installs packages by name. */
function project(name, ...packages) {
  return createProject(join(temporary, name), packages, env);
}

/** The first block of code of a README in a language. */
function firstBlock(readme, language) {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(read(readme))?.[1] ?? "";
}

async function useService() {
  const folder = project("service", SERVICE);
  const size = Math.ceil(installedSize(folder) / 1_024);
  check(`npm install ${SERVICE}: ${size} MB`, size < MAX_INSTALLED);
  const tools = ["typescript", "vite", "preact"].filter((name) =>
    readdirSync(join(folder, "node_modules")).includes(name),
  );
  check("it installs no build tools", tools.length === 0, tools.join());
  const empty = join(temporary, "empty");
  mkdirSync(empty);
  const npx = (...args) => run("npx", ["--yes", SERVICE, ...args], { cwd: empty, env, seconds: 300 });
  const value = npx("8.8.8.8");
  check(`npx ${SERVICE} 8.8.8.8`, value.stdout.includes("Google LLC"), value.stderr);
  const lookup = npx("geoip", "8.8.8.8", "--json");
  check(`npx ${SERVICE} geoip 8.8.8.8`, lookup.stdout.includes('"asn":15169'), lookup.stderr);
  const service = await startService(join(folder, "node_modules/.bin/utility-tools"), ["serve"]);
  const about = await (await fetch(`${service.url}/v1/about`)).text();
  check("the service names its version", about.includes(`"version":"${version}"`), about);
  return service;
}

/** Runs an example with the port of a service in place of 8080. */
function runExample(folder, text, url) {
  writeFileSync(join(folder, "example.mjs"), text.replaceAll("127.0.0.1:8080", new URL(url).host));
  return run(process.execPath, ["example.mjs"], { cwd: folder, env });
}

async function useClient(url) {
  const folder = project("client", "@utility-tools/client");
  const result = runExample(folder, firstBlock("client/README.md", "ts"), url);
  checkPrinted("README of @utility-tools/client", result, "US Google LLC\n");
}

async function useProtos(url) {
  const folder = project(
    "protos",
    "@utility-tools/protos",
    "@connectrpc/connect",
    "@connectrpc/connect-node",
  );
  const text = `${firstBlock("gen/README.md", "ts")}\nconsole.log(country.name);\n`;
  checkPrinted("README of @utility-tools/protos", runExample(folder, text, url), "France\n");
}

/** The service is a gRPC server with reflection, and its methods have HTTP rules. */
async function useGateway(upstream) {
  const folder = project("gateway", "connect-transcoding-gateway");
  const command = firstBlock("packages/gateway/README.md", "sh")
    .trim()
    .replace("http://127.0.0.1:50051", upstream);
  await whileRunning(folder, ["sh", "-ec", command.replace(/^npx /, "exec node_modules/.bin/")], (url) =>
    checkLookUp("README of connect-transcoding-gateway", url),
  );
}

async function useHttpServer() {
  const folder = project("@utility-tools/http-server", "@utility-tools/http-server");
  writeFileSync(join(folder, "example.js"), firstBlock("packages/http-server/README.md", "js"));
  await whileRunning(folder, [process.execPath, "example.js"], async (url) => {
    const body = await (await fetch(`${url}/a`, { method: "POST", body: "four" })).text();
    check("README of @utility-tools/http-server", body === "POST /a: 4 bytes", body);
  });
}

/** The example has the routes and the port of a server, which it does not show. */
async function useOperations() {
  const folder = project("operations", "connect-transcoding-operations", "@bufbuild/protobuf");
  const program = join(temporary, "service/node_modules/.bin/utility-tools");
  const key = run(program, ["make-key", "ci", "--append", "keys"], { cwd: folder }).stdout.trim();
  const example = firstBlock("packages/operations/README.md", "ts");
  const text = `const routes = () => {};\n${example}\nawait server.listen("127.0.0.1", 8080);\n`;
  writeFileSync(join(folder, "example.mjs"), text);
  await whileRunning(folder, [process.execPath, "example.mjs"], async (url) => {
    const without = await fetch(`${url}/a`);
    const withKey = await fetch(`${url}/a`, { headers: { authorization: `Bearer ${key}` } });
    check(
      "README of connect-transcoding-operations",
      without.status === 401 && withKey.status === 404,
      `${without.status} ${withKey.status}`,
    );
  });
}

/** Runs a program of a project, which listens on port 8080, until a function has used it. */
async function whileRunning(folder, [program, ...args], use) {
  const url = "http://127.0.0.1:8080";
  const { isReady, stop } = await startServer(url, program, args, { cwd: folder, env });
  check(`${program} ${args.join(" ")} listens`, isReady);
  if (isReady) {
    await use(url);
  }
  await stop();
}
