// `npm run check -- tool [NAME...]`: runs the tests, types and linters that concern tools, at the same time, and reports all that failed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { installBuf } from "../lib/buf.mjs";
import { check, conclude } from "../lib/checks.mjs";

const ROOT = join(import.meta.dirname, "..", "..");

/** What every tool is part of. */
const TESTS = [
  "test/tools/tools.test.ts",
  "test/contract/documents/api.test.ts",
  "test/contract/documents/documented-limits.test.ts",
  "test/contract/documents/documented-patterns.test.ts",
  "test/contract/tools/every-method.test.ts",
  "test/contract/documents/openapi.test.ts",
  "test/contract/documents/openapi-links.test.ts",
  "test/contract/documents/tools-in-documents.test.ts",
  "test/cli/commands.test.ts",
  "test/deploy/gateway-routes.test.ts",
  "test/workbench/panels.test.ts",
];

const folders = process.argv.slice(2).map((name) => `test/tools/${name}`);
const unknown = folders.find((folder) => !existsSync(join(ROOT, folder)));
if (unknown !== undefined) {
  console.error(`there is no folder ${unknown}: give names of folders in test/tools`);
  process.exit(1);
}

const tests = [...(folders.length === 0 ? ["test/tools"] : folders), ...TESTS];
await Promise.all([
  runAll("tests", `vitest run ${tests.join(" ")}`),
  // One after another, because each takes a processor.
  runAll(
    "types and proto files",
    `${installBuf()} lint`,
    `${installBuf()} format --diff --exit-code proto`,
    "tsc -p tsconfig.json",
    "tsc -p src/workbench",
  ),
]);
conclude();

/** Runs programs one after another until one fails, and prints the output of that one. */
async function runAll(what, ...commands) {
  for (const command of commands) {
    const [program, ...args] = command.split(" ");
    let output = "";
    const child = spawn(program, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    const [status] = await once(child, "close");
    if (status !== 0) {
      console.log(output);
      check(`${what}: ${command}`, false);
      return;
    }
  }
  check(what, true);
}
