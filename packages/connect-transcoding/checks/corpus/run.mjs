// Compiles Google's proto files once, into node_modules/.cache, and runs the checks of this folder; with --foreign, takes
// the rules of other projects. With --write, generates packages/connect-transcoding/examples/google-library/gen instead. Other options are
// those of corpus.ts.
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { BUF_BIN, installBuf } from "connect-transcoding-testing/buf.mjs";
import { checkRuns, conclude, mustRun, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { prepared, pythonPrograms } from "connect-transcoding-testing/programs.mjs";
import { foreignArguments } from "./foreign.mjs";

const HERE = import.meta.dirname;
const PACKAGES = join(HERE, "node_modules");
const BUF = installBuf();
const ENGINE = join(HERE, "../..");
const EXAMPLE = join(ENGINE, "examples/google-library");

const options = process.argv.slice(2);
if (options.includes("--write")) {
  generateExample(EXAMPLE);
} else if (options.includes("--foreign")) {
  runProgram("corpus.ts", [...foreignArguments(), ...options.filter((each) => each !== "--foreign")]);
  conclude();
} else {
  checkExample();
  const descriptors = join(compileProtos(), "googleapis.binpb");
  for (const program of ["google-clients.mjs", "corpus.ts"]) {
    runProgram(program, [descriptors, ...options]);
  }
  conclude();
}

function runProgram(program, args) {
  const command = ["--import", join(ENGINE, "../testing/typescript.mjs"), join(HERE, program), ...args];
  checkRuns(program, process.execPath, command, { seconds: 1_800, stdio: "inherit" });
}

/** Compiles with protoc, which takes a third of the time of buf here. */
function compileProtos() {
  const requirements = join(HERE, "requirements.txt");
  return prepared("corpus", [join(HERE, "package-lock.json"), requirements], (target) => {
    const cwd = join(PACKAGES, "google-proto-files");
    const files = readdirSync(cwd, { recursive: true }).filter(
      // Tests of protobuf do not compile without other files of it.
      (file) => file.endsWith(".proto") && !file.startsWith("google/protobuf/"),
    );
    const list = join(target, "files.txt");
    writeFileSync(list, files.join("\n"));
    const python = join(pythonPrograms("google-python", requirements), "bin", "python");
    const protoc = ["-m", "grpc_tools.protoc", "--proto_path=.", "--include_imports", `@${list}`];
    const output = ["--descriptor_set_out", join(target, "googleapis.binpb")];
    mustRun(python, [...protoc, ...output], { cwd, seconds: 300 });
  });
}

/** Generates the code of the example into `gen` in a folder, and the descriptors with the comments of its proto file. */
function generateExample(folder) {
  const protos = temporaryFolder("protos");
  cpSync(join(ENGINE, "proto"), protos, { recursive: true });
  const path = ["google", "example", "library", "v1", "library.proto"];
  cpSync(join(PACKAGES, "google-example-library", ...path), join(protos, ...path));
  const input = [protos, "--path", join(protos, "google", "example")];
  const template = ["--template", join(EXAMPLE, "buf.gen.yaml"), "--output", folder];
  // buf runs the plugin protoc-gen-es.
  const env = { ...process.env, PATH: [BUF_BIN, process.env.PATH].join(delimiter) };
  mustRun(BUF, ["generate", ...input, ...template], { cwd: HERE, env });
  const image = join(folder, "gen", "library.binpb");
  mustRun(BUF, ["build", ...input, "--exclude-imports", "--output", image], { cwd: HERE });
}

function checkExample() {
  const folder = temporaryFolder("example");
  generateExample(folder);
  const [generated, committed] = [folder, EXAMPLE].map((each) => join(each, "gen"));
  const what = "the generated files of examples/google-library are current";
  checkRuns(what, "diff", ["--recursive", "--brief", generated, committed]);
}
