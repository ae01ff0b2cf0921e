// `npm run lint`: runs every linter, also after one has failed, and reports all that failed.
import { spawnSync } from "node:child_process";

const LINTERS = [
  "biome check .",
  "knip",
  "buf lint",
  "buf format --diff --exit-code proto",
  "buf format --diff --exit-code packages/connect-transcoding/proto --path packages/connect-transcoding/proto/connecttranscoding",
  "buf format --diff --exit-code packages/connect-transcoding/test/proto",
];

const failed = LINTERS.filter(
  (command) => spawnSync(command, { shell: true, stdio: "inherit" }).status !== 0,
);
console.log(failed.length === 0 ? `${LINTERS.length} linters passed` : `failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
