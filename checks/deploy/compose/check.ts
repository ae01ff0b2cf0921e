import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createChecks } from "../checks.js";
import { ROOT } from "../service-process.js";
import { problemsOf } from "./problems.js";

// Validates deploy/compose.yaml. The argument is the program of main.go; see run.mjs.
const [program = ""] = process.argv.slice(2);
const DEPLOY = join(ROOT, "deploy");

/** Changes of the file, and a problem that each must cause. */
const MISTAKES: readonly (readonly [change: string, from: string | RegExp, to: string, problem: RegExp])[] = [
  ["a misspelled field", "mem_limit: 16m", "mem_limt: 16m", /mem_limt/],
  ["a wrong type", "pids_limit: 256", "pids_limit: many", /pids_limit/],
  ["a missing volume", "source: data,", "source: dates,", /undefined volume dates/],
  ["a missing service", "service:network", "service:net", /undefined service "net"/],
  ["a writable file system", "read_only: true\n", "read_only: false\n", /privileges/],
  ["no limit of memory", /mem_limit: 64m\n/, "restart: always\n", /valkey: memory/],
  ["an image without a version", "envoy:distroless-v1.40.0", "envoy:distroless-latest", /is not a version/],
  ["a port for all", "127.0.0.1:3000:3000", "3000:3000", /3000 is open/],
  ["an unknown setting", "TRUSTED_PROXIES:", "TRUSTED_PROXY:", /TRUSTED_PROXY is not a setting/],
  ["an invalid setting", "GRACE_PERIOD: 10s", "GRACE_PERIOD: 10", /GRACE_PERIOD must be/],
  ["a short grace period", "stop_grace_period: 20s", "stop_grace_period: 16s", /must exceed/],
  ["keys elsewhere", "/etc/utility-tools/keys/keys", "/etc/keys", /\/etc\/keys is in no mounted folder/],
  ["another port of a replica", "PORT: 8082", "PORT: 8083", /Envoy's replicas/],
  [
    "another port of Prometheus",
    "listen-address=127.0.0.1:9090",
    "listen-address=127.0.0.1:9091",
    /Grafana's/,
  ],
  ["another port of Envoy", "8443:443", "8443:8443", /443 is not published/],
  [
    "a missing file",
    "../../../checks/deploy/compose/grafana/dashboard.json",
    "../../../checks/deploy/compose/grafana/board.json",
    /board.json does not exist/,
  ],
  ["certificates elsewhere", "/etc/envoy/tls }", "/etc/tls }", /is in no mounted folder/],
];

const { check, ...checks } = createChecks();
const compose = readFileSync(join(DEPLOY, "compose.yaml"), "utf8");
const problems = problemsIn(compose);
check("compose.yaml is valid", problems.length === 0, problems);
for (const [change, from, to, problem] of MISTAKES) {
  const changed = compose.replace(from, to);
  const found = changed === compose ? ["nothing has changed"] : problemsIn(changed);
  check(
    `found: ${change}`,
    found.some((each) => problem.test(each)),
    found,
  );
}
process.exitCode = checks.failures() === 0 ? 0 : 1;

function problemsIn(yaml: string): string[] {
  const { status, stdout, stderr } = spawnSync(program, ["-", DEPLOY], {
    input: yaml,
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  });
  return status === 0 ? problemsOf(JSON.parse(stdout)) : [stderr];
}
