// What visits with lists share: files, and measuring how responsive the page is.
import { readFileSync } from "node:fs";

/** Drops a file on the page, or on an element of it, as the user would. */
export async function dropFile(page, name, content, type = "text/csv", target = "main") {
  const data = await page.evaluateHandle(
    ([fileName, bytes, mediaType]) => {
      const transfer = new DataTransfer();
      const file = new File([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))], fileName, {
        type: mediaType,
      });
      transfer.items.add(file);
      return transfer;
    },
    [name, Buffer.from(content).toString("base64"), type],
  );
  for (const event of ["dragenter", "dragover", "drop"]) {
    await page.dispatchEvent(target, event, { dataTransfer: data });
  }
  await data.dispose();
}

/** Pastes a text into an element, as the user would. */
export async function pasteText(page, target, text) {
  await page.locator(target).evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
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
    // Chromium reports tasks from 50 ms on.
    new PerformanceObserver((list) => {
      globalThis.longest = Math.max(globalThis.longest, ...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: "longtask" });
  });
  return () => page.evaluate(() => globalThis.longest);
}

/** Returns the memory of the process of a page with its workers after a garbage collection, in megabytes. */
export async function memoryOf(page) {
  for (const thread of [page, ...page.workers()]) {
    await thread.evaluate(() => globalThis.gc());
  }
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const sizes = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]);
  return Math.max(...sizes.map(Number)) / 1_000;
}

/** Random public IPv4 addresses, and every tenth line a reserved one. Always the same, by a linear congruential generator. */
export function addressList(count) {
  let state = 42;
  return Array.from({ length: count }, (_, index) => {
    const bytes = Array.from({ length: 3 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    });
    return index % 10 === 9 ? `10.${bytes.join(".")}` : `${20 + (index % 80)}.${bytes.join(".")}`;
  });
}
