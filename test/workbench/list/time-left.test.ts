import { expect, test } from "vitest";
import { timeLeft } from "../../../src/workbench/list/time-left.js";

test.each([
  // done, total, done before, seconds so far
  [10, 100, 0, 1, ""],
  [0, 100, 0, 10, ""],
  [40, 100, 40, 10, ""],
  [100, 100, 0, 10, ""],
  [99, 100, 0, 10, "a few seconds left"],
  [50, 100, 0, 12, "about 15 seconds left"],
  [20, 100, 0, 20, "about 80 seconds left"],
  [10, 100, 0, 10, "about 2 minutes left"],
  // Only what was done in this run counts.
  [60, 100, 50, 10, "about 40 seconds left"],
  [1, 401, 0, 9, "about 60 minutes left"],
  [1, 1_000, 0, 60, "about 17 hours left"],
])("%i of %i, %i of them before, after %i s", (done, total, doneBefore, seconds, text) => {
  expect(timeLeft({ done, total, doneBefore, startedAt: 1_000 }, 1_000 + seconds * 1_000)).toBe(text);
});
