import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { TYPESCRIPT_FLAGS } from "../../test/typescript-flags.js";

// Runs all tests of deploy/. Arguments are passed to the test that counts lost requests.
const STEPS: readonly (readonly string[])[] = [
  ["unit-check.ts"],
  ["nginx/check.ts"],
  ["envoy/check.ts"],
  ["prometheus/check.ts"],
  ["stack/stack.ts", "--seconds", "10"],
  ["cache/check.ts"],
  ["nothing-lost.ts", ...process.argv.slice(2)],
];

let failures = 0;
for (const [name = "", ...args] of STEPS) {
  console.log(`\n${name.replace(".ts", "")}`);
  const { status } = spawnSync(
    process.execPath,
    [...TYPESCRIPT_FLAGS, join(import.meta.dirname, name), ...args],
    {
      stdio: "inherit",
    },
  );
  failures += status === 0 ? 0 : 1;
}
process.exit(failures === 0 ? 0 : 1);
