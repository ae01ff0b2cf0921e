import { execFileSync } from "node:child_process";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { digestOf } from "../../../src/service/access/api-key.js";
import { type ApiKeysReload, loadApiKeys } from "../../../src/service/access/load-api-keys.js";
import { makeApiKey } from "../../../src/service/access/make-api-key.js";
import { watchFiles } from "../../../src/service/data-files/data-files.js";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "api-keys-"));
  path = join(folder, "keys");
});
afterEach(() => rm(folder, { recursive: true }));

const line = (name: string) => `${name} ${digestOf(name).toString("hex")}\n`;
const quickly: typeof watchFiles = (paths, onChange) => watchFiles(paths, onChange, 10);

/** Loads the file; `next` is the next reload that it tells of. */
async function load() {
  const told: ApiKeysReload[] = [];
  let wake = (): void => {};
  const loaded = await loadApiKeys(
    path,
    (reload) => {
      told.push(reload);
      wake();
    },
    quickly,
  );
  if (!loaded.ok) {
    throw new Error(loaded.failure.description);
  }
  const { current, stop } = loaded.value;
  const next = async (): Promise<ApiKeysReload> => {
    const reload = told.shift();
    return (
      reload ??
      new Promise<void>((resolve) => {
        wake = resolve;
      }).then(next)
    );
  };
  return { names: () => current().map(({ name }) => name), next, stop };
}

describe("a file that cannot be used stops the start, and is named", () => {
  test.each([
    ["missing", undefined, "FILE_NOT_FOUND", "does not exist"],
    ["broken", "a", "INVALID_API_KEYS", /^line 1 must be a name/],
    ["too large", "#".repeat(1_048_577), "FILE_TOO_LARGE", "is too large; allowed: 1048576 bytes"],
  ])("%s", async (_, text, reason, description) => {
    if (text !== undefined) {
      await writeFile(path, text);
    }
    const loaded = await loadApiKeys(path, () => {}, quickly);
    const failure = loaded.ok ? undefined : loaded.failure;
    expect(failure?.reason).toBe(reason);
    expect(failure?.description.startsWith(`${path} `)).toBe(true);
    expect(failure?.description.slice(path.length + 1)).toEqual(
      typeof description === "string" ? description : expect.stringMatching(description),
    );
  });

  test("but not by what is a key", async () => {
    const made = makeApiKey("ci", (size) => new Uint8Array(size).fill(0xff));
    const loaded = await loadApiKeys(made.ok ? made.value.key : "", () => {}, quickly);
    expect(loaded.ok ? "" : loaded.failure.description).toBe(
      "the file, whose name seems to be a key itself, does not exist",
    );
  });

  test("a named pipe that nobody writes to", async () => {
    execFileSync("mkfifo", [path]);
    const loaded = await loadApiKeys(path, () => {}, quickly);
    expect(loaded.ok ? "" : loaded.failure.description).toBe(`${path} is not a regular file`);
  });

  test("a directory", async () => {
    const loaded = await loadApiKeys(folder, () => {}, quickly);
    expect(loaded).toEqual({
      ok: false,
      failure: { reason: "FILE_UNREADABLE", description: `${folder} is not a regular file` },
    });
  });
});

test("the largest file is read", async () => {
  await writeFile(path, `${line("a")}${"#".repeat(1_048_576 - line("a").length)}`);
  const { names, stop } = await load();
  expect(names()).toEqual(["a"]);
  stop();
});

test("a changed file takes effect; a broken or missing one does not", async () => {
  await writeFile(path, line("a"));
  const { names, next, stop } = await load();
  expect(names()).toEqual(["a"]);

  await writeFile(path, line("a") + line("b"));
  expect(await next()).toEqual({ ok: true, value: 2 });
  expect(names()).toEqual(["a", "b"]);

  await writeFile(path, "a ut_secret");
  expect(await next()).toMatchObject({ ok: false, failure: { reason: "INVALID_API_KEYS" } });
  expect(names()).toEqual(["a", "b"]);

  await rm(path);
  expect(await next()).toEqual({
    ok: false,
    failure: { reason: "FILE_NOT_FOUND", description: `${path} does not exist` },
  });
  expect(names()).toEqual(["a", "b"]);

  await writeFile(`${path}.new`, "# nobody\n");
  await rename(`${path}.new`, path);
  expect(await next()).toEqual({ ok: true, value: 0 });
  expect(names()).toEqual([]);
  stop();
});
