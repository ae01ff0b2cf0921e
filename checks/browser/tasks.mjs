// What tests of whole tasks share: counting steps, dropping files, and measuring how responsive the page is.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { check } from "../lib/checks.mjs";

/** Counts the steps of a task, and prints them with the time. `step` takes the promise of an action of the user. */
export function startTask(name) {
  const start = performance.now();
  let steps = 0;
  return {
    step(action) {
      steps++;
      return action;
    },
    end() {
      console.log(`     ${name}: ${steps} steps, ${((performance.now() - start) / 1_000).toFixed(1)} s`);
    },
  };
}

/** Drops a file on the page as the user would. */
export async function dropFile(page, name, text) {
  const data = await page.evaluateHandle(
    ([fileName, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], fileName, { type: "text/csv" }));
      return transfer;
    },
    [name, text],
  );
  for (const type of ["dragenter", "dragover", "drop"]) {
    await page.dispatchEvent("main", type, { dataTransfer: data });
  }
  await data.dispose();
}

/** Presses a button, and returns the text of the file that the browser saves. */
export async function download(page, button) {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button, exact: true }).click(),
  ]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
}

/** Starts to record for how long the page does not respond. Returns a function that returns the longest time, in milliseconds. */
export async function watchLongTasks(page) {
  await page.evaluate(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => {
      globalThis.longTasks.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: "longtask" });
  });
  return () => page.evaluate(() => Math.max(0, ...globalThis.longTasks.splice(0)));
}

/** Returns the heap of the page after a garbage collection, in megabytes. */
export async function heapOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / 1_000_000;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Checks that axe finds no problem on a page, and that it does not scroll sideways on a phone. Needs `bypassCSP`. */
export async function checkView(page, what) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  check(
    `axe finds no problem in ${what}`,
    violations.length === 0,
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`).join(" | "),
  );
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(`${what} fits a width of ${width}`, overflow <= 0, `${overflow} too wide`);
  }
}
