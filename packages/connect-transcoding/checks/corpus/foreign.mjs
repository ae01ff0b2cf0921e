// Takes the HTTP rules of projects of others from their packages for Python, once, into node_modules/.cache.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "connect-transcoding-testing/checks.mjs";
import { prepared, pythonEnvironment, pythonTools } from "connect-transcoding-testing/programs.mjs";

const FOREIGN = join(import.meta.dirname, "foreign");
const REQUIREMENTS = join(FOREIGN, "requirements.txt");
const DESCRIPTORS = join(FOREIGN, "descriptors.py");

/** The arguments of corpus.ts for these projects. */
export function foreignArguments() {
  const sets = prepareDescriptors();
  const files = readdirSync(sets).map((name) => join(sets, name));
  console.log(`${files.length} packages`);
  return [...files, "--unsupported", join(FOREIGN, "unsupported.txt")];
}

/** The folder with a file of descriptors for each package. */
function prepareDescriptors() {
  const folder = prepared("foreign-rules", [REQUIREMENTS, DESCRIPTORS], (target) => {
    const [venv, wheels, output] = ["venv", "wheels", "sets"].map((name) => join(target, name));
    const pip = join(pythonTools(), "bin", "pip");
    const download = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", wheels];
    mustRun(pip, [...download, "--requirement", REQUIREMENTS], { seconds: 600 });
    // descriptors.py itself needs protobuf, in the version that is there then.
    pythonEnvironment(venv, "--no-index", "--find-links", wheels, "protobuf");
    mkdirSync(output);
    mustRun(join(venv, "bin", "python"), [DESCRIPTORS, wheels, output], { seconds: 600 });
  });
  return join(folder, "sets");
}
