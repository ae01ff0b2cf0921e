import { describe, expect, test } from "vitest";
import { type Failure, fail, ok, type Result } from "../../../src/result.js";
import { keepLoaded } from "../../../src/service/data-files/keep-loaded.js";

type Outcome = Result<string, Failure>;

/** Data whose loads end when the test says so, and files that change when it does. */
async function follow(first: Outcome) {
  const events: unknown[] = [];
  const loads: { readonly end: (outcome: Outcome) => void; readonly fail: (thrown: unknown) => void }[] = [];
  let change = (): void => {};
  let stops = 0;
  const following = keepLoaded<string, Failure>({
    paths: ["a", "b"],
    load: () => new Promise((resolve, reject) => loads.push({ end: resolve, fail: reject })),
    watchFiles: async (paths, onChange) => {
      events.push(["watched", paths]);
      change = onChange;
      return { stop: () => (stops += 1) };
    },
    onLoaded: (data, isReplacement) => events.push(["loaded", data, isReplacement]),
    onRefused: ({ reason }, hasOlderData) => events.push(["refused", reason, hasOlderData]),
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  loads.shift()?.end(first);
  const data = await following;
  /** Ends the load that is under way, and lets what follows from that happen. */
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
  test("is there from the first load on", async () => {
    const { data, events } = await follow(ok("one"));
    expect(data.current()).toBe("one");
    expect(events).toEqual([WATCHED, ["loaded", "one", false]]);
  });

  test("is replaced when the files have changed, and not before it was loaded", async () => {
    const { data, events, change, end } = await follow(ok("one"));
    change();
    expect(data.current()).toBe("one");
    await end(ok("two"));
    expect(data.current()).toBe("two");
    expect(events.slice(2)).toEqual([["loaded", "two", true]]);
  });

  test("stays when the files are of no use, until they are", async () => {
    const { data, events, change, end } = await follow(ok("one"));
    change();
    await end(fail("BAD", "…"));
    expect(data.current()).toBe("one");
    change();
    await end(ok("two"));
    expect(data.current()).toBe("two");
    expect(events.slice(2)).toEqual([
      ["refused", "BAD", true],
      ["loaded", "two", true],
    ]);
  });

  test("is waited for when there is none at first", async () => {
    const { data, events, change, end } = await follow(fail("BAD", "…"));
    expect(data.current()).toBeUndefined();
    change();
    await end(ok("one"));
    expect(data.current()).toBe("one");
    expect(events.slice(1)).toEqual([
      ["refused", "BAD", false],
      ["loaded", "one", false],
    ]);
  });

  test("is loaded once at a time, and once more for all that changes meanwhile", async () => {
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

  test("is refused by a load that throws", async () => {
    const { data, events, change, end, crash } = await follow(ok("one"));
    change();
    await crash();
    expect([data.current(), events.at(-1)]).toEqual(["one", ["refused", "LOAD_FAILED", true]]);
    change();
    await end(ok("two"));
    expect(data.current()).toBe("two");
  });

  test("stays as it is once it is closed, also when a load was under way", async () => {
    const { data, events, change, end, underWay, stops } = await follow(ok("one"));
    change();
    change();
    data.close();
    await end(ok("two"));
    expect([data.current(), underWay(), stops(), events.length]).toEqual(["one", 0, 1, 2]);
  });
});
