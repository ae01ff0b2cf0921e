import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readJson, run, textOf } from "./workspace.mjs";

/** The file in a package. In that of the service, it is beside the bundle. */
export const BILL = "bom.cdx.json";

/**
 * A plugin of Vite that writes the npm packages of a bundle, those of its workers included, as components of a bill of materials.
 *
 * @param file the file; a list of components that another build has written is part of it
 * @param manifest of what is bundled; without one, the file is only a list of components
 */
export function packagesOfBundle(file, { earlier, manifest } = {}) {
  const folders = new Set();
  const collect = (_, bundle) => {
    for (const { moduleIds = [] } of Object.values(bundle)) {
      for (const id of moduleIds) {
        const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
        if (folder !== undefined) {
          folders.add(folder);
        }
      }
    }
  };
  return {
    worker: { name: "packages-of-workers", generateBundle: collect },
    plugin: {
      name: "packages-of-bundle",
      generateBundle: collect,
      closeBundle() {
        const own = [...folders].map((folder) =>
          componentOf(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))),
        );
        const others =
          earlier !== undefined && existsSync(earlier) ? JSON.parse(readFileSync(earlier, "utf8")) : [];
        const components = [...new Map([...own, ...others].map((each) => [each.purl, each])).values()];
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(
          file,
          textOf(manifest === undefined ? components : billOfMaterials(manifest, components)),
        );
      },
    },
  };
}

/** The bill of materials of a package that is installed with its dependencies, as package-lock.json has them. */
export function installedPackages(folder) {
  const options = [
    "--sbom-format",
    "cyclonedx",
    "--omit",
    "dev",
    "--package-lock-only",
    "--workspace",
    folder,
  ];
  const { components } = JSON.parse(
    run("npm", ["sbom", ...options], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  const manifest = readJson(join(folder, "package.json"));
  const own = components.filter(({ name }) => name !== manifest.name);
  return billOfMaterials(
    manifest,
    own.map(({ name, version, licenses = [] }) =>
      componentOf({
        name,
        version,
        license: licenses.map(({ license, expression }) => expression ?? license.id)[0],
      }),
    ),
  );
}

/** CycloneDX 1.5. The same packages make the same text, so that a package can be packed again. */
function billOfMaterials(manifest, components) {
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: componentOf(manifest) },
    components: components.toSorted((a, b) => (a.purl < b.purl ? -1 : 1)),
  };
}

function componentOf({ name, version, license }) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    ...(license && { licenses: [{ expression: license }] }),
  };
}
