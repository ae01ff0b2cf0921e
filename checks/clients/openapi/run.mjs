// `npm run check -- clients/openapi`: generates clients from the OpenAPI document of the built service, with the commands of
// docs/guide/clients.md, and calls every operation with each. The generators are installed once, into node_modules/.cache. A language
// that is not installed is reported and skipped.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { TOTP } from "otpauth";
import { check, conclude, mustRun, run, startService } from "../../lib/checks.mjs";
import { documented } from "../documented.mjs";
import { hasGo, MAIN, makeKey, prepared, pythonPrograms } from "../programs.mjs";

const { files } = documented();
const HERE = import.meta.dirname;

/** Each language, and a function that generates its clients and returns the commands that run them; empty if it is skipped. */
const LANGUAGES = { TypeScript: typescript, Go: go, Python: python };

const temporary = mkdtempSync(join(tmpdir(), "utility-tools-openapi-"));
const { key, keysFile } = makeKey(temporary);
// Clients send another address, because the data has none for 127.0.0.1.
const service = await startService(process.execPath, [MAIN], {
  API_KEYS_FILE: keysFile,
  OPEN_AREAS: "docs",
  TRUSTED_PROXIES: "127.0.0.1",
});
const env = { ...process.env, UTILITY_TOOLS_URL: service.url, UTILITY_TOOLS_API_KEY: key };
try {
  checkVersions();
  const expected = await expectedReport();
  for (const [language, generate] of Object.entries(LANGUAGES)) {
    console.log(`\n${language}`);
    const started = Date.now();
    for (const { name, program, args, cwd } of generate()) {
      checkReport(name, run(program, args, { cwd, env }), expected);
    }
    console.log(`     ${((Date.now() - started) / 1_000).toFixed(1)} s`);
  }
} finally {
  await service.stop();
  rmSync(temporary, { recursive: true });
}
conclude();

/** Checks that the page names the versions that are tried here. */
function checkVersions() {
  const page = readFileSync(join(HERE, "..", "..", "..", "docs", "guide", "clients.md"), "utf8");
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
  const { "@types/node": _, typescript: __, ...packages } = { ...dependencies, ...devDependencies };
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
  const { status, stdout, stderr } = run("sh", ["-e", "-c", command], { cwd: folder, env: { ...env, PATH } });
  check(`${name}: the documented command generates a client`, status === 0, `${stdout}${stderr}`);
}

function typescript() {
  const pins = ["package.json", "package-lock.json"].map((file) => join(HERE, file));
  const installed = prepared("openapi-npm", pins, (folder) => {
    for (const file of ["package.json", "package-lock.json"]) {
      copyFileSync(join(HERE, file), join(folder, file));
    }
    // Some generators declare Node 22, and run on Node 20. npm passes the setting of this project on to scripts.
    const args = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--no-engine-strict"];
    mustRun("npm", args, { cwd: folder, seconds: 300 });
  });
  const folder = join(temporary, "typescript");
  cpSync(join(HERE, "typescript"), folder, { recursive: true });
  copyFileSync(join(HERE, "package.json"), join(folder, "package.json"));
  symlinkSync(join(installed, "node_modules"), join(folder, "node_modules"));
  const names = ["openapi-fetch", "hey-api", "orval"];
  writeFileSync(join(folder, "orval", "orval.config.ts"), files.get("openapi/orval.config.ts") ?? "");
  for (const name of names) {
    generateIn(join(folder, name), name);
  }
  const compiled = run("npx", ["tsc", "-p", "."], { cwd: folder });
  check("the clients have the expected types", compiled.status === 0, compiled.stdout);
  return names.map((name) => ({
    name,
    program: process.execPath,
    args: [join("dist", name, "main.js")],
    cwd: folder,
  }));
}

function go() {
  if (!hasGo()) {
    return [];
  }
  const folder = join(temporary, "go");
  cpSync(join(HERE, "go"), folder, { recursive: true });
  mkdirSync(join(folder, "utilitytools"));
  generateIn(folder, "oapi-codegen");
  const compiled = run("go", ["build", "-mod=readonly", "-o", "client", "."], { cwd: folder });
  check("the client has the expected types", compiled.status === 0, compiled.stderr);
  return [{ name: "oapi-codegen", program: join(folder, "client"), args: [], cwd: folder }];
}

function python() {
  const packages = pythonPrograms("openapi-python", join(HERE, "python", "requirements.txt"));
  if (packages === undefined) {
    return [];
  }
  const folder = join(temporary, "python");
  cpSync(join(HERE, "python"), folder, { recursive: true });
  generateIn(folder, "openapi-python-client", join(packages, "bin"));
  const program = join(packages, "bin", "python");
  return [{ name: "openapi-python-client", program, args: ["client.py"], cwd: folder }];
}

/** The report of a client, without what differs from call to call. What the data determines is read without a client. */
async function expectedReport() {
  const fetched = (path) => fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const digest = async (format) => {
    const image = await fetched(`/v1/barcode?type=qr_code&data=https://example.com/&format=${format}`);
    return createHash("sha256")
      .update(new Uint8Array(await image.arrayBuffer()))
      .digest("hex");
  };
  const about = await (await fetched("/v1/about")).json();
  const { paths } = await (await fetched("/openapi.json")).json();
  const expected = {
    otp: {
      generated: ["SHA1", 8, 30, "jane@example.com", "Example"],
      isSameSecret: true,
      times: ["+30s", "-30s", "-60s", "current"],
    },
    countries: { count: 250, first: "AFG", capital: "Paris" },
    countriesSearchCountries: ["Bayern", "KIND_SUBDIVISION_NAME", "DEU", "DE-BY"],
    geoIpLookupIp: ["8.8.8.8", "US", 15169],
    geoIpLookupSelf: ["8.8.8.8", "US", 15169, "Mountain View"],
    geoIpBatchLookupIps: ["Cloudflare, Inc.", "RESERVED_ADDRESS", "INVALID_IP_ADDRESS"],
    emailSanitizeEmail: { text: "janedoe@gmail.com", json: "janedoe@gmail.com" },
    emailExplainEmail: [
      "janedoe@gmail.com",
      "EMAIL_RULE_NORMALIZE_DOMAIN",
      "EMAIL_RULE_LOWER_CASE",
      "EMAIL_RULE_REMOVE_SUFFIX",
      "EMAIL_RULE_FOLD_CHARACTERS",
      "EMAIL_RULE_FOLD_DOMAIN",
    ],
    emailBatchSanitizeEmails: ["janedoe@gmail.com", "AT_SIGN_MISSING"],
    barcodeRenderBarcode: { svg: await digest("svg"), png: await digest("png") },
    aboutGetAbout: { version: about.version, licenses: about.sources.map(({ license }) => license) },
  };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const missing = operations.map(({ operationId }) => operationId).filter((id) => expected[id] === undefined);
  const hint = `call ${missing.join(" and ")} in each client of checks/clients/openapi, and add the result to expectedReport`;
  check("every operation of the document is called", missing.length === 0, hint);
  return {
    ...expected,
    errors: [
      { code: 404, reason: "RESERVED_ADDRESS", range: "Private-Use", fields: [] },
      { code: 400, reason: "INVALID_PARAMETERS", range: "", fields: [["email", "AT_SIGN_MISSING"]] },
    ],
  };
}

function checkReport(name, { status, stdout, stderr }, expected) {
  check(`${name}: the client runs`, status === 0, stderr);
  if (status !== 0) {
    return;
  }
  // The programs in Go and Python also try the patterns, whose syntax differs between languages.
  const { otp, patterns, ...others } = JSON.parse(stdout);
  const { secret, code, ...found } = otp;
  const report = { otp: found, ...others };
  for (const [what, value] of Object.entries(expected)) {
    check(`${name}: ${what}`, isDeepStrictEqual(report[what], value), JSON.stringify(report[what]));
  }
  const step = new TOTP({ secret, digits: 8 }).validate({ token: code, window: 1 });
  check(`${name}: the code is valid for the secret`, step !== null, code);
  if (patterns !== undefined) {
    check(
      `${name}: all patterns are valid and match their examples`,
      patterns.length === 0,
      patterns.join(" "),
    );
  }
}
