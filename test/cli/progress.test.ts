import { describe, expect, test } from "vitest";
import { createProgress } from "../../src/cli/progress.js";
import { createStyle } from "../../src/cli/style.js";

function show(size: number | undefined, width = 80) {
  const clock = { time: 1_000 };
  let written = "";
  const progress = createProgress({
    write: (text) => {
      written += text;
    },
    now: () => clock.time,
    size,
    width,
    style: createStyle(false),
  });
  return {
    clock,
    progress,
    written: () => {
      const text = written;
      written = "";
      return text;
    },
  };
}

const ERASE = "\r\u001b[2K";

describe("progress", () => {
  test("is not shown for a moment's work, and leaves nothing behind", () => {
    const { clock, progress, written } = show(100);
    clock.time += 499;
    progress.update(1000, 50);
    progress.clear();
    expect(written()).toBe("");
  });

  test("of a file has a bar and per cent", () => {
    const { clock, progress, written } = show(200);
    clock.time += 500;
    progress.update(50_000, 100);
    expect(written()).toBe(`${ERASE}${"█".repeat(12)}${"░".repeat(12)}  50 %  50,000 done, 100,000/s`);
    clock.time += 99;
    progress.update(60_000, 150);
    expect(written()).toBe("");
    clock.time += 401;
    progress.update(100_000, 300);
    expect(written()).toBe(`${ERASE}${"█".repeat(24)} 100 %  100,000 done, 100,000/s`);
    progress.clear();
    progress.clear();
    expect(written()).toBe(ERASE);
  });

  test("of anything else has count and rate, cut to the terminal", () => {
    const { clock, progress, written } = show(undefined, 10);
    clock.time += 1_000;
    progress.update(1_234, 100);
    expect(written()).toBe(`${ERASE}1,234 don`);
  });
});
