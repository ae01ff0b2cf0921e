import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codeName, httpOptionsOf } from "connect-transcoding/rules";
import { expect, test } from "vitest";
// The packages export only what servers use.
import { httpStatusOf } from "../../packages/connect-transcoding/src/errors/codes.js";
import { TOOL_SERVICES } from "../../src/tools/load-tools.js";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/reference/errors.md"), "utf8");

const ERRORS = TOOL_SERVICES.flatMap(({ methods }) => methods).flatMap((method) =>
  httpOptionsOf(method).errors.map(({ code, reason, description }) => ({
    method,
    row: `| \`${reason}\` | \`${codeName(Number(code))}\` |`,
    end: ` ${httpStatusOf(Number(code))} | \`${method.name}\`: ${description} |`,
  })),
);

test.each(ERRORS)("docs/reference/errors.md documents $row of $method.name", ({ row, end }) => {
  const hint = `docs/reference/errors.md: add this row to the table of errors of methods:\n${row}${end}\n`;
  expect(PAGE.includes(`\n${row}`), hint).toBe(true);
});
