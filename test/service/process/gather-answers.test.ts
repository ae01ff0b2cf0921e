import { describe, expect, test } from "vitest";
import {
  createGathering,
  type LastingQuestions,
  type Respondent,
} from "../../../src/service/process/gather-answers.js";

/** Somebody who remembers what was asked. */
function respondent(): Respondent & { readonly asked: [number, string][] } {
  const asked: [number, string][] = [];
  return { asked, ask: (id, question) => asked.push([id, question]) };
}

/** Answers to `total` are numbers, which stay when those who gave them are gone. */
const LASTING: LastingQuestions = new Map([
  ["total", (before, last) => ((before ?? 0) as number) + (last as number)],
]);

function gathering() {
  const timers = new Set<() => void>();
  const made = createGathering<Respondent>(
    1_000,
    (run, delay) => {
      expect(delay).toBe(1_000);
      timers.add(run);
      return () => timers.delete(run);
    },
    LASTING,
  );
  return { ...made, timers };
}

test("gives the answers of all when the last has answered", async () => {
  const { ask, answered, timers } = gathering();
  const [first, second] = [respondent(), respondent()];
  const answers = ask([first, second], "metrics");
  expect([first.asked, second.asked]).toEqual([[[1, "metrics"]], [[1, "metrics"]]]);
  answered(second, 1, "b");
  answered(first, 1, "a");
  expect(await answers).toEqual(["b", "a"]);
  expect(timers.size).toBe(0);
});

test("does not wait for one that is gone", async () => {
  const { ask, answered, gone } = gathering();
  const [first, second] = [respondent(), respondent()];
  const answers = ask([first, second], "metrics");
  answered(first, 1, "a");
  gone(second);
  expect(await answers).toEqual(["a"]);
});

test("gives what there is when time is up, and takes nothing more", async () => {
  const { ask, answered, timers } = gathering();
  const [first, second] = [respondent(), respondent()];
  const answers = ask([first, second], "metrics");
  answered(first, 1, "a");
  for (const run of timers) {
    run();
  }
  expect(await answers).toEqual(["a"]);
  answered(second, 1, "b");
  expect(await answers).toEqual(["a"]);
});

test("takes one answer of each, to the question that it is about, from those that were asked", async () => {
  const { ask, answered } = gathering();
  const [first, second, stranger] = [respondent(), respondent(), respondent()];
  const one = ask([first, second], "one");
  const two = ask([first, second], "two");
  answered(first, 1, "a1");
  answered(first, 1, "again");
  answered(stranger, 1, "stranger");
  answered(second, 2, "b2");
  answered(second, 1, "b1");
  answered(first, 2, "a2");
  expect(await one).toEqual(["a1", "b1"]);
  expect(await two).toEqual(["b2", "a2"]);
});

test("has no answers when there is nobody to ask", async () => {
  const { ask, timers } = gathering();
  expect(await ask([], "metrics")).toEqual([]);
  expect(timers.size).toBe(0);
});

describe("the answers to a lasting question", () => {
  test("are what was said before of those who give none in time", async () => {
    const { ask, answered, timers } = gathering();
    const [first, second] = [respondent(), respondent()];
    const before = ask([first, second], "total");
    answered(first, 1, 10);
    answered(second, 1, 5);
    expect(await before).toEqual([10, 5]);
    const answers = ask([first, second], "total");
    answered(second, 2, 6);
    for (const run of timers) {
      run();
    }
    expect(await answers).toEqual([10, 6]);
  });

  test("have in one what those said last who are gone", async () => {
    const { ask, answered, saidLast, gone } = gathering();
    const [first, second, third] = [respondent(), respondent(), respondent()];
    const before = ask([first, second], "total");
    answered(first, 1, 10);
    answered(second, 1, 5);
    await before;
    saidLast(first, "total", 12);
    saidLast(first, "names", "not a lasting question");
    gone(first);
    gone(second);
    gone(second);
    const answers = ask([third], "total");
    answered(third, 2, 1);
    expect(await answers).toEqual([1, 17]);
  });

  test("count nobody twice who answers and is gone while others are waited for", async () => {
    const { ask, answered, gone } = gathering();
    const [first, second] = [respondent(), respondent()];
    const answers = ask([first, second], "total");
    answered(first, 1, 10);
    gone(first);
    answered(second, 1, 5);
    expect(await answers).toEqual([5, 10]);
  });

  test("leave out nobody who is no longer asked but not gone", async () => {
    const { ask, answered, saidLast } = gathering();
    const [first, second] = [respondent(), respondent()];
    saidLast(first, "total", 10);
    const answers = ask([second], "total");
    answered(second, 1, 5);
    expect(await answers).toEqual([10, 5]);
  });
});
