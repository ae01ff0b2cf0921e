import { expect, test } from "vitest";
import { createGathering, type Respondent } from "../../src/process/gather-answers.js";

/** Somebody who remembers what was asked. */
function respondent(): Respondent & { readonly asked: [number, string][] } {
  const asked: [number, string][] = [];
  return { asked, ask: (id, question) => asked.push([id, question]) };
}

function gathering() {
  const timers = new Set<() => void>();
  const made = createGathering<Respondent>(1_000, (run, delay) => {
    expect(delay).toBe(1_000);
    timers.add(run);
    return () => timers.delete(run);
  });
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
