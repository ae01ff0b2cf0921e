import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChecks } from "./checks.js";
import { endServices, ROOT, startService } from "./service-process.js";

/** The maximum exposure level from `systemd-analyze security`, in tenths. */
const EXPOSURE = 15;

// Tests the units in deploy: the analysis of systemd, and the command of utility-tools.service.
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

/** Returns the values of a setting of the unit, in order. */
function valuesOf(name: string): string[] {
  return [...shipped.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

function analyze(...args: string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
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
  const verified = analyze("verify", unit);
  const isFine = verified.status === 0 && verified.output === "";
  check(`systemd-analyze verify reports no problems of ${name}`, isFine, verified.output);
  if (name.endsWith(".service")) {
    const security = analyze("security", "--offline=true", `--threshold=${EXPOSURE}`, "--no-pager", unit);
    check(
      `the exposure level of ${name} is at most ${EXPOSURE / 10}`,
      security.status === 0,
      security.output,
    );
  }
}

const [command = ""] = valuesOf("ExecStart");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
check("ExecStart runs the same command as npm start", command === `/usr/bin/${scripts.start}`, command);

// Runs the command in the unit's environment with two workers, and records its system calls.
const trace = join(folder, "trace");
const environment = Object.fromEntries(valuesOf("Environment").map((line) => line.split("=", 2)));
const ours = command.split(" ").slice(1);
const service = await startService({ ...environment, WORKERS: "2" }, [
  ...["strace", "--follow-forks", "--output", trace, "--summary-only", "--", process.execPath],
  ...ours,
]);
const response = await fetch(`${service.url}/v1/geoIp?ip_address=8.8.8.8`);
check("it responds", response.status === 200);
// strace does not forward signals, so its child receives them.
const main = Number(
  readFileSync(`/proc/${service.process.pid}/task/${service.process.pid}/children`, "utf8"),
);
process.kill(main, "SIGTERM");
await new Promise((resolve) => service.process.once("exit", resolve));
check("it exits with 0 on SIGTERM", service.process.exitCode === 0, service.process.exitCode);

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
  {
    denied,
  },
);
rmSync(folder, { recursive: true });
process.exit(checks.failures() === 0 ? 0 : 1);

/** Returns the system calls of a systemd group, including nested groups. */
function callsIn(group: string): string[] {
  return analyze("syscall-filter", "--no-pager", group)
    .output.split("\n")
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((name) => (name.startsWith("@") ? callsIn(name) : [name]));
}
