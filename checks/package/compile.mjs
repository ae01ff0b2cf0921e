import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, checkRuns, mustRun } from "connect-transcoding-testing/checks.mjs";
import { ROOT, read, readJson } from "../../scripts/release/workspace.mjs";
import { createProject } from "../lib/projects.mjs";

const TSC = join(ROOT, "node_modules", ".bin", "tsc");

/** The strictest settings that a project may have. */
const STRICTEST = {
  target: "es2023",
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  types: ["node"],
};
export const NODENEXT = { ...STRICTEST, module: "nodenext", moduleResolution: "nodenext", outDir: "out" };
export const BUNDLER = { ...STRICTEST, module: "esnext", moduleResolution: "bundler", noEmit: true };

/** What the programs of documents use and do not declare: the library of the engine's examples. */
const LEFT_OUT = `import type { ConnectRouter } from "@connectrpc/connect";
import type { Documentation, OpenApiDocument, ServerDescription } from "connect-transcoding/openapi";
import type { HttpBinding } from "connect-transcoding/rules";
import type { LibraryService as Library } from "./gen/example/library/v1/library_pb.js";

declare global {
  const LibraryService: typeof Library;
  const bindings: readonly HttpBinding[];
  const document: OpenApiDocument;
  const documentation: Documentation;
  const routes: (router: ConnectRouter) => void;
  const server: ServerDescription;
  // Only TypeScript's DOM library has it.
  type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
}
`;

/** Generated code imports that of the engine without an extension, and with one by `import_extension=js`. */
const IMPORTS = `import "connect-transcoding/gen/google/api/annotations_pb";
import "connect-transcoding/gen/google/api/http_pb.js";
`;

const { devDependencies, optionalDependencies } = readJson("package.json");

/** Packages in the versions that the repository uses. */
export function pinned(...names) {
  return names.map((name) => `${name}@${devDependencies[name] ?? optionalDependencies[name]}`);
}

export function compile(what, project, compilerOptions, sources) {
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: sources }));
  checkRuns(`compiles: ${what}`, TSC, ["-p", "tsconfig.json"], { cwd: project });
}

/**
 * Compiles each TypeScript program of the documents, which is a block that imports something, with the newest and with the oldest
 * versions of the engine's peer dependencies.
 *
 * @param temporary the folder for the projects
 */
export function compileDocuments(temporary, tarballs) {
  const { peerDependencies } = readJson("packages/connect-transcoding/package.json");
  const peers = Object.entries(peerDependencies);
  check(
    "the engine's peer dependencies are caret ranges",
    peers.every(([, range]) => /^\^\d+\.\d+\.\d+$/.test(range)),
  );
  const versions = {
    newest: peers.map(([name, range]) => `${name}@${range}`),
    oldest: peers.map(([name, range]) => `${name}@${range.slice(1)}`),
  };
  const { dependencies: validation } = readJson(
    "packages/connect-transcoding/checks/protovalidate/package.json",
  );
  const validator = `@bufbuild/protovalidate@${validation["@bufbuild/protovalidate"]}`;
  for (const [which, wanted] of Object.entries(versions)) {
    // connect-node has the versions of connect.
    const clients = wanted.flatMap((each) =>
      /\/connect@/.test(each) ? each.replace("connect@", "connect-node@") : [],
    );
    const packages = [...tarballs, ...wanted, ...clients, validator, ...pinned("@types/node", "yaml")];
    const project = createProject(join(temporary, `documents-${which}`), packages);
    const found = peers.map(([peer]) => {
      const manifest = readFileSync(join(project, "node_modules", peer, "package.json"), "utf8");
      return `${peer}@${JSON.parse(manifest).version}`;
    });
    console.log(`     ${which} peers: ${found.join(", ")}`);
    if (which === "oldest") {
      check("the oldest peers are installed", found.join() === wanted.join(), found.join(" "));
    }
    const programs = writePrograms(project);
    const options = { ...NODENEXT, lib: ["es2023"], noEmit: true };
    const sources = ["left-out.d.ts", "imports.ts", ...programs];
    compile(`${programs.length} programs of documents, ${which} peers`, project, options, sources);
    const args = ["--input-type=module", "--eval", IMPORTS];
    checkRuns(`generated code is imported, ${which} peers`, process.execPath, args, { cwd: project });
  }
}

/** Writes the programs of the documents, and what they leave out. Returns the files of the programs. */
function writePrograms(project) {
  cpSync(join(ROOT, "packages/connect-transcoding/examples/library/gen"), join(project, "gen"), {
    recursive: true,
  });
  writeFileSync(join(project, "left-out.d.ts"), LEFT_OUT);
  writeFileSync(join(project, "imports.ts"), IMPORTS);
  const pages = mustRun("git", ["ls-files", "*.md"], { cwd: ROOT }).stdout.trim().split("\n");
  return pages.flatMap((page) =>
    [...read(page).matchAll(/(?<=^```ts\b.*\n)[\s\S]*?(?=^```$)/gm)].flatMap(({ 0: text, index }) => {
      const line = read(page).slice(0, index).split("\n").length;
      const name = `${page.replaceAll("/", "-")}-${line}.ts`;
      // The configuration of a generator is tried by the suite `clients/openapi`.
      if (!/^import /m.test(text) || text.includes('from "orval"')) {
        return [];
      }
      writeFileSync(join(project, name), text);
      return [name];
    }),
  );
}
