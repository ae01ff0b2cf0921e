import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { digestOf } from "../../../src/service/access/api-keys.js";
import { makeKeyCommand } from "../../../src/service/access/make-key-command.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "make-key-"));
  file = join(folder, "keys");
});
afterEach(() => rm(folder, { recursive: true }));

const KEY = `ut_${"A".repeat(43)}`;
const line = (name: string) => `${name} ${digestOf(KEY).toString("hex")}\n`;

async function run(...args: string[]) {
  let [out, err] = ["", ""];
  const status = await makeKeyCommand(args, {
    randomBytes: (size) => Buffer.alloc(size),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { status, out, err };
}

test("the key alone is on standard output, and its line on standard error", async () => {
  const { status, out, err } = await run("ci");
  expect([status, out]).toEqual([0, `${KEY}\n`]);
  expect(err).toContain(`\n${line("ci")}`);
  expect(err).not.toContain(KEY);
});

describe("--append", () => {
  test("makes a file that nobody else can read", async () => {
    const { status, out, err } = await run("ci", "--append", file);
    expect([status, out, await readFile(file, "utf8")]).toEqual([0, `${KEY}\n`, line("ci")]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(err).not.toContain(KEY);
  });

  test.each([
    ["whole lines", "# keys\n", "# keys\n"],
    ["a last line without an end", "# keys", "# keys\n"],
    ["nothing", "", ""],
  ])("adds to a file of %s", async (_, before, kept) => {
    await writeFile(file, before);
    expect((await run("--append", file, "ci")).status).toBe(0);
    expect(await readFile(file, "utf8")).toBe(kept + line("ci"));
  });

  test.each([
    ["has the name", line("ci"), "has a key of this name already"],
    ["is broken", "x", "line 1 must be a name"],
    [
      "is full",
      Array.from({ length: 1_000 }, (_, index) => `n${index} ${digestOf(`${index}`).toString("hex")}`).join(
        "\n",
      ),
      "has 1000 keys already, which is all that is allowed",
    ],
  ])("leaves a file alone that %s, and shows no key", async (_, before, problem) => {
    await writeFile(file, before);
    const { status, out, err } = await run("ci", "--append", file);
    expect([status, out, await readFile(file, "utf8")]).toEqual([1, "", before]);
    expect(err).toContain(`make-key: ${file} ${problem}`);
  });

  test("says when the file cannot be written", async () => {
    const { status, out, err } = await run("ci", "--append", join(folder, "none", "keys"));
    expect([status, out]).toEqual([1, ""]);
    expect(err).toBe(`make-key: ${join(folder, "none", "keys")} cannot be written (ENOENT)\n`);
  });
});

test.each([[[]], [["a", "b"]], [["a b"]], [["--unknown"]], [["ci", "--append"]], [["ci", "--append", ""]]])(
  "refuses %j",
  async (args) => {
    const { status, out, err } = await run(...args);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toMatch(/^make-key: ./);
  },
);

test("--help says how to use it", async () => {
  expect(await run("--help")).toMatchObject({
    status: 0,
    err: "",
    out: expect.stringMatching(/^Usage: make-key NAME/),
  });
});
