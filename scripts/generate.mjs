// `npm run generate`: generates the code of all proto files, the script of the API reference, and the texts that follow from the API.
// Writes only what changes: `npm run dev` must never load half of the code.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const BUF = join(ROOT, "packages/testing/src/buf.mjs");
const REFLECTION = join(ROOT, "node_modules/@grpc/reflection/build/proto");
/** The folders of packages/ with a template, and other inputs than that of the template. */
const TEMPLATES = [
  ["connect-transcoding"],
  ["connect-transcoding", REFLECTION, "--path", join(REFLECTION, "grpc")],
  ["connect-transcoding", join(ROOT, "node_modules/grpc-health-check/proto")],
  ["testing"],
  ["connect-transcoding/examples/library"],
  ["connect-transcoding/examples/add-rest"],
];
/** The folders in which all files are generated, so that the others are of earlier proto files. */
const FOLDERS = [
  "gen/connecttranscoding",
  "gen/google",
  "gen/utilitytools",
  "packages/connect-transcoding/gen",
  "packages/testing/gen",
  "packages/connect-transcoding/examples/library/gen",
  "packages/connect-transcoding/examples/add-rest/gen",
];
/** The tests whose snapshots are derived from the API. */
const SNAPSHOTS = [
  "test/contract/documents/api.test.ts",
  "test/deploy/gateway-routes.test.ts",
  "test/workbench/schema",
];

process.chdir(ROOT);
const output = mkdtempSync(join(tmpdir(), "generate-"));
process.on("exit", () => rmSync(output, { recursive: true }));
run("node", BUF, "generate", "--output", output);
process.chdir("packages");
for (const [folder, ...input] of TEMPLATES) {
  const template = ["--template", join(folder, "buf.gen.yaml"), "--output", join(output, "packages")];
  run("node", BUF, "generate", ...input, ...template);
}
const image = join(output, "packages/testing/gen/garden.binpb");
run("node", BUF, "build", "--path", "testing/proto/garden", "--output", image);
process.chdir(ROOT);
const reference = join(output, "packages/connect-transcoding/src/reference/assets.ts");
mkdirSync(dirname(reference), { recursive: true });
run("node", "packages/connect-transcoding/build-reference.mjs", reference);
const generated = new Set(filesIn(output));
for (const file of generated) {
  writeChanged(file, readFileSync(join(output, file)));
}
for (const file of FOLDERS.flatMap((folder) => filesIn(folder).map((each) => join(folder, each)))) {
  if (!generated.has(file)) {
    rmSync(file);
  }
}
run("npx", "vitest", "run", ...SNAPSHOTS, "--update");

/** The paths of the files below a folder, relative to it. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

function writeChanged(file, content) {
  if (!existsSync(file) || !readFileSync(file).equals(content)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** Runs a program, and exits with its status if it fails. */
function run(program, ...args) {
  const { status } = spawnSync(program, args, { stdio: "inherit" });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}
