// `npm run check -- corpus`: checks the engine with every HTTP rule of Google's APIs. The proto files are installed and compiled once,
// into node_modules/.cache. Options: see corpus.ts.
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { prepared, ROOT } from "../clients/programs.mjs";
import { mustRun, run } from "../lib/checks.mjs";

const HERE = import.meta.dirname;
const pins = [join(HERE, "package.json"), join(HERE, "package-lock.json")];

const folder = prepared("corpus", pins, (target) => {
  for (const file of ["package.json", "package-lock.json"]) {
    copyFileSync(join(HERE, file), join(target, file));
  }
  const install = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--no-engine-strict"];
  mustRun("npm", install, { cwd: target, seconds: 300 });
  const protos = join(target, "node_modules", "google-proto-files");
  // Tests of protobuf itself, which do not compile without other files of it. buf has the well-known types.
  rmSync(join(protos, "google", "protobuf"), { recursive: true });
  const build = ["build", protos, "--exclude-source-info", "--as-file-descriptor-set"];
  const buf = join(ROOT, "node_modules", ".bin", "buf");
  mustRun(buf, [...build, "--output", join(target, "googleapis.binpb")], { cwd: target, seconds: 300 });
  rmSync(join(target, "node_modules"), { recursive: true });
});
const program = ["--import", join(ROOT, "test", "typescript.mjs"), join(HERE, "corpus.ts")];
const args = [...program, join(folder, "googleapis.binpb"), ...process.argv.slice(2)];
const { status } = run(process.execPath, args, { seconds: 1_800, stdio: "inherit" });
process.exitCode = status ?? 1;
