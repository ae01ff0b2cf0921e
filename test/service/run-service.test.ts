import { expect, test } from "vitest";
import { heapGrowthFlag } from "../../src/service/run-service.js";

const BOUND = "--heap-growing-percent=30";

test.each<[nodeFlags: string[], nodeOptions: string | undefined, flag: string | undefined]>([
  [[], undefined, BOUND],
  [[], "", BOUND],
  [["--enable-source-maps"], "--trace-warnings --max-http-header-size=80000", BOUND],
  [["--max-semi-space-size=16"], undefined, BOUND],
  [["--enable-source-maps", "--max-old-space-size=256"], undefined, undefined],
  [["--max_old_space_size=1024"], undefined, undefined],
  [["--max-heap-size=1024"], undefined, undefined],
  [["--heap-growing-percent=100"], undefined, undefined],
  [[], "--trace-warnings --max-old-space-size=1024", undefined],
  [[], "--max-old-space-size-percentage=50", undefined],
])("flags %j, NODE_OPTIONS %j: %j", (nodeFlags, nodeOptions, flag) => {
  expect(heapGrowthFlag(nodeFlags, nodeOptions)).toBe(flag);
});
