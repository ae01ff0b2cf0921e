// `npm run format`: formats all files, and applies the safe fixes of the linter.
import { PROTOS, runAll } from "./programs.mjs";

runAll(["biome check --write .", ...PROTOS.map((folder) => `buf format -w ${folder}`)]);
