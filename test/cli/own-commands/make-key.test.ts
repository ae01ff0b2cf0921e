import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf } from "connect-transcoding-operations/access/api-keys";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeKey } from "../../../src/cli/own-commands/make-key.js";
import { MAIN } from "../../support/programs.js";
import { runHere } from "../run-tools.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "make-key-"));
  file = join(folder, "keys");
});
afterEach(() => rm(folder, { recursive: true }));

const KEY = `ut_${"A".repeat(43)}`;
const line = (name: string) => `${name} ${digestOf(KEY)}\n`;

async function run(name: string, append?: string, expires?: string) {
  let [out, err] = ["", ""];
  const status = await makeKey(name, {
    ...(append !== undefined && { append }),
    ...(expires !== undefined && { expires }),
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

test("prints the key alone to standard output, and its line to standard error", async () => {
  const { status, out, err } = await run("ci");
  expect([status, out]).toEqual([0, `${KEY}\n`]);
  expect(err).toContain(`\n${line("ci")}`);
  expect(err).not.toContain(KEY);
});

const FULL = Array.from(
  { length: 100_000 },
  (_, index) => `n${index} ${index.toString(16).padStart(64, "0")}`,
);

describe("--append", () => {
  test("creates a file that only the owner can read", async () => {
    const { status, out, err } = await run("ci", file);
    expect([status, out, await readFile(file, "utf8")]).toEqual([0, `${KEY}\n`, line("ci")]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(err).not.toContain(KEY);
  });

  test.each([
    ["whole lines", "# keys\n", "# keys\n"],
    ["a last line without a line break", "# keys", "# keys\n"],
    ["nothing", "", ""],
  ])("appends to a file with %s", async (_, before, kept) => {
    await writeFile(file, before);
    expect((await run("ci", file)).status).toBe(0);
    expect(await readFile(file, "utf8")).toBe(kept + line("ci"));
  });

  test.each([
    ["has two keys of the name", `${line("ci")}ci ${digestOf("b")}\n`, "has 2 keys of this name already"],
    ["is broken", "x", "line 1 must be a name"],
    ["is full", FULL.join("\n"), "has 100000 keys already, which is all that is allowed"],
  ])("leaves a file unchanged that %s, and prints no key", async (_, before, problem) => {
    await writeFile(file, before);
    const { status, out, err } = await run("ci", file);
    expect([status, out, await readFile(file, "utf8")]).toEqual([1, "", before]);
    expect(err).toContain(`utility-tools make-key: ${file} ${problem}`);
  });

  test("reports a file that cannot be written", async () => {
    const path = join(folder, "none", "keys");
    const err = `utility-tools make-key: ${path} cannot be written (no such file or folder)\n`;
    expect(await run("ci", path)).toEqual({ status: 74, out: "", err });
  });
});

test("a second key of a name, with an expiry date, leaves the first one", async () => {
  const first = `ci ${digestOf("first")}\n`;
  await writeFile(file, first);
  expect((await run("ci", file, "2999-01-31")).status).toBe(0);
  expect(await readFile(file, "utf8")).toBe(`${first}${line("ci").trim()} 2999-01-31\n`);
  for (const invalid of ["31.1.2999", "2025-01-31"]) {
    expect(await run("ci", file, invalid)).toMatchObject({ status: 2, out: "" });
  }
});

test.each([[[]], [["a", "b"]], [["a b"]], [["--unknown"]], [["ci", "--append"]]])(
  "rejects the arguments %j",
  async (args) => {
    const { status, out, err } = await runHere(["make-key", ...args]);
    expect([status, out, err]).toEqual([2, "", expect.stringMatching(/^utility-tools make-key: ./)]);
  },
);

test("prints a key as a program", () => {
  const { status, stdout } = spawnSync(process.execPath, [MAIN, "make-key", "ci"], { encoding: "utf8" });
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^ut_[\w-]{43}\n$/)]);
});
