// Tests `npm start` in this checkout, or with --clone `npm ci` and `npm start` in a new one: the service responds in all
// protocols, Node prints no warning, and the service exits with 0 on SIGTERM.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createUtilityToolsClient } from "@utility-tools/client";
import {
  check,
  conclude,
  mustRun,
  startService,
  temporaryFolder,
} from "connect-transcoding-testing/checks.mjs";
import { ROOT } from "../lib/service.mjs";

const temporary = temporaryFolder("start");
let folder = ROOT;
if (process.argv.includes("--clone")) {
  folder = join(temporary, "clone");
  mustRun("git", ["clone", "--quiet", ROOT, folder]);
  mustRun("npm", ["ci", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: folder, seconds: 600 });
}
const warnings = join(temporary, "warnings");
const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const command = `cd "${folder}" && exec ${scripts.start}`;
const service = await startService("sh", ["-c", command], {
  NODE_PENDING_DEPRECATION: "1",
  NODE_REDIRECT_WARNINGS: warnings,
});
const response = await fetch(`${service.url}/v1/geoIp?ip_address=8.8.8.8`);
check("REST", response.status === 200 && (await response.json()).metadata.asn === 15169);
for (const protocol of ["connect", "grpc", "grpc-web"]) {
  const client = createUtilityToolsClient(service.url, { protocol });
  const { metadata } = await client.geoIp.lookupIp({ ipAddress: "8.8.8.8" });
  check(protocol, metadata?.asn === 15169);
  client.close();
}
const code = await service.stop();
check("exits with 0 on SIGTERM", code === 0, code);
const printed = existsSync(warnings) ? readFileSync(warnings, "utf8") : "";
check("no warnings", printed === "", printed);
conclude();
