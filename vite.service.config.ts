import { build, defaultServerConditions, defineConfig, type Rolldown, type UserConfig } from "vite";
import manifest from "./package.json" with { type: "json" };
import { packagesOfBundle } from "./scripts/release/bill-of-materials.mjs";
import { PAGE_PACKAGES, SOURCE_CONDITION } from "./vite.config.js";

const BUNDLE = {
  publicDir: false,
  ssr: { noExternal: true, resolve: { conditions: [SOURCE_CONDITION, ...defaultServerConditions] } },
  logLevel: "warn",
} satisfies UserConfig;

// A module that is imported on demand in one place can be in a chunk that another place always loads.
const CHECKS = { bundlerTimings: false, ineffectiveDynamicImport: false };

/** What starts load, by the name of the chunk. Help, version and health check need no more than the first one. */
const STARTS = {
  start: ["src/main.ts", "src/cli/definitions/overview.ts", "src/service/health-check.ts"],
  cli: ["src/cli/program.ts"],
  service: ["src/service/run-service.ts"],
  serve: ["src/service/serve.ts"],
};

/**
 * Returns the chunks of the modules that a start always loads, so that it opens a few files rather than 60. Modules that the
 * command line and the service load are in `common`, and so are those of the service that tools need in the command line.
 */
async function chunksOfStarts(): Promise<ReadonlyMap<string, string>> {
  const rolldownOptions = { input: Object.values(STARTS).flat(), checks: CHECKS };
  const options = { ssr: true, write: false, rolldownOptions };
  const built = await build({ ...BUNDLE, logLevel: "error", configFile: false, build: options });
  const chunks = [built]
    .flat()
    .flatMap((each) => ("output" in each ? each.output : []))
    .filter((each): each is Rolldown.OutputChunk => each.type === "chunk");
  /** The modules that are loaded with those whose path has one of the texts. */
  function modulesWith(paths: readonly string[]): readonly string[] {
    let loaded = chunks.filter(({ facadeModuleId: id }) => paths.some((path) => id?.includes(`/${path}`)));
    for (let before = 0; before < loaded.length; ) {
      before = loaded.length;
      const files = new Set(loaded.flatMap(({ fileName, imports }) => [fileName, ...imports]));
      loaded = chunks.filter(({ fileName }) => files.has(fileName));
    }
    return loaded.flatMap(({ moduleIds }) => moduleIds);
  }
  const names = new Map<string, string>();
  for (const [name, paths] of Object.entries(STARTS)) {
    for (const id of modulesWith(paths)) {
      const earlier = names.get(id) ?? name;
      names.set(id, earlier === "cli" && name !== "cli" ? "common" : earlier);
    }
  }
  for (const id of modulesWith(["src/tools/"]).filter((each) => /^serv/.test(names.get(each) ?? ""))) {
    names.set(id, "common");
  }
  // Its path is that of the program.
  names.delete(modulesWith(["src/main.ts"]).find((id) => id.endsWith("/src/main.ts")) ?? "");
  return names;
}

const chunks = await chunksOfStarts();

// Bundles the service and the command line with all packages that they use: fewer files to open, and nothing to install beside it.
export default defineConfig({
  ...BUNDLE,
  plugins: [packagesOfBundle("dist/src/bom.cdx.json", { earlier: PAGE_PACKAGES, manifest }).plugin],
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
      checks: CHECKS,
      input: {
        main: "src/main.ts",
        "service/print-openapi": "src/service/print-openapi.ts",
        "definitions/write-files": "src/cli/definitions/write-files.ts",
      },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "chunks/[name]-[hash].js",
        // The source maps have them. Licenses are in a file of their own.
        comments: false,
        codeSplitting: {
          groups: [{ name: (id) => chunks.get(id), includeDependenciesRecursively: false }],
        },
      },
    },
  },
});
