// `npm run check -- clients/documented`: runs the Python and Go examples of docs/guide/clients.md against the built service, with an API key. Their
// dependencies are installed once, into node_modules/.cache/clients/. A language that is not installed is reported and skipped.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { BUF_BIN, installBuf } from "../lib/buf.mjs";
import { check, checkPrinted, conclude, mustRun, run, startService } from "../lib/checks.mjs";
import { documented, writeDocumented } from "./documented.mjs";
import { MAIN, makeKey, ROOT } from "./programs.mjs";

const CACHE = join(ROOT, "node_modules", ".cache", "clients");
const PATH = [BUF_BIN, process.env.PATH].join(delimiter);

const { files, prints } = documented();

/** Each language: its requirements, a command that fails without them, and the command that runs its example. */
const LANGUAGES = [
  {
    name: "python",
    needs: "python3 with venv and ensurepip (Debian: python3-venv)",
    probe: ["python3", ["-c", "import venv, ensurepip"]],
    example: "lookup.py",
    command: ["venv/bin/python", ["lookup.py"]],
  },
  {
    name: "go",
    needs: "go, 1.24 or later",
    probe: ["sh", ["-c", "go version | grep -Eq 'go1\\.(2[4-9]|[3-9][0-9])'"]],
    example: "main.go",
    command: ["go", ["run", "."]],
  },
];

const temporary = mkdtempSync(join(tmpdir(), "utility-tools-clients-"));
installBuf();
mustRun("npm", ["run", "protos"], { cwd: ROOT });
const { key, keysFile } = makeKey(temporary);
const service = await startService(process.execPath, [MAIN], { API_KEYS_FILE: keysFile });
let tried = 0;
try {
  for (const language of LANGUAGES) {
    const [program, args] = language.probe;
    if (run(program, args).status === 0) {
      tryLanguage(language);
      tried++;
    } else {
      console.log(`skipped: ${language.name} needs ${language.needs}`);
    }
  }
  check("at least one language is installed", tried > 0);
} finally {
  await service.stop();
  rmSync(temporary, { recursive: true });
}
conclude();

function tryLanguage({ name, example, command: [program, args] }) {
  const started = Date.now();
  const folder = join(CACHE, name);
  const env = { ...process.env, PATH };
  install(name, folder, env);
  rmSync(join(folder, "protos"), { recursive: true, force: true });
  cpSync(join(ROOT, "gen", "protos"), join(folder, "protos"), { recursive: true });
  mustRun("sh", ["-e", "generate.sh"], { cwd: folder, env });

  const variables = { UTILITY_TOOLS_URL: service.url, UTILITY_TOOLS_TARGET: service.target };
  const call = (more) =>
    run(join(program.includes("/") ? folder : "", program), args, {
      cwd: folder,
      env: { ...env, ...variables, ...more },
    });
  const expected = prints.get(`${name}/${example}`);
  checkPrinted(
    `${name}: ${example} prints what the page shows`,
    call({ UTILITY_TOOLS_API_KEY: key }),
    expected,
  );
  const rejected = call({});
  check(
    `${name}: ${example} fails without a key`,
    rejected.status !== 0 && /API key is needed/.test(rejected.stderr),
  );
  console.log(`     ${((Date.now() - started) / 1_000).toFixed(1)} s`);
}

/** Installs the dependencies of an example, unless the page has the same install.sh as before. */
function install(name, folder, env) {
  const script = files.get(`${name}/install.sh`);
  const done = join(folder, ".installed");
  if (!existsSync(done) || readFileSync(done, "utf8") !== script) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeDocumented(files, `${name}/`, folder);
    console.log(`installing the dependencies of the ${name} example, once`);
    mustRun("sh", ["-e", "install.sh"], { cwd: folder, env, seconds: 300 });
    writeFileSync(done, script);
  }
  writeDocumented(files, `${name}/`, folder);
}
