// `npm run new-tool -- NAME`: adds a complete tool, which converts texts to upper case until its author replaces that. Writes files from
// templates, adds the tool to lists and documents, generates code, and updates the snapshots of what follows from the proto file.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { EDITS } from "./edits.mjs";
import { nameProblem, namesOf } from "./names.mjs";

const ROOT = join(import.meta.dirname, "..");
const PROTOS = "proto/utilitytools/v1";

/** The files of a tool, and the templates of them. */
const filesOf = ({ kebab, snake }) => ({
  [`${PROTOS}/${snake}.proto`]: "tool.proto",
  [`src/tools/${kebab}/to-upper-case.ts`]: "to-upper-case.ts",
  [`src/tools/${kebab}/${kebab}-service.ts`]: "service.ts",
  [`test/tools/${kebab}/${kebab}-service.test.ts`]: "service.test.ts",
  [`src/workbench/panels/${kebab}/${kebab}-panel.tsx`]: "panel.tsx",
  [`checks/browser/visits/${kebab}.mjs`]: "visit.mjs",
});

/** What `npm run generate` writes. */
const GENERATED = ["gen", "packages/connect-transcoding/gen", "packages/connect-transcoding/test/gen"];

/** The tests of what follows from the proto files. With `--update` they write it. */
const SNAPSHOT_TESTS = ["test/contract/api.test.ts", "test/deploy/gateway-routes.test.ts"];
const SNAPSHOTS = ["test/contract/api.txt", "deploy/kubernetes/components/gateway-api"];

main(process.argv.slice(2));

function main([name, ...others]) {
  if (name === undefined || others.length > 0) {
    fail("give the name of the tool, for example: npm run new-tool -- phone");
  }
  if (!existsSync(join(ROOT, "packages/connect-transcoding/dist"))) {
    fail("the packages that generate code are not built: run npm ci");
  }
  const problem = nameProblem(name, protosByName());
  if (problem !== undefined) {
    fail(`"${name}" cannot be the name of a tool: ${problem}`);
  }
  const names = namesOf(name);
  const files = Object.entries(filesOf(names));
  // Everything is checked before the first file is written.
  refuseOverwriting(files.map(([path]) => path));
  const contents = [
    ...files.map(([path, template]) => [path, fill(read(`new-tool/templates/${template}.txt`), names)]),
    ...EDITS.map(({ path, edit }) => [path, edited(path, edit, names)]),
  ];

  for (const [path, content] of contents) {
    write(path, content);
  }
  const isCode = ([path]) => /\.(ts|tsx|mjs)$/.test(path);
  run("npx", "buf", "format", "-w", `${PROTOS}/${names.snake}.proto`);
  run("npm", "run", "--silent", "generate");
  run("npx", "biome", "check", "--write", ...contents.filter(isCode).map(([path]) => path));
  run("npx", "vitest", "run", ...SNAPSHOT_TESTS, "--update");
  report(names, contents);
}

/** The proto files of the service, by their names without `.proto`. */
function protosByName() {
  const paths = readdirSync(join(ROOT, PROTOS)).filter((file) => file.endsWith(".proto"));
  return Object.fromEntries(
    paths.map((file) => [file.slice(0, -".proto".length), read(`${PROTOS}/${file}`)]),
  );
}

/** Exits if a file of the tool exists, or if a file to change has changes that are not committed. */
function refuseOverwriting(paths) {
  const existing = paths.filter((path) => existsSync(join(ROOT, path)));
  if (existing.length > 0) {
    fail(`these files exist and are not overwritten:\n${indented(existing)}`);
  }
  const changed = [...EDITS.map(({ path }) => path), ...GENERATED, ...SNAPSHOTS];
  const { status, stdout } = spawnSync("git", ["status", "--porcelain", "--", ...changed], {
    cwd: ROOT,
    encoding: "utf8",
  });
  // Outside a Git work tree, nothing is known.
  if (status === 0 && stdout !== "") {
    const list = indented(stdout.trimEnd().split("\n"));
    fail(`these files are changed by the generator. Commit or undo their changes first:\n${list}`);
  }
}

function fill(template, names) {
  return template.replaceAll(/__(Pascal|Title|camel|kebab|snake)__/g, (_, form) => names[form]);
}

function edited(path, edit, names) {
  const content = edit(read(path), names);
  if (content === undefined) {
    fail(
      `${path} has not the form that the generator changes: see the entry of the file in new-tool/edits.mjs`,
    );
  }
  return content;
}

function report({ kebab, snake, camel }, contents) {
  console.log(`The tool ${kebab} is complete. Written or changed:
${indented([...contents.map(([path]) => path), ...GENERATED.slice(0, 1), ...SNAPSHOTS])}

It converts texts to upper case. Replace that, in this order:
  1. ${PROTOS}/${snake}.proto, then npm run generate
  2. src/tools/${kebab}, test/tools/${kebab}, src/workbench/panels/${kebab} and checks/browser/visits/${kebab}.mjs
  3. its words in README.md, docs/reference/command-line.md, CHANGELOG.md and src/workbench/panels.ts
  4. npx vitest run ${SNAPSHOT_TESTS.join(" ")} --update

npm run check -- tool   checks it
npm run dev             serves it: http://127.0.0.1:8080/v1/${camel}?text=Example
docs/guide/adding-a-tool.md describes what else there is`);
}

function indented(lines) {
  return lines.map((line) => `  ${line}`).join("\n");
}

function read(path) {
  return readFileSync(join(ROOT, path), "utf8");
}

function write(path, content) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), content);
}

/** Runs a program, and exits with its output if it fails. */
function run(program, ...args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) {
    fail(`${[program, ...args].join(" ")} failed\n${error ?? ""}${stdout}${stderr}`);
  }
}

function fail(problem) {
  console.error(`new-tool: ${problem}`);
  process.exit(1);
}
