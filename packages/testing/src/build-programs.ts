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

/** Bundles the programs that tests of packages start. Vitest calls this before the tests. */
export function setup(project: TestProject): Promise<() => void> {
  // In the package of the gateway, which reads its version from the manifest above, and not in `dist`, which is packed.
  const folder = mkdtempSync(join(PACKAGES, "gateway", ".tests-"));
  return bundlePrograms(project, PACKAGES, PROGRAMS, folder);
}

/**
 * Bundles programs with all packages, once per run, and provides their folder as `programs`. A bundle starts in less than half of the
 * time that its sources need.
 *
 * @param root the folder to which the paths of the programs are relative
 * @param input the programs by the names that their bundles have
 * @returns a function that removes the folder of the bundles
 */
export async function bundlePrograms(
  project: TestProject,
  root: string,
  input: Readonly<Record<string, string>>,
  folder: string,
): Promise<() => void> {
  async function bundle(): Promise<void> {
    const build = await rolldown({
      cwd: root,
      input,
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
