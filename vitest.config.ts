import { defineConfig } from "vitest/config";

// Functions and what is made of them: nothing there outlives a test, so that files can share what they have loaded, which
// takes longer than most of them.
const FUNCTIONS = [
  ...["data", "service/config", "tools", "workbench"].map((folder) => `test/${folder}/**/*.test.ts`),
  ...["codec", "node", "openapi", "request", "response", "rules"].map(
    (folder) => `packages/connect-transcoding/test/${folder}/**/*.test.ts`,
  ),
];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // All processors: the default leaves one out, which is every other one on a small machine.
    maxWorkers: "100%",
    projects: [
      { extends: true, test: { name: "functions", include: FUNCTIONS, isolate: false } },
      {
        extends: true,
        test: { name: "services", include: ["{test,packages/*/test}/**/*.test.ts"], exclude: FUNCTIONS },
      },
    ],
  },
});
