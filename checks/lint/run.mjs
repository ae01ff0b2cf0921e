// `npm run lint`: runs every linter, and reports all that failed.
import { PROTOS, runAll } from "./programs.mjs";

const formats = PROTOS.map((folder) => `buf format --diff --exit-code ${folder}`);
runAll(["biome check .", "knip", "buf lint", ...formats]);
