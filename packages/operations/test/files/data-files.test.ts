import { appendFile, chmod, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Failure, fail, ok, type Result } from "../../src/failures/result.js";
import { type FileWatch, loadDataFiles, watchFiles } from "../../src/files/data-files.js";

type Outcome = Result<string, Failure>;

/** Data whose loads and file changes the test controls. */
async function follow(first: Outcome) {
  const events: unknown[] = [];
  const loads: { readonly end: (outcome: Outcome) => void; readonly fail: (thrown: unknown) => void }[] = [];
  let change = (): void => {};
  let stops = 0;
  const following = loadDataFiles<string, Failure>({
    paths: ["a", "b"],
    load: () => new Promise((resolve, reject) => loads.push({ end: resolve, fail: reject })),
    watchFiles: async (paths, onChange) => {
      events.push(["watched", paths]);
      change = onChange;
      return { stop: () => (stops += 1) };
    },
    onLoad: (loaded, hadData) =>
      events.push(loaded.ok ? ["loaded", loaded.value, hadData] : ["failed", loaded.failure.reason, hadData]),
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  loads.shift()?.end(first);
  const data = await following;
  /** Ends the current load, and waits for the consequences. */
  const end = async (outcome: Outcome) => {
    loads.shift()?.end(outcome);
    await turn();
  };
  return {
    data,
    events,
    end,
    change: () => change(),
    crash: async () => {
      loads.shift()?.fail(new Error("boom"));
      await turn();
    },
    underWay: () => loads.length,
    stops: () => stops,
  };
}

const WATCHED = ["watched", ["a", "b"]];

describe("data of files", () => {
  test("is available after the first load", async () => {
    const { data, events } = await follow(ok("one"));
    expect(data.current()).toBe("one");
    expect(data.first).toEqual(ok("one"));
    expect(events).toEqual([WATCHED, ["loaded", "one", false]]);
  });

  test("is replaced when the files change, after the new data was loaded", async () => {
    const { data, events, change, end } = await follow(ok("one"));
    change();
    expect(data.current()).toBe("one");
    await end(ok("two"));
    expect(data.current()).toBe("two");
    expect(events.slice(2)).toEqual([["loaded", "two", true]]);
  });

  test("stays in use as long as new files cannot be used", async () => {
    const { data, events, change, end } = await follow(ok("one"));
    change();
    await end(fail("BAD", "…"));
    expect(data.current()).toBe("one");
    change();
    await end(ok("two"));
    expect(data.current()).toBe("two");
    expect(events.slice(2)).toEqual([
      ["failed", "BAD", true],
      ["loaded", "two", true],
    ]);
  });

  test("is loaded later if the first load fails", async () => {
    const { data, events, change, end } = await follow(fail("BAD", "…"));
    expect(data.current()).toBeUndefined();
    expect(data.first).toEqual(fail("BAD", "…"));
    change();
    await end(ok("one"));
    expect(data.current()).toBe("one");
    expect(events.slice(1)).toEqual([
      ["failed", "BAD", false],
      ["loaded", "one", false],
    ]);
  });

  test("is loaded once at a time, and once more for all changes during a load", async () => {
    const { data, change, end, underWay } = await follow(ok("one"));
    change();
    change();
    change();
    expect(underWay()).toBe(1);
    await end(ok("two"));
    expect([data.current(), underWay()]).toEqual(["two", 1]);
    await end(ok("three"));
    expect([data.current(), underWay()]).toEqual(["three", 0]);
  });

  test("stays in use if a load throws", async () => {
    const { data, events, change, end, crash } = await follow(ok("one"));
    change();
    await crash();
    expect([data.current(), events.at(-1)]).toEqual(["one", ["failed", "LOAD_FAILED", true]]);
    change();
    await end(ok("two"));
    expect(data.current()).toBe("two");
  });

  test("stays the same after close, also during a load", async () => {
    const { data, events, change, end, underWay, stops } = await follow(ok("one"));
    change();
    change();
    data.close();
    await end(ok("two"));
    expect([data.current(), underWay(), stops(), events.length]).toEqual(["one", 0, 1, 2]);
  });
});

const INTERVAL = 5;
/** The modification time of one of the files, in seconds since the Unix epoch. */
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

/** Watches the files; `next` resolves at the next change to the number of changes. */
async function watch(...names: string[]): Promise<FileWatch & { next(): Promise<number>; count(): number }> {
  let count = 0;
  let seen = (_count: number): void => {};
  const onChange = () => {
    count += 1;
    seen(count);
  };
  const { stop } = await watchFiles(names.map(path), onChange, INTERVAL);
  const next = () =>
    new Promise<number>((resolve) => {
      seen = resolve;
    });
  return { stop, next, count: () => count };
}

describe("a change is reported", () => {
  test.each<[string, () => Promise<void>]>([
    ["of a file that is written to", () => writeFile(path("b"), "longer")],
    ["of a file that is appended to", () => appendFile(path("a"), "more")],
    [
      "of a file that another is renamed to",
      () => writeFile(path("new"), "b").then(() => rename(path("new"), path("b"))),
    ],
    ["of a file that is removed", () => rm(path("b"))],
    ["of a file that is created", () => writeFile(path("made"), "")],
    // The file may have become readable.
    ["of a file whose permissions change", () => chmod(path("b"), 0o604)],
    [
      "of a file that is rewritten with its old size and modification time",
      () => writeFile(path("b"), "B").then(() => utimes(path("b"), TIME, TIME)),
    ],
    [
      "of the target of a link",
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
    const seen = next();
    await change();
    expect(await seen).toBe(1);
    stop();
  });

  test("each time", async () => {
    const { next, stop } = await watch("a");
    for (const count of [1, 2, 3]) {
      const seen = next();
      await appendFile(path("a"), "x");
      expect(await seen).toBe(count);
    }
    stop();
  });
});

test("nothing is reported after stop", async () => {
  const stopped = await watch("a");
  const other = await watch("a");
  stopped.stop();
  const seen = other.next();
  await writeFile(path("a"), "changed");
  expect(await seen).toBe(1);
  const again = other.next();
  await writeFile(path("a"), "changed once more");
  expect(await again).toBe(2);
  expect(stopped.count()).toBe(0);
  other.stop();
});
