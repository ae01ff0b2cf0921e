// Builds the suite's runner, and runs it on our server. Options are passed to the runner: `npm run check -- conformance --trace
// --run '**/unary/*'`. Ends with the suite's summary and exit status.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installBuf } from "connect-transcoding-testing/buf.mjs";
import { mustRun } from "connect-transcoding-testing/checks.mjs";
import { prepared } from "connect-transcoding-testing/programs.mjs";
import { ROOT } from "../lib/service.mjs";

const MODULE = "connectrpc.com/conformance";
const VERSION = "v1.0.7";

const folder = prepared(`conformance-${VERSION}`, [], (target) => {
  const env = { ...process.env, GOBIN: target };
  mustRun("go", ["install", `${MODULE}/cmd/connectconformance@${VERSION}`], { env, seconds: 900 });
  const { Dir } = JSON.parse(mustRun("go", ["mod", "download", "-json", `${MODULE}@${VERSION}`]).stdout);
  const output = join(target, "protos.binpb");
  mustRun(installBuf(), ["build", join(Dir, "proto"), "--output", output], { cwd: ROOT });
});

// `server` (the service), `node` (node:http and node:http2) or `fetch`; the command of the runtime is, for example, `bun run`.
const { CONFORMANCE_HOST: host = "server", CONFORMANCE_RUNTIME: runtime } = process.env;
const config = host === "fetch" ? "config-fetch" : "config";
const [program, ...args] = runtime?.split(" ") ?? ["node", "--import", "./packages/testing/typescript.mjs"];
const { status } = spawnSync(
  join(folder, "connectconformance"),
  [
    ...["-v", "--mode", "server"],
    // With more servers at a time, one can take longer to start than the runner waits on a busy machine.
    ...["--max-servers", "2"],
    ...["--conf", `checks/conformance/${config}.yaml`],
    ...["--known-failing", "@checks/conformance/known-failing.txt"],
    ...process.argv.slice(2),
    ...["--", program, ...args, "checks/conformance/server.mjs", join(folder, "protos.binpb"), host],
  ],
  { cwd: ROOT, stdio: "inherit" },
);
process.exitCode = status ?? 1;
