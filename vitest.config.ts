import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { COMMON, EXEC_ARGV, PROJECTS } from "./packages/vitest.config.js";

export default defineConfig({
  ...COMMON,
  test: {
    ...COMMON.test,
    projects: [
      ...PROJECTS,
      {
        extends: true,
        test: {
          name: "service",
          include: ["test/**/*.test.ts"],
          globalSetup: join(import.meta.dirname, "test", "build-programs.ts"),
          isolate: false,
          execArgv: EXEC_ARGV,
        },
      },
    ],
  },
});
