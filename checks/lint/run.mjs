// `npm run lint`: runs every linter, and reports all that failed.
import { PROTOS, runAll } from "./programs.mjs";
import { workflowCommands } from "./workflows.mjs";

const formats = PROTOS.map((folder) => `buf format --diff --exit-code ${folder}`);
runAll(["biome check .", "knip", "buf lint", "buf lint packages", ...formats, ...workflowCommands()]);
if (process.exitCode !== 0) {
  console.log("npm run format corrects the format and applies safe fixes");
}
