import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import type { TestProject } from "vitest/node";

const PACKAGES = join(import.meta.dirname, "..", "..");

/** The programs and modules that tests run in processes of their own, by the name that the bundle has. */
const PROGRAMS = {
  log: "operations/src/telemetry/log.ts",
  "connect-transcoding": "connect-transcoding/src/cli/main.ts",
  gateway: "gateway/src/main.ts",
};

/** Bundles the programs that tests start, once per run. Vitest calls this before the tests. */
export async function setup(project: TestProject): Promise<() => void> {
  // In the package of the gateway, which reads its version from the manifest above, and not in `dist`, which is packed.
  const folder = mkdtempSync(join(PACKAGES, "gateway", ".tests-"));
  async function bundle(): Promise<void> {
    const build = await rolldown({
      cwd: PACKAGES,
      input: PROGRAMS,
      platform: "node",
      resolve: { conditionNames: ["utility-tools-source", "node", "import", "default"] },
    });
    await build.write({ dir: folder, format: "esm", chunkFileNames: "[name].js" });
    await build.close();
  }
  await bundle();
  project.provide("programs", folder);
  project.onTestsRerun(bundle);
  return () => rmSync(folder, { recursive: true, force: true });
}
