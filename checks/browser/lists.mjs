// What visits with lists share: files, and measuring how responsive the page is.
import { readFileSync } from "node:fs";

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

/** Presses a button, and returns the name and the content of the file that the browser saves. */
export async function download(page, button) {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByText(button, { exact: true }).click(),
  ]);
  const content = readFileSync(await file.path());
  return { name: file.suggestedFilename(), content, text: content.toString() };
}

/** Returns the lines of a CSV file with a byte order mark. */
export function csvLines(text) {
  return text
    .replace(/^\uFEFF/, "")
    .trimEnd()
    .split("\r\n");
}

/** Starts to record for how long the page does not respond. Returns a function that returns the longest time, in milliseconds. */
export async function watchLongTasks(page) {
  await page.evaluate(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      globalThis.longest = Math.max(globalThis.longest, ...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: "longtask" });
  });
  return () => page.evaluate(() => globalThis.longest);
}

/** Returns the heap of the page after a garbage collection, in megabytes. */
export async function heapOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / 1_000_000;
}
