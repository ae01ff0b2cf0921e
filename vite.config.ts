import { defineConfig } from "vite";

// Builds the workbench, the page at `/`. Where Vite puts the files is what src/service/pages/static-pages.ts serves.
export default defineConfig({
  root: "src/workbench",
  // Relative, so that the page works behind a proxy that serves it below some path.
  base: "./",
  // Vite's dev server is not used: the page needs the service beside it.
  publicDir: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../dist/workbench",
    emptyOutDir: true,
    assetsDir: "workbench",
    // The Content-Security-Policy has no room for `data:` URLs, nor for a script in the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ["chrome123", "edge123", "firefox121", "safari17.5"],
    reportCompressedSize: false,
    // What is bundled is passed on, and its licences ask to go with it.
    license: { fileName: "workbench/licenses.md" },
  },
});
