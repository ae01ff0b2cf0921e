// The second part of `npm run check -- package`: installs a clone of the repository without development dependencies and starts the
// service; then without optional dependencies, which only the build needs.
import { join } from "node:path";
import {
  check,
  conclude,
  mustRun,
  run,
  startService,
  temporaryFolder,
} from "connect-transcoding-testing/checks.mjs";
import { ROOT } from "../../scripts/release/workspace.mjs";
import { checkLookUp, installedSize } from "../lib/projects.mjs";

const FLAGS = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];

/** The largest `node_modules` to build the service, and to run it, in megabytes. */
const MAX_TO_BUILD = 115;
const MAX_TO_RUN = 75;

const clone = join(temporaryFolder("checkout"), "clone");
mustRun("git", ["clone", "--quiet", ROOT, clone]);
const { status, stderr } = install("--omit=dev", "--omit=optional");
const isExplained = status === 1 && /the build needs .*vite/.test(stderr);
check("npm ci --omit=dev --omit=optional explains why it fails before a build", isExplained, stderr);
await installAndTry(["--omit=dev"], MAX_TO_BUILD);
await installAndTry(["--omit=dev", "--omit=optional"], MAX_TO_RUN);
conclude();

function install(...omitted) {
  return run("npm", ["ci", ...omitted, ...FLAGS], { cwd: clone, seconds: 600 });
}

/** Installs with some kinds of dependencies omitted, starts the service, and requests a method and the web page. */
async function installAndTry(omitted, max) {
  const command = `npm ci ${omitted.join(" ")}`;
  const { status, stdout, stderr } = install(...omitted);
  check(command, status === 0, `exit ${status}\n${stdout}${stderr}`);
  const megabytes = Math.ceil(installedSize(clone) / 1_024);
  check(`${command} installs ${megabytes} MB`, megabytes < max);
  const service = await startService(process.execPath, [join(clone, "dist/src/main.js")]);
  await checkLookUp(`${command}: GET /v1/geoIp`, service.url);
  const page = await fetch(service.url, { headers: { accept: "text/html" } });
  const script = /<script[^>]* src="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const { status: scriptStatus } = await fetch(new URL(script, page.url));
  check(`${command}: GET /`, page.status === 200 && script !== "" && scriptStatus === 200);
  await service.stop();
}
