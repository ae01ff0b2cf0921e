import { spawnSync } from "node:child_process";
import { join } from "node:path";

// Runs all tests of deploy/. Arguments are passed to the test that counts lost requests.
const STEPS: readonly (readonly string[])[] = [
  ["unit-check.js"],
  ["nginx/check.js"],
  ["envoy/check.js"],
  ["prometheus/check.js"],
  ["stack/stack.js", "--seconds", "10"],
  ["cache/check.js"],
  ["nothing-lost.js", ...process.argv.slice(2)],
];

let failures = 0;
for (const [name = "", ...args] of STEPS) {
  console.log(`\n${name.replace(".js", "")}`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, name), ...args], {
    stdio: "inherit",
  });
  failures += status === 0 ? 0 : 1;
}
process.exit(failures === 0 ? 0 : 1);
