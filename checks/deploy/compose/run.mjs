// `npm run check -- deploy/compose`: validates deploy/compose.yaml with the library of Docker Compose, and checks it against the files that it
// mounts. Go builds main.go once, into node_modules/.cache; without Go nothing is tested.
import { join } from "node:path";
import { hasGo, prepared, ROOT } from "../../clients/programs.mjs";
import { mustRun, run } from "../../lib/checks.mjs";

const HERE = import.meta.dirname;

if (!hasGo()) {
  process.exit(0);
}
const pins = ["go.mod", "go.sum", "main.go"].map((name) => join(HERE, name));
const folder = prepared("compose", pins, (target) => {
  const build = ["build", "-mod=readonly", "-o", join(target, "compose-model"), "."];
  mustRun("go", build, { cwd: HERE, seconds: 300 });
});
const check = ["--import", join(ROOT, "test", "typescript.mjs"), join(HERE, "check.ts")];
const { status } = run(process.execPath, [...check, join(folder, "compose-model")], {
  seconds: 300,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
