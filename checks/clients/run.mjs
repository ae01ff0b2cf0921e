// `npm run check -- clients/documented`: runs the Python and Go examples of docs/guide/clients.md against the built service, with an API key. Their
// dependencies are installed once for each state of the page.
import { cpSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { BUF_BIN, installBuf } from "connect-transcoding-testing/buf.mjs";
import {
  check,
  checkPrinted,
  conclude,
  mustRun,
  run,
  startService,
  temporaryFolder,
} from "connect-transcoding-testing/checks.mjs";
import { prepared } from "connect-transcoding-testing/programs.mjs";
import { MAIN, makeKey, ROOT } from "../lib/service.mjs";
import { documented, PAGE, writeDocumented } from "./documented.mjs";

const PATH = [BUF_BIN, process.env.PATH].join(delimiter);

const { files, prints } = documented();

installBuf();
mustRun("npm", ["run", "protos"], { cwd: ROOT });
const { key, keysFile } = makeKey(temporaryFolder("clients"));
const service = await startService(process.execPath, [MAIN], { API_KEYS_FILE: keysFile });
tryLanguage("python", "lookup.py", "venv/bin/python lookup.py");
tryLanguage("go", "main.go", "go run .");
await service.stop();
conclude();

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
  const printed = call({ UTILITY_TOOLS_API_KEY: key });
  checkPrinted(`${name}: ${example} prints what the page shows`, printed, prints.get(`${name}/${example}`));
  const rejected = call({});
  check(
    `${name}: ${example} fails without a key`,
    rejected.status !== 0 && /API key is needed/.test(rejected.stderr),
  );
}
