import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { bundlePrograms } from "connect-transcoding-testing/build-programs.js";
import type { TestProject } from "vitest/node";
import "connect-transcoding-testing/programs.js";

const ROOT = join(import.meta.dirname, "..");

/** The programs and modules that tests run in processes of their own, by the name that the bundle has. */
const PROGRAMS = {
  main: "src/main.ts",
  "print-openapi": "src/service/print-openapi.ts",
  client: "@utility-tools/client",
  "small-service": "test/service/process/small-service.mjs",
};

/** Bundles the programs that tests of the service start. Vitest calls this before the tests. */
export function setup(project: TestProject): Promise<() => void> {
  // Inside the package, because programs look for their data in the folder of the package.
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  return bundlePrograms(project, ROOT, PROGRAMS, mkdtempSync(join(ROOT, "dist", "tests-")));
}
