// `npm run check -- clients/documented`: runs the Python and Go examples of docs/guide/clients.md against the built service, with an API key. Their
// dependencies are installed once for each state of the page.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { BUF_BIN, installBuf } from "../lib/buf.mjs";
import { check, checkPrinted, conclude, mustRun, run, startService } from "../lib/checks.mjs";
import { MAIN, makeKey, prepared, ROOT } from "../lib/programs.mjs";
import { documented, PAGE, writeDocumented } from "./documented.mjs";

const PATH = [BUF_BIN, process.env.PATH].join(delimiter);

const { files, prints } = documented();

const temporary = mkdtempSync(join(tmpdir(), "utility-tools-clients-"));
installBuf();
mustRun("npm", ["run", "protos"], { cwd: ROOT });
const { key, keysFile } = makeKey(temporary);
const service = await startService(process.execPath, [MAIN], { API_KEYS_FILE: keysFile });
try {
  tryLanguage("python", "lookup.py", "venv/bin/python lookup.py");
  tryLanguage("go", "main.go", "go run .");
} finally {
  await service.stop();
  rmSync(temporary, { recursive: true });
}
conclude();

/** Runs an example with its command. */
function tryLanguage(name, example, command) {
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
    run("sh", ["-c", `exec ${command}`], { cwd: folder, env: { ...env, ...variables, ...more } });
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
