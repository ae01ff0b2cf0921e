// `npm run check -- schemathesis [--examples N] [--seed N] [--short]`: schemathesis generates valid and invalid requests from the OpenAPI
// document of the built service, sends them, and checks the responses against the document.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { check, conclude, run, startService, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { pythonPrograms } from "connect-transcoding-testing/programs.mjs";
import { MAIN, makeKey } from "../lib/service.mjs";

/** The phases that must pass. */
const PHASES = ["examples", "coverage", "fuzzing", "stateful"];

const { values: options } = parseArgs({
  options: {
    // The number of requests per operation in the fuzzing phase, and of chains of requests in the stateful phase.
    examples: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    // Two runs, with each kind of access and each handling of unknown parameters, in place of four.
    short: { type: "boolean", default: false },
  },
});
const programs = pythonPrograms("schemathesis", join(import.meta.dirname, "requirements.txt"));
const temporary = temporaryFolder("schemathesis");
const { key, keysFile } = makeKey(temporary);
const withKeys = { API_KEYS_FILE: keysFile, OPEN_AREAS: "docs" };
await tryService("no keys, reject", { UNKNOWN_PARAMETERS: "reject" });
// Each run uses another of the documented ways to send the key.
if (!options.short) {
  await tryService("no keys, ignore", { UNKNOWN_PARAMETERS: "ignore" });
  const bearer = `[auth.openapi.bearer]\nbearer = "${key}"\n`;
  await tryService("keys, reject", { ...withKeys, UNKNOWN_PARAMETERS: "reject" }, bearer);
}
const apiKey = `[auth.openapi.apiKey]\napi_key = "${key}"\n`;
await tryService("keys, ignore", { ...withKeys, UNKNOWN_PARAMETERS: "ignore" }, apiKey);
conclude();

/** Starts the service with settings, and runs schemathesis with a text that is appended to its configuration. */
async function tryService(name, env, configuration = "") {
  const folder = join(temporary, name);
  mkdirSync(folder);
  const settings = readFileSync(join(import.meta.dirname, "schemathesis.toml"), "utf8");
  writeFileSync(join(folder, "schemathesis.toml"), `${settings}\n${configuration}`);
  const service = await startService(process.execPath, [MAIN], {
    // schemathesis.toml sets the address of the client.
    TRUSTED_PROXIES: "127.0.0.1",
    // Queries that are too long for their schema must reach the method.
    MAX_HEADER_BYTES: "262144",
    ...env,
  });
  const { status, output, report } = runSchemathesis(folder, service.url);
  const stopped = await service.stop();
  if (status !== 0 || report === undefined) {
    console.log(output);
  }
  const { generated = 0, unique_failures: failures = 0 } = report?.test_cases ?? {};
  const { tested = 0, total } = report?.operations ?? {};
  check(
    `${name}: ${failures} failures in ${generated} requests, ${report?.filtered ?? 0} false alarms`,
    status === 0 && report?.complete === true && tested === total,
    `exit ${status}`,
  );
  const missing = PHASES.filter((phase) => report?.phases[phase].status !== "success");
  check(`${name}: all phases pass`, missing.length === 0, missing.join(", "));
  check(`${name}: the service has shut down`, stopped === 0, stopped);
}

/** Runs schemathesis in a folder. Returns its exit status, what it printed, and its report; undefined if it could not start. */
function runSchemathesis(folder, url) {
  const file = join(folder, "report.json");
  const args = ["--no-color", "run", `${url}/openapi.json`, "--checks", "all", "--phases", PHASES.join(",")];
  const { examples, seed } = options;
  const { status, stdout, stderr, error } = run(
    join(programs, "bin", "schemathesis"),
    [...args, "--max-examples", examples, "--seed", seed, "--report-json-path", file],
    {
      cwd: folder,
      env: { ...process.env, SCHEMATHESIS_HOOKS: join(import.meta.dirname, "hooks.py") },
      maxBuffer: 2 ** 28,
      seconds: 24 * 3_600,
    },
  );
  const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  return { status, output: `${error ?? ""}${stdout}${stderr}`, report };
}
