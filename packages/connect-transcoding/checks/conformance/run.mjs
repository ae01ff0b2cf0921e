// Builds the suite's runner, and runs it on our server, or with `--host node` or `--host bun` on those of Node or Bun. Further options are
// passed to the runner: `npm run check -- conformance --trace --run '**/unary/*'`. Ends with the suite's summary and exit status.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installBuf } from "connect-transcoding-testing/buf.mjs";
import { mustRun } from "connect-transcoding-testing/checks.mjs";
import { prepared } from "connect-transcoding-testing/programs.mjs";

const MODULE = "connectrpc.com/conformance";
const VERSION = "v1.0.7";
const HERE = import.meta.dirname;
const TESTING = join(HERE, "../../../testing");

const folder = prepared(`conformance-${VERSION}`, [], (target) => {
  const env = { ...process.env, GOBIN: target };
  mustRun("go", ["install", `${MODULE}/cmd/connectconformance@${VERSION}`], { env, seconds: 900 });
  const { Dir } = JSON.parse(mustRun("go", ["mod", "download", "-json", `${MODULE}@${VERSION}`]).stdout);
  const output = join(target, "protos.binpb");
  mustRun(installBuf(), ["build", join(Dir, "proto"), "--output", output]);
});

const NODE = ["node", "--import", join(TESTING, "typescript.mjs")];
/** The command of the runtime, and the host in `server.mjs`, by the name of the option. */
const HOSTS = {
  server: [NODE, "server"],
  node: [NODE, "node"],
  bun: [[join(TESTING, "src/runtimes/node_modules/.bin/bun"), "run"], "fetch"],
};
const options = process.argv.slice(2);
const name = options[0] === "--host" ? (options.splice(0, 2)[1] ?? "") : "server";
if (!(name in HOSTS)) {
  throw new Error(`there is no host ${name}; there are ${Object.keys(HOSTS).join(", ")}`);
}
const [command, host] = HOSTS[name];
const config = host === "fetch" ? "config-fetch" : "config";
const { status } = spawnSync(
  join(folder, "connectconformance"),
  [
    ...["-v", "--mode", "server"],
    // With more servers at a time, one can take longer to start than the runner waits on a busy machine.
    ...["--max-servers", "2"],
    ...["--conf", join(HERE, `${config}.yaml`)],
    ...["--known-failing", `@${join(HERE, "known-failing.txt")}`],
    ...options,
    ...["--", ...command, join(HERE, "server.mjs"), join(folder, "protos.binpb"), host],
  ],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
