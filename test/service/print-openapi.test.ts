import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { OpenApiDocument } from "connect-transcoding/openapi";
import { expect, test } from "vitest";
import { expectValid } from "../../packages/connect-transcoding/test/openapi/describe.js";
import { DOCUMENT } from "../contract/documented-examples.js";

// The built program, as `npm run openapi` runs it; `npm test` builds it first.
const PROGRAM = join(import.meta.dirname, "..", "..", "dist", "src", "service", "print-openapi.js");
const run = (env: Record<string, string>) => promisify(execFile)(process.execPath, [PROGRAM], { env });

test("prints the document and nothing else", async () => {
  const { stdout, stderr } = await run({ PUBLIC_BASE_URL: "https://tools.example/base/" });
  expect(stderr).toBe("");
  const document: OpenApiDocument = JSON.parse(stdout);
  await expectValid(document);
  expect(document.servers).toEqual([{ url: "https://tools.example/base" }]);
  expect(Object.keys(document.paths)).toEqual(Object.keys(DOCUMENT.paths));
});

test("reports a failure in one line", async () => {
  await expect(run({ PORT: "x" })).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: "the document cannot be written: PORT must be a number from 0 to 65535\n",
  });
});
