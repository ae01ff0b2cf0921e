import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SOURCE_CONDITION } from "./vite.config.js";

export default defineConfig({
  // Tests run on the sources of the packages, never on an earlier build.
  ssr: { resolve: { conditions: [SOURCE_CONDITION, "node"] } },
  test: {
    include: ["{test,packages/*/test}/**/*.test.ts"],
    globalSetup: "test/build-programs.ts",
    // Far more than a test takes on a busy machine: they are for tests that never end.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // A file restores what it changes, so that files can share what they have loaded: that takes longer than most of them.
    isolate: false,
    // Most garbage of a test is younger than the next collection of a young generation of this size, in MiB.
    execArgv: ["--max-semi-space-size=64"],
    // More than processors: many tests wait for a timer or for another process.
    maxWorkers: availableParallelism() + 4,
  },
});
