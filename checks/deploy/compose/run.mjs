// Reads deploy/compose.yaml with the library of Docker Compose (main.go), and checks it against the files that it mounts; then
// changes the file, and checks that the changes are found.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { conclude, run } from "connect-transcoding-testing/checks.mjs";
import { goPrograms } from "connect-transcoding-testing/go.mjs";
import { checkMistakes } from "../check-mistakes.mjs";
import { problemsOf } from "./problems.mjs";

/** Changes, each with a problem that it must cause. */
const MISTAKES = [
  ["mem_limit: 16m", "mem_limt: 16m", /mem_limt/],
  ["read_only: true\n", "read_only: false\n", /privileges/],
  [/mem_limit: 64m\n/, "restart: always\n", /valkey: memory/],
  ["envoy:distroless-v1.40.0", "envoy:distroless-latest", /is not a version/],
  ["127.0.0.1:3000:3000", "3000:3000", /3000 is open/],
  ["TRUSTED_PROXIES:", "TRUSTED_PROXY:", /TRUSTED_PROXY is not a setting/],
  ["GRACE_PERIOD: 10s", "GRACE_PERIOD: 10", /GRACE_PERIOD must be/],
  ["stop_grace_period: 20s", "stop_grace_period: 16s", /must exceed/],
  ["/etc/utility-tools/keys/keys", "/etc/keys", /\/etc\/keys is in no mounted folder/],
  ["PORT: 8082", "PORT: 8083", /ports of replicas are 8081,8083/],
  ["listen-address=127.0.0.1:9090", "listen-address=127.0.0.1:9091", /Grafana's/],
  ["8443:443", "8443:8443", /443 is not published/],
  ["./grafana/dashboard.json", "./grafana/board.json", /board.json does not exist/],
  ["/etc/envoy/tls }", "/etc/tls }", /is in no mounted folder/],
];

const DEPLOY = join(import.meta.dirname, "..", "..", "..", "deploy");
const program = join(goPrograms("compose", import.meta.dirname, ["."]), "compose");
const compose = readFileSync(join(DEPLOY, "compose.yaml"), "utf8");
checkMistakes("compose.yaml", compose, MISTAKES, problemsIn);
conclude();

function problemsIn(yaml) {
  const env = { PATH: process.env.PATH };
  const { status, stdout, stderr } = run(program, ["-", DEPLOY], { input: yaml, env });
  return status === 0 ? problemsOf(JSON.parse(stdout)) : [stderr];
}
