import { join } from "node:path";
import { hasGo, hasPython, prepared } from "../clients/programs.mjs";
import { run } from "../lib/checks.mjs";

const HERE = import.meta.dirname;
const ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint";

/** The commands that check the workflows of CI. Those whose programs cannot be had are left out with a message. */
export function workflowCommands() {
  const linters = [
    { name: "actionlint", can: hasGo, install: installActionlint, options: "" },
    // Without a network, so that it says the same everywhere.
    { name: "zizmor", can: hasPython, install: installZizmor, options: " --offline --pedantic --quiet ." },
  ];
  return linters.flatMap(({ name, can, install, options }) => {
    if (!can()) {
      console.log(`${name} is not run`);
      return [];
    }
    try {
      return [`"${install()}"${options}`];
    } catch (thrown) {
      console.log(`skipped: ${name} cannot be installed: ${thrown.message}`);
      return [];
    }
  });
}

function installActionlint() {
  const pins = ["go.mod", "go.sum"].map((file) => join(HERE, file));
  const folder = prepared("actionlint", pins, (target) =>
    install("go", ["build", "-mod=readonly", "-o", `${target}/`, ACTIONLINT]),
  );
  return join(folder, "actionlint");
}

function installZizmor() {
  const requirements = join(HERE, "requirements.txt");
  const folder = prepared("zizmor", [requirements], (target) => {
    install("python3", ["-m", "venv", target]);
    const options = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements];
    install(join(target, "bin", "python"), options);
  });
  return join(folder, "bin", "zizmor");
}

/** Runs a program. Throws an Error with the last line of what it prints if it fails. */
function install(program, args) {
  const { status, stderr } = run(program, args, { cwd: HERE, seconds: 600 });
  if (status !== 0) {
    throw new Error(stderr.trim().split("\n").at(-1));
  }
}
