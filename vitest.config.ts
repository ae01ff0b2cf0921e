import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SOURCE_CONDITION } from "./vite.config.js";

// The whole service with its real data, in the process of the test.
const CONTRACT = [
  "test/contract/**/*.test.ts",
  "test/cli/csv.test.ts",
  "packages/client/test/clients-page.test.ts",
];

// What starts programs, which are bundles of test/build-programs.ts, or measures its own process.
const PROCESSES = [
  "packages/http-server/test/memory/**/*.test.ts",
  "packages/client/test/client.test.ts",
  "packages/connect-transcoding/test/cli/main.test.ts",
  "test/examples/**/*.test.ts",
  "test/cli/{on-terminal,program,own-commands/{make-key,update-data}}.test.ts",
  "packages/operations/test/telemetry/log.test.ts",
  "test/service/{print-openapi,projected-volume,serve,wrong-settings,process/processes}.test.ts",
  "test/{main,documented-examples}.test.ts",
];

// Most garbage of a test is younger than the next collection of a young generation of this size, in MiB.
const execArgv = ["--max-semi-space-size=64"];

export default defineConfig({
  // Tests run on the sources of the packages, never on an earlier build.
  ssr: { resolve: { conditions: [SOURCE_CONDITION, "node"] } },
  test: {
    // Far more than a test takes on a busy machine: they are for tests that never end.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // More than processors: many tests wait for a timer or for another process.
    maxWorkers: availableParallelism() + 2,
    projects: [
      // A file restores what it changes, so that files can share what they have loaded: that takes longer than most of them.
      { extends: true, test: { name: "contract", include: CONTRACT, isolate: false, execArgv } },
      {
        extends: true,
        test: {
          name: "units",
          isolate: false,
          execArgv,
          include: ["{test,packages/*/test}/**/*.test.ts"],
          exclude: [...CONTRACT, ...PROCESSES],
        },
      },
      {
        extends: true,
        test: { name: "processes", include: PROCESSES, globalSetup: "test/build-programs.ts" },
      },
    ],
  },
});
