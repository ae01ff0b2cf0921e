// `npm run check -- release`: releases a clone to a registry on this machine, and uses each package by its name in an empty project.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXAMPLE_CONFIG } from "../../publishing/config.mjs";
import { check, checkPrinted, conclude, mustRun, responds, run, startService } from "../lib/checks.mjs";
import { startRegistry } from "./registry.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const BIN = join(import.meta.dirname, "node_modules", ".bin");
/** The largest installation of the service, in megabytes. */
const MAX_INSTALLED = 200;

const temporary = mkdtempSync(join(tmpdir(), "release-check-"));
const clone = join(temporary, "clone");
const uplink = mustRun("npm", ["config", "get", "registry"]).stdout.trim();
const registry = await startRegistry(temporary, uplink);
const AUTHOR = { NAME: "a", EMAIL: "a@example.com" };
const env = {
  ...process.env,
  npm_config_userconfig: registry.npmrc,
  npm_config_registry: registry.url,
  npm_config_cache: join(temporary, "cache"),
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) =>
      Object.entries(AUTHOR).map(([what, value]) => [`GIT_${who}_${what}`, value]),
    ),
  ),
};
const version = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;

try {
  release();
  examine();
  const service = await useService();
  try {
    await useClient(service.url);
    await useProtos(service.url);
    await useGateway(service.url);
  } finally {
    await service.stop();
  }
  await useOnePort();
  await useOperations();
  const readme = run(process.execPath, [join(ROOT, "checks/package/readme.mjs"), "--published"], {
    cwd: ROOT,
    env,
    seconds: 300,
  });
  check("the first section of the engine's README", readme.status === 0, readme.stdout + readme.stderr);
} finally {
  await registry.stop();
  rmSync(temporary, { recursive: true, force: true });
}
conclude();

/** Releases and publishes a clone as a maintainer does. */
function release() {
  // As before a release, also if the checkout is one.
  mustRun("git", ["clone", "--quiet", "--no-tags", ROOT, clone]);
  writeFileSync(join(clone, "release.config.json"), "{}");
  writeFileSync(join(clone, "CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n\n- A change.\n");
  const inClone = { cwd: clone, env, seconds: 600 };
  const refused = run("node", ["release.mjs", version], inClone);
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
  mustRun("node", ["release.mjs", version, "--write", "--no-pack"], inClone);
  const publish = ["release.mjs", "--publish", "--registry", registry.url];
  const rehearsed = mustRun("node", [...publish, "--dry-run"], inClone);
  check("--dry-run publishes nothing", !/^published /m.test(rehearsed.stdout));
  const published = mustRun("node", [...publish, "--no-pack"], inClone);
  const count = published.stdout.match(/^published .*$/gm)?.length ?? 0;
  check("all packages are published", count === 7, published.stdout);
  for (const line of rehearsed.stdout.match(/^packed .*$/gm) ?? []) {
    console.log(`     ${line}`);
  }
  const again = mustRun("node", [...publish, "--no-pack"], inClone);
  check("a second run publishes nothing", !/^published /m.test(again.stdout), again.stdout);
}

/** Examines the tarballs with publint and attw. The service has a command and no exports. */
function examine() {
  const folder = join(clone, "release");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".tgz"))) {
    const publint = run(join(BIN, "publint"), [join(folder, file), "--strict"], { env });
    check(`publint: ${file}`, publint.status === 0, publint.stdout + publint.stderr);
    if (!file.startsWith(`utility-tools-${version}`)) {
      const attw = run(join(BIN, "attw"), [join(folder, file), "--profile", "esm-only"], { env });
      check(`attw: ${file}`, attw.status === 0, attw.stdout + attw.stderr);
    }
  }
}

/** Creates an empty project, and installs packages by name. */
function project(name, ...packages) {
  const folder = join(temporary, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  mustRun("npm", ["install", "--loglevel=error", ...packages], { cwd: folder, env, seconds: 600 });
  return folder;
}

/** The first block of code of a README in a language. */
function firstBlock(readme, language) {
  const text = readFileSync(join(ROOT, readme), "utf8");
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(text)?.[1] ?? "";
}

async function useService() {
  const folder = project("service", "utility-tools");
  const size = Number(mustRun("du", ["-sm", "node_modules"], { cwd: folder }).stdout.split("\t")[0]);
  check(`npm install utility-tools: ${size} MB`, size < MAX_INSTALLED);
  const tools = ["typescript", "vite", "preact"].filter((name) =>
    readdirSync(join(folder, "node_modules")).includes(name),
  );
  check("it installs no build tools", tools.length === 0, tools.join());
  const empty = join(temporary, "empty");
  mkdirSync(empty);
  const value = run("npx", ["--yes", "utility-tools", "8.8.8.8"], { cwd: empty, env, seconds: 300 });
  check("npx utility-tools 8.8.8.8", value.stdout.includes("Google LLC"), value.stderr);
  const lookup = run("npx", ["--yes", "utility-tools", "geoip", "8.8.8.8", "--json"], {
    cwd: empty,
    env,
    seconds: 300,
  });
  check("npx utility-tools geoip 8.8.8.8", lookup.stdout.includes('"asn":15169'), lookup.stderr);
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
  const result = runExample(folder, firstBlock("packages/client/README.md", "ts"), url);
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
  await whileRunning(
    folder,
    ["sh", "-ec", command.replace(/^npx /, "exec node_modules/.bin/")],
    "8080",
    async (url) => {
      const response = await fetch(`${url}/v1/geoIp?ip_address=8.8.8.8`);
      const body = await response.text();
      check("README of connect-transcoding-gateway", body.includes("15169"), body);
    },
  );
}

async function useOnePort() {
  const folder = project("one-port", "one-port");
  writeFileSync(join(folder, "example.js"), firstBlock("packages/http-server/README.md", "js"));
  await whileRunning(folder, [process.execPath, "example.js"], "8080", async (url) => {
    const body = await (await fetch(`${url}/a`, { method: "POST", body: "four" })).text();
    check("README of one-port", body === "POST /a: 4 bytes", body);
  });
}

/** The example has the routes and the port of a server, which it does not show. */
async function useOperations() {
  const folder = project("operations", "connect-transcoding-operations", "@bufbuild/protobuf");
  const key = run(
    join(temporary, "service/node_modules/.bin/utility-tools"),
    ["make-key", "ci", "--append", "keys"],
    { cwd: folder },
  ).stdout.trim();
  const example = firstBlock("packages/operations/README.md", "ts");
  const text = `const routes = () => {};\n${example}\nawait server.listen("127.0.0.1", 8080);\n`;
  writeFileSync(join(folder, "example.mjs"), text);
  await whileRunning(folder, [process.execPath, "example.mjs"], "8080", async (url) => {
    const without = await fetch(`${url}/a`);
    const withKey = await fetch(`${url}/a`, { headers: { authorization: `Bearer ${key}` } });
    check(
      "README of connect-transcoding-operations",
      without.status === 401 && withKey.status === 404,
      `${without.status} ${withKey.status}`,
    );
  });
}

/** Runs a program of a project that listens on a port until a function has used it. */
async function whileRunning(folder, [program, ...args], port, use) {
  const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  const url = `http://127.0.0.1:${port}`;
  try {
    const isReady = await responds(url);
    check(`${program} ${args.join(" ")} listens`, isReady);
    if (isReady) {
      await use(url);
    }
  } finally {
    child.kill();
  }
}
