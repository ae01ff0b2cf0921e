import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { GARDEN } from "connect-transcoding-testing/files.js";
import { builtProgram } from "connect-transcoding-testing/programs.js";
import { expect, test } from "vitest";
import { expectValid } from "../openapi/describe.js";

const PROGRAM = builtProgram("connect-transcoding");
const start = (...args: string[]) => promisify(execFile)(process.execPath, [PROGRAM, ...args]);

test("the program writes the document of a file to standard output", async () => {
  const { stdout, stderr } = await start("openapi", "--descriptor", GARDEN);
  expect(stderr).toBe("");
  await expectValid(JSON.parse(stdout));
});

test("the program reports a failure in one line on standard error, and with its status", async () => {
  await expect(start("openapi", "--descriptor", `${GARDEN}.txt`)).rejects.toMatchObject({
    code: 65,
    stdout: "",
    stderr: expect.stringMatching(
      /^connect-transcoding openapi: '.*garden\.binpb\.txt' cannot be read: .*\n$/,
    ),
  });
  await expect(start()).rejects.toMatchObject({ code: 64, stdout: "" });
});
