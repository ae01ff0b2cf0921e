import { defaultClientConditions, defineConfig } from "vite";
import { packagesOfBundle } from "./scripts/release/bill-of-materials.mjs";
import { pageShell } from "./vite.shell.js";

/** The condition of `exports` in packages/<name>/package.json that names the sources of a package. */
export const SOURCE_CONDITION = "utility-tools-source";

/** The packages of the page, which the build of the service adds to its bill of materials. */
export const PAGE_PACKAGES = "dist/workbench-packages.json";
const { plugin, worker } = packagesOfBundle(PAGE_PACKAGES);

// Builds the web page at `/`. src/service/pages/static-pages.ts serves the output folder.
export default defineConfig({
  root: "src/workbench",
  // Relative URLs, so that the page works below a path prefix of a proxy.
  base: "./",
  publicDir: false,
  plugins: [plugin, pageShell(SOURCE_CONDITION)],
  worker: { plugins: () => [worker] },
  resolve: { conditions: [SOURCE_CONDITION, ...defaultClientConditions] },
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../dist/workbench",
    emptyOutDir: true,
    assetsDir: "workbench",
    // The Content-Security-Policy forbids `data:` URLs and inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ["chrome123", "edge123", "firefox121", "safari17.5"],
    reportCompressedSize: false,
    rolldownOptions: { checks: { bundlerTimings: false } },
    // The licenses of bundled packages must be distributed with them.
    license: { fileName: "workbench/licenses.md" },
  },
});
