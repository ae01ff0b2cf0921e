// Runs tests of the engine with the oldest and the newest versions of its peer dependencies. Replaces packages in node_modules meanwhile.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { check, conclude, mustRun } from "connect-transcoding-testing/checks.mjs";
import { prepared } from "connect-transcoding-testing/programs.mjs";
import { ROOT } from "../lib/service.mjs";

const { peerDependencies } = JSON.parse(
  readFileSync(join(ROOT, "packages/connect-transcoding/package.json"), "utf8"),
);
const PROTOBUF = "@bufbuild/protobuf";
const CONNECT = "@connectrpc/connect";

/** The versions of protobuf-es and connect. */
const VERSIONS = [
  [peerDependencies[PROTOBUF].slice(1), peerDependencies[CONNECT].slice(1)],
  ["2.17.0", "2.3.0"],
];

/** What depends on connect and protobuf-es most. */
const TESTS = [
  ...["adapter", "context", "exceptions", "interceptors", "request-gate", "unknown-options"].map(
    (name) => `call/${name}`,
  ),
  "client/rest-transport",
  "codec/round-trip",
  "hosts",
  "protocols/connect",
  "protocols/grpc",
  "services",
].map((each) => `packages/connect-transcoding/test/${each}`);

for (const [protobuf, connect] of VERSIONS) {
  const packages = [PROTOBUF, CONNECT, `${CONNECT}-node`, `${CONNECT}-web`].map(
    (name) => `${name}@${name === PROTOBUF ? protobuf : connect}`,
  );
  const folder = prepared(`peers-${protobuf}-${connect}`, [], (target) => {
    mustRun("npm", ["install", "--prefix", target, "--no-audit", "--no-fund", ...packages], { seconds: 600 });
  });
  const status = withPackages(folder, () => {
    return spawnSync("npx", ["vitest", "run", ...TESTS], { cwd: ROOT, stdio: "inherit" }).status;
  });
  check(`${CONNECT} ${connect} with ${PROTOBUF} ${protobuf}`, status === 0);
}
conclude();

/** Calls a function while packages of another folder replace those of the checkout. */
function withPackages(folder, act) {
  const scopes = ["@bufbuild", "@connectrpc"].map((scope) => join(ROOT, "node_modules", scope));
  try {
    for (const scope of scopes) {
      renameSync(scope, `${scope}.own`);
      cpSync(scope.replace(join(ROOT, "node_modules"), join(folder, "node_modules")), scope, {
        recursive: true,
      });
    }
    return act();
  } finally {
    for (const scope of scopes) {
      rmSync(scope, { recursive: true, force: true });
      renameSync(`${scope}.own`, scope);
    }
  }
}
