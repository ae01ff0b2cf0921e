// The built service, for suites that try it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "connect-transcoding-testing/checks.mjs";

/** The folder of the service's package. */
export const ROOT = join(import.meta.dirname, "../..");
/** The program of the built service. */
export const MAIN = join(ROOT, "dist", "src", "main.js");

/** Creates an API key, and a file in a folder that has it. */
export function makeKey(folder) {
  const { stdout, stderr } = mustRun(process.execPath, [MAIN, "make-key", "examples"]);
  const [line = ""] = /^examples [0-9a-f]{64}$/m.exec(stderr) ?? [];
  const keysFile = join(folder, "keys");
  writeFileSync(keysFile, `${line}\n`, { mode: 0o600 });
  return { key: stdout.trim(), keysFile };
}
