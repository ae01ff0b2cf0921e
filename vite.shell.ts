import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Plugin, runnerImport } from "vite";

const WORKBENCH = join(import.meta.dirname, "src", "workbench");
const FIRST_PAINT = join(WORKBENCH, "shell", "first-paint.ts");
const SERVICE_WORKER = "workbench/offline.js";
/** The links of the navigation, for the API reference. */
const PANELS = "workbench/panels.json";

/** The packages of this repository, which may not be built yet. */
const OWN_PACKAGES = [/^connect-transcoding/, /^@utility-tools\//];

/** Loads the components of the page that are rendered by the build. */
async function prerendered(condition: string) {
  const { module } = await runnerImport<{
    readonly shellHtml: () => string;
    readonly panelLinks: readonly object[];
  }>(join(WORKBENCH, "shell", "prerender.tsx"), {
    environments: { inline: { resolve: { noExternal: OWN_PACKAGES, conditions: [condition] } } },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  });
  return module;
}

/**
 * A plugin of Vite that puts the header and the shape of a panel into the HTML of the page, with the script that must run before they
 * are painted, and writes the links to the panels and the service worker, which keeps the scripts and styles of the build.
 *
 * @param condition the condition of `exports` that names the sources of a package
 */
export function pageShell(condition: string): Plugin {
  return {
    name: "page-shell",
    apply: "build",
    async buildStart() {
      const { panelLinks } = await prerendered(condition);
      this.emitFile({ type: "asset", fileName: PANELS, source: JSON.stringify(panelLinks) });
      this.emitFile({ type: "chunk", id: FIRST_PAINT });
      this.emitFile({
        type: "chunk",
        id: join(WORKBENCH, "offline", "service-worker.ts"),
        fileName: SERVICE_WORKER,
      });
    },
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const files = Object.keys(bundle)
          .filter((name) => /-[\w-]{8}\.(js|css|svg)$/.test(name))
          .sort();
        const version = createHash("sha256").update(files.join()).digest("hex").slice(0, 12);
        const worker = bundle[SERVICE_WORKER];
        if (worker?.type !== "chunk") {
          throw new Error(`the build has no ${SERVICE_WORKER}`);
        }
        worker.code = `const FILES=${JSON.stringify(files)},VERSION="${version}";${worker.code}`;
      },
    },
    transformIndexHtml: {
      order: "post",
      async handler(html, { bundle = {} }) {
        const script = Object.values(bundle).find(
          (each) => each.type === "chunk" && each.facadeModuleId === FIRST_PAINT,
        );
        const { shellHtml } = await prerendered(condition);
        return {
          html: html.replace('<div id="workbench">', `$&${shellHtml()}`),
          tags: [{ tag: "script", attrs: { src: `./${script?.fileName}` }, injectTo: "head" }],
        };
      },
    },
  };
}
