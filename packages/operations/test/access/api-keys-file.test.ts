import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { digestOf, makeApiKey } from "../../src/access/api-keys.js";
import { type ApiKeysReload, loadApiKeys } from "../../src/access/api-keys-file.js";
import { watchFiles } from "../../src/files/data-files.js";

describe("loadApiKeys", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "api-keys-"));
    path = join(folder, "keys");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const line = (name: string, key = name) => `${name} ${digestOf(key)}\n`;
  const quickly: typeof watchFiles = (paths, onChange) => watchFiles(paths, onChange, 10);

  /** Loads the file. `next` returns the next reload. */
  async function load() {
    const reloads: ApiKeysReload[] = [];
    let wake = (): void => {};
    const loaded = await loadApiKeys(
      path,
      (reload) => {
        reloads.push(reload);
        wake();
      },
      quickly,
    );
    if (!loaded.ok) {
      throw new Error(loaded.failure.description);
    }
    const { current, stop } = loaded.value;
    const next = async (): Promise<ApiKeysReload> => {
      const reload = reloads.shift();
      return (
        reload ??
        new Promise<void>((resolve) => {
          wake = resolve;
        }).then(next)
      );
    };
    return { names: () => [...current().values()].map(({ name }) => name), current, next, stop };
  }

  describe("fails with the path of a file that is", () => {
    test.each([
      ["missing", undefined, "FILE_NOT_FOUND", "does not exist"],
      ["broken", "a", "INVALID_API_KEYS", /^line 1 must be a name/],
      ["too large", "#".repeat(16_777_217), "FILE_TOO_LARGE", "is too large; allowed: 16777216 bytes"],
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

    test("missing, but without the path if that is a key", async () => {
      const made = makeApiKey("ci", (size) => new Uint8Array(size).fill(0xff));
      const loaded = await loadApiKeys(made.ok ? made.value.key : "", () => {}, quickly);
      expect(loaded.ok ? "" : loaded.failure.description).toBe(
        "the file, whose name seems to be a key itself, does not exist",
      );
    });
  });

  test("reads a file of the maximum size", async () => {
    await writeFile(path, `${line("a")}${"#".repeat(16_777_216 - line("a").length)}`);
    const { names, stop } = await load();
    expect(names()).toEqual(["a"]);
    stop();
  });

  test("reloads a changed file, keeps the keys of a missing one, and of an invalid one uses the valid lines", async () => {
    await writeFile(path, line("a"));
    const { names, current, next, stop } = await load();
    expect(names()).toEqual(["a"]);

    // Renamed, because a watch may see a file that is being written without its content.
    const replace = async (text: string) => {
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
    };
    await replace(line("a") + line("b"));
    expect(await next()).toEqual({ ok: true, value: 2 });
    expect(names()).toEqual(["a", "b"]);

    // The line of "b" is removed, that of "a" is broken, and "c" and "d" are new.
    await replace(`a x\n${line("c")}d ${digestOf("d")} 2027\n`);
    expect(await next()).toMatchObject({
      ok: false,
      failure: {
        reason: "INVALID_API_KEYS",
        description: expect.stringMatching(
          /keys line 1 must be .*; line 3 must .*; the other lines are in use, and names in these lines keep their keys$/,
        ),
      },
    });
    expect(names()).toEqual(["a", "c"]);

    // A rotation whose second line is broken.
    await replace(`${line("a", "new")}a ${digestOf("a").slice(1)}\n`);
    expect((await next()).ok).toBe(false);
    expect([...current().keys()]).toEqual([digestOf("a"), digestOf("new")]);

    await rm(path);
    expect(await next()).toEqual({
      ok: false,
      failure: {
        reason: "FILE_NOT_FOUND",
        description: `${path} does not exist; the previous keys stay in use`,
      },
    });
    expect(names()).toEqual(["a", "a"]);

    await replace("# nobody\n");
    expect(await next()).toEqual({ ok: true, value: 0 });
    expect(names()).toEqual([]);
    stop();
  });
});
