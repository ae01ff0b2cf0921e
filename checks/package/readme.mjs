// `npm run check -- package/readme`: installs each package as its README says, in an empty folder, from a clone in which only `npm ci` has
// run, and follows "Start in an empty folder" of the engine's README. Tries `npm run dev` in the clone.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { check, conclude, mustRun, run, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { startServerProcess } from "connect-transcoding-testing/processes/server-process.js";
import { ROOT } from "../../scripts/release/workspace.mjs";
import { checkLookUp } from "../lib/projects.mjs";
import { followReadmes } from "../lib/readme.mjs";

const temporary = temporaryFolder("readme");
const clone = join(temporary, "utility-tools");
const quiet = { npm_config_prefer_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };
const env = { ...process.env, ...quiet };
const inClone = { cwd: clone, env, seconds: 600 };

mustRun("git", ["clone", "--quiet", ROOT, clone]);
const { stderr } = mustRun("npm", ["ci"], inClone);
check("npm ci prints no warning", !/warn/i.test(stderr), stderr);
const pack = ["pack", "--workspace", "packages/http-server", "--json", "--silent"];
const packed = mustRun("npm", pack, inClone).stdout;
check("npm pack builds", packed.includes('"dist/index.js"'), packed);
const service = run("npm", ["pack"], inClone);
check("npm pack of the service names npm run pack", /npm run pack/.test(service.stderr), service.stderr);
await checkDev();
await followReadmes(temporary, {}, env);
conclude();

/** Checks that `npm run dev` serves the sources, and starts again when one changes. */
async function checkDev() {
  const ready = /ready on (http[^\s",]+)/g;
  const dev = await startServerProcess({ command: ["npm", "run", "dev"], cwd: clone });
  await checkLookUp("npm run dev: GET /v1/geoIp", dev.url);
  appendFileSync(join(clone, "src/main.ts"), "\n");
  await dev.says(ready, 2);
  const [, url] = [...dev.output().matchAll(ready)].at(-1);
  await checkLookUp("npm run dev starts again when a source changes", url);
  await dev.end();
  const isOver = await fetch(url).then(
    () => false,
    () => true,
  );
  check("npm run dev ends with its service", isOver);
}
