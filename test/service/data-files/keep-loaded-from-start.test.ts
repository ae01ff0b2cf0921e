import { expect, test } from "vitest";
import { type Failure, fail, ok, type Result } from "../../../src/result.js";
import { keepLoadedFromStart } from "../../../src/service/data-files/keep-loaded-from-start.js";

type Broken = Failure<"BROKEN">;

/** Data whose files change when a test says so. */
async function open(first: Result<string, Broken>) {
  let now = first;
  let change: () => void = () => undefined;
  let isWatched = true;
  const reloads: Result<string, Failure>[] = [];
  const kept = await keepLoadedFromStart<string, Broken>({
    paths: ["a"],
    load: async () => now,
    watchFiles: async (_paths, onChange) => {
      change = onChange;
      return {
        stop: () => {
          isWatched = false;
        },
      };
    },
    onReload: (reload) => reloads.push(reload),
  });
  const changeTo = async (next: Result<string, Broken>) => {
    now = next;
    change();
    await new Promise(setImmediate);
  };
  return { kept, reloads, changeTo, isWatched: () => isWatched };
}

test("what cannot be used at the start is a failure, and nothing is watched any more", async () => {
  const { kept, reloads, isWatched } = await open(fail("BROKEN", "is broken"));
  expect(kept).toEqual(fail("BROKEN", "is broken"));
  expect([reloads, isWatched()]).toEqual([[], false]);
});

test("later it is told, and the data from before stays", async () => {
  const { kept, reloads, changeTo, isWatched } = await open(ok("first"));
  if (!kept.ok) {
    throw new Error(kept.failure.description);
  }
  const { current, close } = kept.value;
  expect([current(), reloads]).toEqual(["first", []]);
  await changeTo(fail("BROKEN", "is broken"));
  expect(current()).toBe("first");
  await changeTo(ok("second"));
  expect(current()).toBe("second");
  expect(reloads).toEqual([fail("BROKEN", "is broken"), ok("second")]);
  expect(isWatched()).toBe(true);
  close();
  expect(isWatched()).toBe(false);
});
