import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { OpenApiDocument } from "connect-transcoding/openapi";
import { expect, test } from "vitest";
import { expectValid } from "../../packages/connect-transcoding/test/openapi/describe.js";
import { DOCUMENT } from "../contract/support/documented-examples.js";
import { builtProgram } from "../support/programs.js";

const PROGRAM = builtProgram("print-openapi");
const run = (env: Record<string, string>) => promisify(execFile)(process.execPath, [PROGRAM], { env });

test("prints the document and nothing else", async () => {
  const { stdout, stderr } = await run({ PUBLIC_BASE_URL: "https://tools.example/base/" });
  expect(stderr).toBe("");
  const document: OpenApiDocument = JSON.parse(stdout);
  await expectValid(document);
  expect(document.servers).toEqual([{ url: "https://tools.example/base" }]);
  expect(Object.keys(document.paths)).toEqual(Object.keys(DOCUMENT.paths));
});

test("describes the settings", async () => {
  const { stdout } = await run({
    API_KEYS_FILE: "/nonexistent",
    RATE_LIMIT: "10/1m",
    UNKNOWN_PARAMETERS: "ignore",
    MAX_HEADER_BYTES: "20000",
    MAX_REQUEST_BYTES: "70000",
  });
  const document: OpenApiDocument = JSON.parse(stdout);
  await expectValid(document);
  expect(document.security).toEqual([{ bearer: [] }, { apiKey: [] }]);
  expect(Object.keys(document.components.securitySchemes ?? {})).toEqual(["bearer", "apiKey"]);
  expect(stdout).not.toContain('"additionalProperties": false');
  expect(document.components.responses.HeadersTooLarge?.description).toContain("more than 20000 bytes");
  const responses = document.paths["/v1/otp"]?.post?.responses;
  expect(Object.keys(responses ?? {})).toEqual([
    "200",
    "400",
    "401",
    "413",
    "415",
    "429",
    "431",
    "500",
    "503",
    "default",
  ]);
  expect(responses?.[413]).toMatchObject({ description: expect.stringContaining("70000 bytes") });
});

test("reports a failure in one line", async () => {
  await expect(run({ PORT: "x" })).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: "the document cannot be written: PORT must be a number from 0 to 65535\n",
  });
});
