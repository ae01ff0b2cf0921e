import { join } from "node:path";
import { goPrograms } from "connect-transcoding-testing/go.mjs";
import { pythonPrograms } from "connect-transcoding-testing/programs.mjs";

const HERE = import.meta.dirname;
const ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint";

/** The commands that check the workflows of CI. Those whose programs cannot be installed are left out with a message. */
export function workflowCommands() {
  const linters = {
    actionlint: () => `"${goPrograms("actionlint", HERE, [ACTIONLINT])}/actionlint"`,
    // Without a network, so that it says the same everywhere.
    zizmor: () =>
      `"${pythonPrograms("zizmor", join(HERE, "requirements.txt"))}/bin/zizmor" --offline --pedantic --quiet .`,
  };
  return Object.entries(linters).flatMap(([name, commandOf]) => {
    try {
      return [commandOf()];
    } catch (thrown) {
      console.log(`skipped: ${name} cannot be installed: ${thrown.message}`);
      return [];
    }
  });
}
