import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // All processors: the default leaves one out, which is every other one on a small machine.
    maxWorkers: "100%",
  },
});
