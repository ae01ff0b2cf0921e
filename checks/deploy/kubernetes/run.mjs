// `npm run check -- deploy/kubernetes`: builds deploy/kubernetes with kustomize, validates the resources with kubeconform, and checks what
// schemas do not. Go builds the programs and downloads the schemas once, into node_modules/.cache; without Go nothing is tested.
import { join } from "node:path";
import { hasGo, prepared, ROOT } from "../../clients/programs.mjs";
import { mustRun, run } from "../../lib/checks.mjs";
import { MODULES, writeSchemas } from "./schemas.mjs";

const HERE = import.meta.dirname;
const PROGRAMS = ["sigs.k8s.io/kustomize/kustomize/v5", "github.com/yannh/kubeconform/cmd/kubeconform"];

if (!hasGo()) {
  process.exit(0);
}
const pins = ["go.mod", "go.sum", "schemas.mjs"].map((name) => join(HERE, name));
const folder = prepared("kubernetes", pins, (target) => {
  mustRun("go", ["build", "-mod=readonly", "-o", `${target}/`, ...PROGRAMS], { cwd: HERE, seconds: 600 });
  const folders = Object.entries(MODULES).map(([name, module]) => [name, download(module)]);
  writeSchemas(join(target, "schemas"), Object.fromEntries(folders));
});
const check = ["--import", join(ROOT, "test", "typescript.mjs"), join(HERE, "check.ts")];
const { status } = run(process.execPath, [...check, folder], { seconds: 300, stdio: "inherit" });
process.exitCode = status ?? 1;

/** Downloads a Go module without building it. Returns its folder. */
function download({ module, sum }) {
  const { stdout } = mustRun("go", ["mod", "download", "-json", module], { cwd: "/", seconds: 600 });
  const downloaded = JSON.parse(stdout);
  if (downloaded.Sum !== sum) {
    throw new Error(`${module} has the checksum ${downloaded.Sum} instead of ${sum}`);
  }
  return downloaded.Dir;
}
