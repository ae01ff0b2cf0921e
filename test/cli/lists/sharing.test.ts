import { expect, test } from "vitest";
import type { InputBatch } from "../../../src/cli/input/items.js";
import type { SecondThread } from "../../../src/cli/lists/second-thread.js";
import { createSharing, MANY_INPUTS } from "../../../src/cli/lists/sharing.js";

/** A batch of as many inputs as a list needs for a second thread. */
const MANY: InputBatch = { items: Array.from({ length: MANY_INPUTS }, () => ({ text: "x" })) };
const BATCH: InputBatch = { items: [{ text: "y" }] };
const RENDERED = { out: "y\n", errors: [], failed: 0 };
const OWN = { results: [] };
const SECOND = { rendered: RENDERED };
const HEADER = { names: ["ip"], lineBreak: "\n" };
const process = async () => OWN.results;

/** A list that is shared with a thread, which is free and returns a fixed output unless a test changes that. */
function share(size: number | undefined, own: Partial<SecondThread> = {}) {
  const headers: unknown[] = [];
  let [starts, ends] = [0, 0];
  const thread: SecondThread = {
    isFree: () => true,
    run: async (_, header) => {
      headers.push(header);
      return RENDERED;
    },
    end: () => void ends++,
    ...own,
  };
  const sharing = createSharing(size, async () => {
    starts++;
    return thread;
  });
  return { ...sharing, headers, starts: () => starts, ends: () => ends };
}

test("a short list has one thread", async () => {
  const { run, end, starts } = share(100);
  for (const batch of [{ items: [], header: HEADER }, BATCH, BATCH]) {
    expect(await run(batch, process)).toEqual(OWN);
  }
  end();
  expect([starts(), share(10_000_000).starts()]).toEqual([0, 1]);
});

test.each([
  ["many inputs", undefined, MANY],
  ["a long file", 10_000_000, BATCH],
])("a list of %s has a second thread, which takes batches while it is free", async (_, size, first) => {
  let isFree = true;
  const { run, end, headers, starts, ends } = share(size, { isFree: () => isFree });
  expect(await run({ items: [], header: HEADER }, process)).toEqual(OWN);
  // This thread writes the header of the output.
  expect(await run(first, process)).toEqual(OWN);
  expect(await run(BATCH, process)).toEqual(SECOND);
  expect(headers).toEqual([HEADER]);
  isFree = false;
  expect(await run(BATCH, process)).toEqual(OWN);
  end();
  await Promise.resolve();
  expect([starts(), ends()]).toEqual([1, 1]);
});

test("the first thread processes one batch at a time, and gives those that wait to the second one", async () => {
  let isFree = false;
  const { run } = share(10_000_000, { isFree: () => isFree });
  await run(BATCH, process);
  const ended: string[] = [];
  let endFirst = () => {};
  const waiting = new Promise<void>((resolve) => {
    endFirst = resolve;
  });
  const processing = (name: string, until?: Promise<void>) => async () => {
    await until;
    ended.push(name);
    return OWN.results;
  };
  const both = [run(BATCH, processing("first", waiting)), run(BATCH, processing("second"))];
  await Promise.resolve();
  expect(ended).toEqual([]);
  isFree = true;
  endFirst();
  expect(await Promise.all(both)).toEqual([OWN, SECOND]);
  expect(ended).toEqual(["first"]);
});

test("the first thread processes what the second one cannot", async () => {
  const { run } = share(10_000_000, { run: async () => undefined });
  await run(BATCH, process);
  expect(await run(BATCH, process)).toEqual(OWN);
});

test("an error of a batch is that of its call alone", async () => {
  const { run } = share(100);
  await expect(run(BATCH, () => Promise.reject(new Error("fails")))).rejects.toThrow("fails");
  expect(await run(BATCH, process)).toEqual(OWN);
});
