import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Most code of tests runs a few times. The V8 of Node 20 optimizes it so early that this takes a tenth of the processor time. */
const LATE_OPTIMIZATION = process.version.startsWith("v20.") ? ["--interrupt-budget=400000"] : [];

/** Most garbage of a test is younger than the next collection of a young generation of this size, in MiB. */
export const EXEC_ARGV = ["--max-semi-space-size=64", ...LATE_OPTIMIZATION];

/** Options of all projects, those of the service included. */
export const COMMON = {
  // Tests run on the sources of the packages, never on an earlier build.
  ssr: { resolve: { conditions: ["utility-tools-source", "node"] } },
  test: {
    // Far more than a test takes on a busy machine: they are for tests that never end.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    // More than processors: many tests wait for a timer or for another process.
    maxWorkers: availableParallelism() + 3,
  },
};

// They collect the garbage of their process again and again, which takes long beside what other files have loaded.
const MEMORY = ["http-server/test/memory/**/*.test.ts"];
const root = import.meta.dirname;

export const PROJECTS = [
  { extends: true as const, root, test: { name: "memory", include: MEMORY } },
  {
    extends: true as const,
    root,
    test: {
      name: "packages",
      include: ["*/test/**/*.test.ts"],
      exclude: MEMORY,
      globalSetup: join(root, "testing", "src", "build-programs.ts"),
      // A file restores what it changes, so that files can share what they have loaded: that takes longer than most of them.
      isolate: false,
      execArgv: EXEC_ARGV,
    },
  },
];

export default defineConfig({ ...COMMON, root, test: { ...COMMON.test, projects: PROJECTS } });
