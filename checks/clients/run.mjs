// `npm run check -- clients/documented`: runs the Python and Go examples of docs/guide/clients.md against the built service, with an API key. Their
// dependencies are installed once for each state of the page. A language that is not installed is reported and skipped.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { BUF_BIN, installBuf } from "../lib/buf.mjs";
import { check, checkPrinted, conclude, mustRun, run, startService } from "../lib/checks.mjs";
import { documented, PAGE, writeDocumented } from "./documented.mjs";
import { hasGo, hasPython, MAIN, makeKey, prepared, ROOT } from "./programs.mjs";

const PATH = [BUF_BIN, process.env.PATH].join(delimiter);

const { files, prints } = documented();

/** Each language: whether it is installed, and its example with the command that runs it. */
const LANGUAGES = [
  { name: "python", isThere: hasPython, example: "lookup.py", command: ["venv/bin/python", ["lookup.py"]] },
  { name: "go", isThere: hasGo, example: "main.go", command: ["go", ["run", "."]] },
];

const temporary = mkdtempSync(join(tmpdir(), "utility-tools-clients-"));
installBuf();
mustRun("npm", ["run", "protos"], { cwd: ROOT });
const { key, keysFile } = makeKey(temporary);
const service = await startService(process.execPath, [MAIN], { API_KEYS_FILE: keysFile });
let tried = 0;
try {
  for (const language of LANGUAGES) {
    if (language.isThere()) {
      tryLanguage(language);
      tried++;
    }
  }
  check("at least one language is installed", tried > 0);
} finally {
  await service.stop();
  rmSync(temporary, { recursive: true });
}
conclude();

function tryLanguage({ name, example, command: [program, args] }) {
  const env = { ...process.env, PATH };
  const folder = prepared(`documented-${name}`, [PAGE], (target) => {
    writeDocumented(files, `${name}/`, target);
    mustRun("sh", ["-e", "install.sh"], { cwd: target, env, seconds: 300 });
  });
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
}
