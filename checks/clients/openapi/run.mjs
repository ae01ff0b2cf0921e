// `npm run check -- clients/openapi`: generates clients from the OpenAPI document of the built service, with the commands of
// docs/guide/clients.md, and makes the calls of the document's examples with each. Every response must be that of the same request without a
// client.
import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  check,
  checkRuns,
  conclude,
  run,
  startService,
  temporaryFolder,
} from "connect-transcoding-testing/checks.mjs";
import { pythonPrograms } from "connect-transcoding-testing/programs.mjs";
import { MAIN, makeKey } from "../../lib/service.mjs";
import { documented, PAGE } from "../documented.mjs";
import { callsOf, fetchAll, patternsOf } from "./calls.mjs";
import { checkDocuments } from "./documents.mjs";
import { CLIENTS, programOf } from "./typescript-calls.mjs";

const { files } = documented();
const HERE = import.meta.dirname;

/** Each language, and a function that generates its clients and returns the commands that run them. */
const LANGUAGES = { TypeScript: typescript, Go: go, Python: python };

const temporary = temporaryFolder("openapi");
const { key, keysFile } = makeKey(temporary);
// Clients send another address, because the data has none for 127.0.0.1.
const service = await startService(process.execPath, [MAIN], {
  API_KEYS_FILE: keysFile,
  OPEN_AREAS: "docs",
  TRUSTED_PROXIES: "127.0.0.1",
});
const env = { ...process.env, UTILITY_TOOLS_URL: service.url, UTILITY_TOOLS_API_KEY: key };
const document = await (await fetch(`${service.url}/openapi.json`)).json();
const calls = callsOf(document);
const fetched = () =>
  fetchAll(calls, service.url, { authorization: `Bearer ${key}`, "x-forwarded-for": "8.8.8.8" });
const [callsFile, patternsFile] = ["calls", "patterns"].map((name) => join(temporary, `${name}.json`));
writeFileSync(callsFile, JSON.stringify(calls));
writeFileSync(patternsFile, JSON.stringify(patternsOf(document)));
checkVersions();
const before = await fetched();
for (const [language, generate] of Object.entries(LANGUAGES)) {
  console.log(`\n${language}`);
  for (const { name, program, args, cwd } of generate(before)) {
    checkReport(name, run(program, args, { cwd, env }), before, await fetched());
  }
}
await checkDocuments(temporary, document);
await service.stop();
conclude();

/** Checks that the page names the versions that are tried here. */
function checkVersions() {
  const page = readFileSync(PAGE, "utf8");
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
  const {
    "@types/node": _,
    "@redocly/openapi-core": __,
    typescript: ___,
    ...packages
  } = { ...dependencies, ...devDependencies };
  const modules = readFileSync(join(HERE, "go", "go.mod"), "utf8").matchAll(/(\S+oapi-codegen\/\S+) (v\S+)/g);
  const tried = [
    ...Object.entries(packages).map(([name, version]) => `${name}@${version}`),
    ...[...modules].map(([, name, version]) => `${name.endsWith("/v2") ? "oapi-codegen" : name}@${version}`),
    readFileSync(join(HERE, "python", "requirements.txt"), "utf8").trim(),
  ];
  for (const each of tried) {
    check(`docs/guide/clients.md names ${each}`, page.includes(`${each}\``) || page.includes(`${each} `));
  }
}

/** Runs the documented command of a generator in a folder. */
function generateIn(folder, name, path = "") {
  const command = files.get(`openapi/${name}.sh`) ?? "exit 1";
  const PATH = [path, process.env.PATH].filter((each) => each !== "").join(delimiter);
  const what = `${name}: the documented command generates a client`;
  checkRuns(what, "sh", ["-e", "-c", command], { cwd: folder, env: { ...env, PATH } });
}

function typescript(expected) {
  const folder = join(temporary, "typescript");
  cpSync(join(HERE, "typescript"), folder, { recursive: true });
  copyFileSync(join(HERE, "package.json"), join(folder, "package.json"));
  symlinkSync(join(HERE, "node_modules"), join(folder, "node_modules"));
  const names = Object.keys(CLIENTS);
  for (const name of names) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "orval.config.ts"), files.get("openapi/orval.config.ts") ?? "");
    generateIn(join(folder, name), name);
    writeFileSync(join(folder, name, "main.ts"), programOf(CLIENTS[name], calls, expected));
  }
  checkRuns("the clients have the expected types", "npx", ["tsc", "-p", "."], { cwd: folder });
  return names.map((name) => {
    return { name, program: process.execPath, args: [join("dist", name, "main.js")], cwd: folder };
  });
}

function go() {
  const folder = join(temporary, "go");
  cpSync(join(HERE, "go"), folder, { recursive: true });
  mkdirSync(join(folder, "utilitytools"));
  generateIn(folder, "oapi-codegen");
  const build = ["build", "-mod=readonly", "-o", "client", "."];
  checkRuns("the client has the expected types", "go", build, { cwd: folder });
  return [
    { name: "oapi-codegen", program: join(folder, "client"), args: [callsFile, patternsFile], cwd: folder },
  ];
}

function python() {
  const packages = pythonPrograms("openapi-python", join(HERE, "python", "requirements.txt"));
  const folder = join(temporary, "python");
  cpSync(join(HERE, "python"), folder, { recursive: true });
  generateIn(folder, "openapi-python-client", join(packages, "bin"));
  const program = join(packages, "bin", "python");
  return [
    { name: "openapi-python-client", program, args: ["client.py", callsFile, patternsFile], cwd: folder },
  ];
}

/** Checks what a client has received. `before` and `after` are the responses without a client, before and after its calls. */
function checkReport(name, { status, stdout, stderr }, before, after) {
  const lines = stdout.trim().split("\n");
  check(`${name}: the client makes all calls`, status === 0 && lines.length >= calls.length, stderr);
  if (status !== 0) {
    return;
  }
  for (const [index, { name: what }] of calls.entries()) {
    const { kind } = before[index];
    const { body, ...found } = JSON.parse(lines[index]);
    if (body !== undefined) {
      const text = Buffer.from(body, "base64").toString(kind === "bytes" ? "base64" : "utf8");
      found.value = kind === "application/json" ? JSON.parse(text) : text;
    }
    const holds = isSame({ ...found, kind }, before[index], after[index]);
    check(`${name}: ${what}`, holds, JSON.stringify(found).slice(0, 600));
  }
  // The programs in Go and Python also try the patterns, whose syntax differs between languages.
  const [patterns] = lines.slice(calls.length);
  if (patterns !== undefined) {
    check(`${name}: all patterns are valid and match their examples`, patterns === "[]", patterns);
  }
}

/** Whether a value is that of two others. Where these differ, such as in a new secret, only the type must be the same. */
function isSame(found, before, after) {
  if (typeof before !== "object" || before === null) {
    return before === after ? isEqual(found, before) : typeof found === typeof before;
  }
  const keys = Object.keys(before);
  return (
    typeof found === "object" &&
    found !== null &&
    Array.isArray(found) === Array.isArray(before) &&
    isDeepStrictEqual(Object.keys(found).sort(), keys.sort()) &&
    keys.every((key) => isSame(found[key], before[key], after[key]))
  );
}

/** Whether two texts, numbers or booleans are equal. Python writes the zone of an instant in another way. */
function isEqual(found, expected) {
  const isInstant = /^\d{4}-\d\d-\d\dT.*Z$/.test(expected);
  return found === expected || (isInstant && Date.parse(found) === Date.parse(expected));
}
