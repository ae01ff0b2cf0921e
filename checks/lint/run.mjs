// `npm run lint`: runs every linter, and reports all that failed.
import { PROTOS, runAll } from "./programs.mjs";
import { workflowCommands } from "./workflows.mjs";

const formats = PROTOS.map((folder) => `buf format --diff --exit-code ${folder}`);
runAll(["biome check .", "knip", "buf lint", ...formats, ...workflowCommands()]);
