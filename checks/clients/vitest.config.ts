import { defineConfig } from "vitest/config";
import { SOURCE_CONDITION } from "../../vite.config.js";

export default defineConfig({
  ssr: { resolve: { conditions: [SOURCE_CONDITION, "node"] } },
  test: { testTimeout: 120_000, hookTimeout: 120_000 },
});
