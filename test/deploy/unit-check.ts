import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChecks } from "./check.js";
import { endServices, ROOT, startService } from "./service-process.js";

/** The most that `systemd-analyze security` may say of the unit's exposure, of 100. */
const EXPOSURE = 15;

// Tries deploy/utility-tools.service: what systemd says of it, and its command as it stands there.
const missing = ["systemd-analyze", "strace"].filter(
  (name) => spawnSync(name, ["--version"]).error !== undefined,
);
if (missing.length > 0) {
  console.error(`${missing.join(" and ")} (Debian's systemd and strace) must be installed`);
  process.exit(1);
}
process.on("exit", endServices);

const { check, ...checks } = createChecks();
const folder = mkdtempSync(join(tmpdir(), "utility-tools-unit-"));
const shipped = readFileSync(join(ROOT, "deploy", "utility-tools.service"), "utf8");

/** The values of a setting of the unit, in order. */
function valuesOf(name: string): string[] {
  return [...shipped.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

function analyze(...args: string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
}

// Node and the installation are elsewhere on this machine.
const unit = join(folder, "utility-tools.service");
writeFileSync(
  unit,
  shipped.replaceAll("/usr/bin/node", process.execPath).replaceAll("/opt/utility-tools", ROOT),
);
const verified = analyze("verify", unit);
check("systemd finds nothing wrong", verified.status === 0 && verified.output === "", verified.output);
const security = analyze("security", "--offline=true", `--threshold=${EXPOSURE}`, "--no-pager", unit);
check(`its exposure is ${EXPOSURE / 10} of 10 or less`, security.status === 0, security.output);

const [command = ""] = valuesOf("ExecStart");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
check("it runs what npm start runs", command === `/usr/bin/${scripts.start}`, command);

// Runs the command in the environment of the unit, with two workers, and records its system calls.
const trace = join(folder, "trace");
const environment = Object.fromEntries(valuesOf("Environment").map((line) => line.split("=", 2)));
const ours = command.split(" ").slice(1);
const service = await startService({ ...environment, WORKERS: "2" }, [
  ...["strace", "--follow-forks", "--output", trace, "--summary-only", "--", process.execPath],
  ...ours,
]);
const answer = await fetch(`${service.url}/v1/geoIp?ip_address=8.8.8.8`);
check("it answers", answer.status === 200);
// strace passes no signal on, so its child gets it.
const main = Number(
  readFileSync(`/proc/${service.process.pid}/task/${service.process.pid}/children`, "utf8"),
);
process.kill(main, "SIGTERM");
await new Promise((resolve) => service.process.once("exit", resolve));
check("SIGTERM ends it with 0", service.process.exitCode === 0, service.process.exitCode);

const used = readFileSync(trace, "utf8")
  .split("\n")
  .slice(2)
  .map((line) => line.trim().split(/\s+/).at(-1) ?? "")
  .filter((name) => /^[a-z_0-9]+$/.test(name) && name !== "total");
const allowed = new Set<string>();
for (const line of valuesOf("SystemCallFilter")) {
  const isDenied = line.startsWith("~");
  for (const name of line.replace("~", "").split(" ").flatMap(callsIn)) {
    isDenied ? allowed.delete(name) : allowed.add(name);
  }
}
const denied = used.filter((name) => !allowed.has(name));
check(
  `the filter lets pass the ${used.length} system calls that it made`,
  used.length > 30 && denied.length === 0,
  {
    denied,
  },
);
rmSync(folder, { recursive: true });
process.exit(checks.failures === 0 ? 0 : 1);

/** The system calls of a group of systemd's, with those of the groups in it. */
function callsIn(group: string): string[] {
  return analyze("syscall-filter", "--no-pager", group)
    .output.split("\n")
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((name) => (name.startsWith("@") ? callsIn(name) : [name]));
}
