// `npm run new-tool -- NAME`: adds a complete tool, which converts texts to upper case until its author replaces that. Writes files from
// templates, adds the tool to lists and documents, and generates code.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installBuf } from "connect-transcoding-testing/buf.mjs";
import { installBiome } from "../../checks/lint/programs.mjs";
import { EDITS } from "./edits.mjs";
import { nameProblem, namesOf } from "./names.mjs";

const ROOT = join(import.meta.dirname, "../..");
const PROTOS = "proto/utilitytools/v1";

/** The files of a tool, and their templates. */
const filesOf = ({ kebab, snake }) => ({
  [`${PROTOS}/${snake}.proto`]: "tool.proto.txt",
  [`src/tools/${kebab}/to-upper-case.ts`]: "to-upper-case.ts.txt",
  [`src/tools/${kebab}/${kebab}-service.ts`]: "service.ts.txt",
  [`test/tools/${kebab}/${kebab}-service.test.ts`]: "service.test.ts.txt",
  [`src/workbench/panels/${kebab}/${kebab}-panel.tsx`]: "panel.tsx.txt",
  [`checks/browser/visits/${kebab}.mjs`]: "visit.mjs.txt",
  [`docs/tools/${kebab}.md`]: "page.md.txt",
});

/** What `npm run generate` writes. */
const GENERATED = [
  "gen",
  "test/contract/documents/api.txt",
  "deploy/kubernetes/components/gateway-api",
  "src/workbench/schema/schema.json",
];

main(process.argv.slice(2));

function main([name, ...others]) {
  if (name === undefined || others.length > 0) {
    fail("give the name of the tool, for example: npm run new-tool -- phone");
  }
  const problem = nameProblem(name, protosByName());
  if (problem !== undefined) {
    fail(`"${name}" cannot be the name of a tool: ${problem}`);
  }
  // Everything is checked before the first file is written.
  const names = namesOf(name);
  const files = Object.entries(filesOf(names));
  refuseOverwriting(files.map(([path]) => path));
  const contents = [
    ...files.map(([path, template]) => [path, fill(read(`scripts/new-tool/templates/${template}`), names)]),
    ...EDITS.map(({ path, edit }) => [path, edit(read(path), names) ?? failToEdit(path)]),
  ];
  for (const [path, content] of contents) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), content);
  }

  const paths = contents.map(([path]) => path);
  run(installBuf(), "format", "-w", `${PROTOS}/${names.snake}.proto`);
  run("npm", "run", "--silent", "generate");
  run(installBiome(), "check", "--write", ...paths.filter((path) => /\.(ts|tsx|mjs)$/.test(path)));
  console.log(`The tool ${name} is complete. Written or changed:
${indented([...paths, ...GENERATED])}
It converts texts to upper case: docs/guide/adding-a-tool.md says how to replace that.
npm run check -- tool ${name} checks it. npm run dev serves it at http://127.0.0.1:8080/v1/${names.camel}?text=Example`);
}

/** The texts of the service's proto files, by their names without `.proto`. */
function protosByName() {
  const files = readdirSync(join(ROOT, PROTOS)).filter((file) => file.endsWith(".proto"));
  return Object.fromEntries(files.map((file) => [file.replace(".proto", ""), read(`${PROTOS}/${file}`)]));
}

/** Exits if a file of the tool exists, or if a file to change has changes that are not committed. */
function refuseOverwriting(paths) {
  const existing = paths.filter((path) => existsSync(join(ROOT, path)));
  if (existing.length > 0) {
    fail(`these files exist and are not overwritten:\n${indented(existing)}`);
  }
  const changed = [...EDITS.map(({ path }) => path), ...GENERATED];
  const git = ["status", "--porcelain", "--", ...changed];
  // Outside a Git work tree, it fails, and nothing is known.
  const { status, stdout } = spawnSync("git", git, { cwd: ROOT, encoding: "utf8" });
  if (status === 0 && stdout !== "") {
    fail(`these files are changed by the generator. Commit or undo their changes first:\n${stdout}`);
  }
}

function fill(template, names) {
  return template.replaceAll(/__(Pascal|Title|camel|kebab|snake)__/g, (_, form) => names[form]);
}

function failToEdit(path) {
  fail(`${path} has not the form that the generator changes: see its entry in scripts/new-tool/edits.mjs`);
}

function indented(lines) {
  return lines.map((line) => `  ${line}`).join("\n");
}

function read(path) {
  return readFileSync(join(ROOT, path), "utf8");
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
