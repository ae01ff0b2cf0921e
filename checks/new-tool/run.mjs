// `npm run check -- new-tool`: adds a tool to a clone of the checkout, and tries it.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  check,
  checkPrinted,
  conclude,
  mustRun,
  run,
  startService,
  temporaryFolder,
} from "connect-transcoding-testing/checks.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const NAME = "sample-text";

const clone = join(temporaryFolder("new-tool"), "clone");
prepareClone();
rejectNames();
addTool();
await callTool();
rejectOverwriting();
conclude();

/** Makes a clone of the checkout what `npm ci` makes of it, and installs the linters, by what is there. */
function prepareClone() {
  mustRun("git", ["clone", "--quiet", ROOT, clone]);
  const linters = ["checks/lint/node_modules", "packages/testing/src/buf/node_modules"];
  const modules = readdirSync(join(ROOT, "node_modules"))
    .filter((name) => name !== ".cache")
    .map((name) => `node_modules/${name}`);
  const copy = (paths, ...flags) => {
    for (const path of paths.filter((each) => existsSync(join(ROOT, each)))) {
      mkdirSync(dirname(join(clone, path)), { recursive: true });
      mustRun("cp", ["--archive", ...flags, join(ROOT, path), join(clone, path)]);
    }
  };
  copy([...linters, ...modules], "--link");
  // A build writes to its files.
  copy(["dist"]);
  for (const file of ["asn.mmdb", "city.columns", "country-sources.columns"]) {
    cpSync(join(ROOT, "data", file), join(clone, "data", file));
  }
}

/** The files and folders of the clone that a commit would change. */
function changedFiles() {
  return changes().match(/(?<=^.. ).+/gm) ?? [];
}

function inClone(program, ...args) {
  return run(program, args, { cwd: clone, seconds: 600 });
}

function newTool(...args) {
  return inClone(process.execPath, "scripts/new-tool/run.mjs", ...args);
}

/** The files of the clone that differ from its commit. */
function changes() {
  return mustRun("git", ["status", "--porcelain"], { cwd: clone }).stdout;
}

function rejectNames() {
  const rejected = {
    Phone: "lower-case letters",
    "phone-": "lower-case letters",
    "e-164": "lower-case letters",
    "": "lower-case letters",
    ["a".repeat(33)]: "at most 32 characters",
    email: "a proto file of this name",
    "geo-ip": "a proto file of this name",
    country: "a command of this name",
    "sanitize-email": "a route /v1/sanitizeEmail",
    close: "reserved",
    "to-string": "reserved",
  };
  for (const [name, problem] of Object.entries(rejected)) {
    const { status, stderr } = newTool(name);
    check(`the name "${name}" is rejected: ${problem}`, status === 1 && stderr.includes(problem), stderr);
  }
  const { status, stderr } = newTool();
  check("a name is required", status === 1 && stderr.includes("give the name"), stderr);
  const page = join(clone, "docs/README.md");
  const content = readFileSync(page, "utf8");
  writeFileSync(page, `${content}\n`);
  const dirty = newTool(NAME);
  check(
    "a changed file is not changed further",
    dirty.status === 1 && / M docs\/README\.md/.test(dirty.stderr),
  );
  writeFileSync(page, content);
  check("a rejected call changes nothing", changes() === "", changes());
}

function addTool() {
  const added = inClone("npm", "run", "--silent", "new-tool", "--", NAME);
  check("npm run new-tool", added.status === 0, `${added.stdout}${added.stderr}`);
  const linter = (name) => join(clone, "checks/lint/node_modules/.bin", name);
  // The other linters, and the files that it does not change, have nothing to do with a tool.
  const commands = {
    "npm run check -- tool": ["npm", "run", "--silent", "check", "--", "tool", NAME],
    biome: [linter("biome"), "check", ...changedFiles()],
    knip: [linter("knip")],
  };
  for (const [what, command] of Object.entries(commands)) {
    const { status, stdout, stderr } = inClone(...command);
    check(what, status === 0, `${stdout}${stderr}`);
  }
}

async function callTool() {
  mustRun("npm", ["run", "--silent", "prepare"], { cwd: clone, seconds: 600 });
  const program = join(clone, "dist/src/main.js");
  const service = await startService(process.execPath, [program]);
  try {
    const single = await fetch(`${service.url}/v1/sampleText?text=${encodeURIComponent(" a+b ")}`);
    await checkResponse("a text", single, 200, { text: "A+B" });
    const body = JSON.stringify({ texts: ["a", ""] });
    const headers = { "content-type": "application/json" };
    const batch = await fetch(`${service.url}/v1/sampleText:batch`, { method: "POST", headers, body });
    const { results } = await batch.json();
    check("a batch", results[0]?.answer?.text === "A" && results[1]?.error?.reason === "REQUIRED");
    const invalid = await fetch(`${service.url}/v1/sampleText?text=`);
    const { error } = await invalid.json();
    const [violation] = error.details[0].fieldViolations;
    check("an empty text is an error", invalid.status === 400 && violation.reason === "REQUIRED");
    const { paths } = await (await fetch(`${service.url}/openapi.json`)).json();
    check(
      "the OpenAPI document has the routes",
      "/v1/sampleText" in paths && "/v1/sampleText:batch" in paths,
    );
    const page = await fetch(service.url);
    check("the page is served", page.status === 200);
  } finally {
    await service.stop();
  }
  checkPrinted("the command", run(process.execPath, [program, NAME, "a", "b"]), "a\tA\nb\tB\n");
}

async function checkResponse(what, response, status, expected) {
  const json = await response.json();
  check(what, response.status === status && isDeepStrictEqual(json, expected), JSON.stringify(json));
}

function rejectOverwriting() {
  const before = changes();
  const { status, stderr } = newTool(NAME);
  check("a tool is not overwritten", status === 1 && changes() === before, stderr);
}
