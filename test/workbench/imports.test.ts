import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const WORKBENCH = join(ROOT, "src", "workbench");

/** Packages whose main entry needs Node, and what the page imports instead. */
const NODE_ENTRIES: Readonly<Record<string, string>> = {
  "connect-transcoding": "connect-transcoding/rules, /codec or /openapi",
  "@utility-tools/client": "@utility-tools/client/browser",
};

/** Matches static and dynamic imports and re-exports. The first group matches those of types only. */
const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^;"]*?\sfrom\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gm;

interface Import {
  readonly file: string;
  readonly specifier: string;
}

function importsOf(file: string): Import[] {
  return [...readFileSync(file, "utf8").matchAll(IMPORT)]
    .filter(([, type]) => type === undefined)
    .map(([, , specifier = "", dynamic]) => ({ file, specifier: dynamic ?? specifier }));
}

/** Resolves a relative import to the source file; undefined for packages, styles and data. */
function sourceOf({ file, specifier }: Import): string | undefined {
  const path = join(dirname(file), specifier);
  const candidates = [path.replace(/\.js$/, ".ts"), path.replace(/\.js$/, ".tsx")];
  return specifier.startsWith(".") && specifier.endsWith(".js") ? candidates.find(existsSync) : undefined;
}

/** Returns the imports of all modules of the page, and of the modules that they import. */
function allImports(): Import[] {
  const names = readdirSync(WORKBENCH, { recursive: true, encoding: "utf8" });
  const files = new Set(names.filter((name) => /\.tsx?$/.test(name)).map((name) => join(WORKBENCH, name)));
  const imports: Import[] = [];
  // The loop also visits the files that it adds.
  for (const file of files) {
    for (const each of importsOf(file)) {
      imports.push(each);
      const source = sourceOf(each);
      if (source !== undefined) {
        files.add(source);
      }
    }
  }
  return imports;
}

const IMPORTS = allImports();

test("the modules of the page import nothing that needs Node", () => {
  expect(IMPORTS.length).toBeGreaterThan(100);
  const problems = IMPORTS.flatMap(({ file, specifier }) => {
    const name = relative(ROOT, file);
    const instead = NODE_ENTRIES[specifier];
    if (isBuiltin(specifier)) {
      return [`${name} imports "${specifier}", which browsers do not have`];
    }
    return instead === undefined ? [] : [`${name} imports "${specifier}", which needs Node: use ${instead}`];
  });
  expect(problems).toEqual([]);
});

/** The modules that need descriptors; the page loads them on demand. */
const WITH_DESCRIPTORS =
  /^(snippet\/|kit\/exchange\/exchange-content\.tsx$|shell\/api-key\.tsx$|\.\.\/text\/otp\/otp-migration\.ts$)/;

test("only the drawer, snippets, exports of accounts and the form of the API key load descriptors of the schema", () => {
  const loaded = IMPORTS.filter(
    ({ file, specifier }) =>
      /^(@bufbuild\/|@connectrpc\/|@utility-tools\/|connect-transcoding(\/|$))/.test(specifier) &&
      !WITH_DESCRIPTORS.test(relative(WORKBENCH, file)),
  );
  expect(loaded.map(({ file, specifier }) => `${relative(ROOT, file)} imports "${specifier}"`)).toEqual([]);
});
