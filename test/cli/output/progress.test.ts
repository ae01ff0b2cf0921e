import { describe, expect, test } from "vitest";
import { createProgress } from "../../../src/cli/output/progress.js";
import { createStyle } from "../../../src/cli/output/terminal.js";

function show(size: number | undefined, width = 80) {
  const clock = { time: 1_000 };
  const texts: string[] = [];
  const progress = createProgress({
    write: (text) => void texts.push(text),
    now: () => clock.time,
    size,
    width,
    style: createStyle(false),
  });
  /** Returns what was written since the last call. */
  const written = () => texts.splice(0).join("");
  return { clock, progress, written };
}

const ERASE = "\r\u001b[2K";

describe("progress", () => {
  test("is not shown for short work", () => {
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
    expect(written()).toBe(
      `${ERASE}${"█".repeat(12)}${"░".repeat(12)}  50 %  50,000 done, 100,000/s, 1 s left`,
    );
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

  test.each<[elapsed: number, size: number, expected: string]>([
    [1_000, 920, "91 s left"],
    [1_000, 2_410, "4 min left"],
    [60_000, 1_210, "2 h left"],
  ])("after %i ms with 10 of %i bytes shows %s", (elapsed, size, expected) => {
    const { clock, progress, written } = show(size);
    clock.time += elapsed;
    progress.update(1, 10);
    expect(written()).toMatch(new RegExp(`, ${expected}$`));
  });

  test("shows at once that it waits", () => {
    const { progress, written } = show(undefined);
    progress.wait(41_500);
    expect(written()).toBe(`${ERASE}waiting 42 s for the rate limit`);
  });

  test("of other input has count and rate, cut to the terminal", () => {
    const { clock, progress, written } = show(undefined, 10);
    clock.time += 1_000;
    progress.update(1_234, 100);
    expect(written()).toBe(`${ERASE}1,234 don`);
  });
});
