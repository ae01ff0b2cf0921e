// What visits with lists share: files, and measuring how responsive the page is.
import { readFileSync } from "node:fs";
import { buttonOf } from "./harness.mjs";

/** Drops a file on the page, or on an element of it, as the user would. */
export async function dropFile(page, name, content, type = "text/csv", target = "main") {
  const data = await page.evaluateHandle(
    ([fileName, bytes, mediaType]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.fromBase64(bytes)], fileName, { type: mediaType }));
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

/** Returns the buttons that select rows, with their numbers. */
export const kindsOf = (page) =>
  page.getByRole("group", { name: "Show" }).getByRole("button").allInnerTexts();

/** The rows of the last table, the first of which is the head. */
export const rowsOf = (page) => page.getByRole("table").last().getByRole("row");

/** Returns the rows that a filter such as `1 invalid` shows, each with its error. */
export async function filteredRows(page, kind) {
  await buttonOf(page, kind).click();
  await page.getByText(new RegExp(`of ${kind.split(" ")[0]} rows$`)).waitFor();
  const texts = await rowsOf(page).allInnerTexts();
  await page.getByRole("button", { name: /^All / }).click();
  return texts.slice(1);
}

/** Returns the lines of a CSV file with a byte order mark. */
export function csvLines(text) {
  return text
    .replace(/^\uFEFF/, "")
    .trimEnd()
    .split("\r\n");
}

/**
 * Starts to record how long the page does not respond. Returns a function that ends this, and returns the processor time of the longest
 * task of a page, in milliseconds. Other programs hardly change it, unlike the duration.
 */
export async function watchLongTasks(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", {
    traceConfig: { includedCategories: ["toplevel"], excludedCategories: ["*"] },
  });
  return async () => {
    const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
    await session.send("Tracing.end");
    await complete;
    await session.detach();
    const threadOf = ({ pid, tid }) => `${pid} ${tid}`;
    const named = events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
    const threads = new Set(named.map(threadOf));
    const tasks = events.filter(
      (event) => event.name === "ThreadControllerImpl::RunTask" && threads.has(threadOf(event)),
    );
    // The shortest tasks have no processor time.
    return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1_000), 0);
  };
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
