import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codeName, httpOptionsOf } from "connect-transcoding/rules";
import { expect, test } from "vitest";
import { TOOL_SERVICES } from "../../src/tools/load-tools.js";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/reference/errors.md"), "utf8");

const ERRORS = TOOL_SERVICES.flatMap(({ methods }) => methods).flatMap((method) =>
  httpOptionsOf(method).errors.map(({ code, reason }) => ({
    method,
    row: `| \`${reason}\` | \`${codeName(Number(code))}\` |`,
  })),
);

test.each(ERRORS)("docs/reference/errors.md documents $row of $method.name", ({ row }) => {
  expect(PAGE).toContain(`\n${row}`);
});
