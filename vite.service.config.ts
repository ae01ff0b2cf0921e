import { defaultServerConditions, defineConfig } from "vite";
import manifest from "./package.json" with { type: "json" };
import { packagesOfBundle } from "./scripts/release/bill-of-materials.mjs";
import { PAGE_PACKAGES, SOURCE_CONDITION } from "./vite.config.js";

// Bundles the service and the command line with all packages that they use: fewer files to open, and nothing to install beside it.
export default defineConfig({
  publicDir: false,
  plugins: [packagesOfBundle("dist/src/bom.cdx.json", { earlier: PAGE_PACKAGES, manifest }).plugin],
  ssr: { noExternal: true, resolve: { conditions: [SOURCE_CONDITION, ...defaultServerConditions] } },
  logLevel: "warn",
  build: {
    ssr: true,
    outDir: "dist/src",
    emptyOutDir: true,
    target: "node20",
    // Names of functions and lines stay readable in stack traces.
    minify: false,
    sourcemap: true,
    reportCompressedSize: false,
    // The licenses of bundled packages must be distributed with them.
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: {
        main: "src/main.ts",
        "service/print-openapi": "src/service/print-openapi.ts",
        "definitions/write-files": "src/cli/definitions/write-files.ts",
      },
      output: { entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
    },
  },
});
