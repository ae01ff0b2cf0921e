import { appendFile, chmod, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FileWatch, watchFiles } from "../../../src/service/data-files/watch-files.js";

const INTERVAL = 5;
/** When one of the files was changed, in seconds since the Unix epoch. */
const TIME = 1_000_000_000;
let folder: string;
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "watch-files-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  await Promise.all(["a", "b"].map((name) => writeFile(path(name), name)));
  await utimes(path("b"), TIME, TIME);
});

/** Watches the files; `next` resolves with how often a change was told when it is told again. */
async function watch(...names: string[]): Promise<FileWatch & { next(): Promise<number>; count(): number }> {
  let count = 0;
  let told = (_count: number): void => {};
  const onChange = () => {
    count += 1;
    told(count);
  };
  const { stop } = await watchFiles(names.map(path), onChange, INTERVAL);
  const next = () =>
    new Promise<number>((resolve) => {
      told = resolve;
    });
  return { stop, next, count: () => count };
}

describe("a change is told", () => {
  test.each<[string, () => Promise<void>]>([
    ["of a file that is written to", () => writeFile(path("b"), "longer")],
    ["of a file that is appended to", () => appendFile(path("a"), "more")],
    [
      "of a file that another is renamed to",
      () => writeFile(path("new"), "b").then(() => rename(path("new"), path("b"))),
    ],
    ["of a file that is removed", () => rm(path("b"))],
    ["of a file that is made", () => writeFile(path("made"), "")],
    // Who could not read the file before may be able to now.
    ["of a file that others may read from now on", () => chmod(path("b"), 0o604)],
    [
      "of a file that is rewritten with its size and time, as copying with times does",
      () => writeFile(path("b"), "B").then(() => utimes(path("b"), TIME, TIME)),
    ],
    [
      "of what a link leads to",
      async () => {
        await symlink(path("a"), path("link.new"));
        await rename(path("link.new"), path("link"));
      },
    ],
  ])("%s", async (_name, change) => {
    await rm(path("made"), { force: true });
    await rm(path("link"), { force: true });
    await symlink(path("b"), path("link"));
    const { next, stop } = await watch("a", "b", "made", "link");
    const told = next();
    await change();
    expect(await told).toBe(1);
    stop();
  });

  test("each time", async () => {
    const { next, stop } = await watch("a");
    for (const count of [1, 2, 3]) {
      const told = next();
      await appendFile(path("a"), "x");
      expect(await told).toBe(count);
    }
    stop();
  });
});

test("nothing is told once it is stopped", async () => {
  const stopped = await watch("a");
  const other = await watch("a");
  stopped.stop();
  const told = other.next();
  await writeFile(path("a"), "changed");
  expect(await told).toBe(1);
  const again = other.next();
  await writeFile(path("a"), "changed once more");
  expect(await again).toBe(2);
  expect(stopped.count()).toBe(0);
  other.stop();
});
