import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, checkRuns, conclude, run, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { childrenOf } from "connect-transcoding-testing/processes/process-state.js";
import { OURS, ROOT, startService } from "../../lib/processes/service.js";

// Tests the units in deploy/: the analysis of systemd, and the command of utility-tools.service with its settings.

/** The maximum exposure level from `systemd-analyze security`, in tenths. */
const EXPOSURE = 15;

const folder = temporaryFolder("unit");
const shipped = readFileSync(join(ROOT, "deploy", "utility-tools.service"), "utf8");

/** Returns the values of a setting of the unit, in order. */
function valuesOf(name: string): string[] {
  return [...shipped.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

// systemd verifies a unit together with those that it names.
const units = ["utility-tools.service", "utility-tools-update.service", "utility-tools-update.timer"];
for (const name of units) {
  // Node and the installation have other paths on this machine.
  const text = readFileSync(join(ROOT, "deploy", name), "utf8");
  writeFileSync(
    join(folder, name),
    text.replaceAll("/usr/bin/node", process.execPath).replaceAll("/opt/utility-tools", ROOT),
  );
}
for (const name of units) {
  const unit = join(folder, name);
  const { status, stdout, stderr } = run("systemd-analyze", ["verify", unit]);
  const output = `${stdout}${stderr}`;
  check(`systemd-analyze verify reports no problems of ${name}`, status === 0 && output === "", output);
  if (name.endsWith(".service")) {
    const options = ["--offline=true", `--threshold=${EXPOSURE}`, "--no-pager"];
    const what = `the exposure level of ${name} is at most ${EXPOSURE / 10}`;
    checkRuns(what, "systemd-analyze", ["security", ...options, unit]);
  }
}

const [command = ""] = valuesOf("ExecStart");
check("ExecStart runs the same command as npm start", command === `/usr/bin/node ${OURS.join(" ")}`, command);

// Runs the command in the unit's environment with two workers, and records its system calls.
const trace = join(folder, "trace");
const environment = Object.fromEntries(valuesOf("Environment").map((line) => line.split("=", 2)));
const strace = ["strace", "--follow-forks", "--output", trace, "--summary-only", "--"];
const service = await startService({
  command: [...strace, process.execPath, ...command.split(" ").slice(1)],
  // systemd creates the folder of StateDirectory.
  environment: { ...environment, WORKERS: "2", DATA_DIR: folder },
});
const response = await fetch(`${service.url}/v1/geoIp?ip_address=8.8.8.8`);
check("it responds", response.status === 200);
// strace does not forward signals, so its child receives them.
process.kill(childrenOf(service.pid)[0] ?? service.pid, "SIGTERM");
const how = await service.ended;
check("it exits with 0 on SIGTERM", how === 0, how);

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
  `the system call filter permits the ${used.length} recorded calls`,
  used.length > 30 && denied.length === 0,
  denied,
);
conclude();

/** Returns the system calls of a systemd group, including nested groups. */
function callsIn(group: string): string[] {
  return run("systemd-analyze", ["syscall-filter", "--no-pager", group])
    .stdout.split("\n")
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((name) => (name.startsWith("@") ? callsIn(name) : [name]));
}
