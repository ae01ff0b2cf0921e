// Long lists in the page: how long it does not respond, and what happens when the service limits, stops or rejects requests.
import { check, checkEqual, conclude } from "connect-transcoding-testing/checks.mjs";
import { buttonOf, checkShown, inBrowser, press, withApiKey } from "./harness.mjs";
import {
  addressList,
  download,
  dropFile,
  filteredRows,
  kindsOf,
  memoryOf,
  rowsOf,
  watchLongTasks,
} from "./lists.mjs";

/** The longest time without a response to the user that the check accepts, in milliseconds of processor time. */
const LONGEST_TASK = 200;

/** How much the process of a page may grow for a list of 100,000 rows, in megabytes. The rows and results are a fifth of it. */
const MOST_MEMORY = 400;

const progressOf = (page) => page.getByRole("region", { name: "Progress" });

/** Waits until a list is complete. */
const isComplete = (page) => progressOf(page).waitFor({ state: "detached", timeout: 300_000 });

/** Waits for the first results. A locator by role would take so long that the list may be complete before. */
const hasBegun = (page) => page.locator(".list-kinds button", { hasText: /\d found$/ }).waitFor();

/** A long list can be paused and resumed, and its results are complete. */
async function longList({ open }) {
  const { page, finish } = await open("geoip?mode=list");
  await dropFile(page, "long.txt", addressList(100_000).join("\n"));
  await checkShown("the time that is left is estimated", page.getByText(/ left$/));
  await page.getByText("Pause", { exact: true }).click();
  await page.getByText("Paused. The results so far are below.").waitFor();
  const paused = await progressOf(page).locator("p").innerText();
  await page.waitForTimeout(500);
  checkEqual("a paused list does not go on", await progressOf(page).locator("p").innerText(), paused);
  await press(page, "Resume");
  await isComplete(page);
  await buttonOf(page, "10,000 reserved").waitFor();
  const [total, ...kinds] = await kindsOf(page);
  const sum = kinds.reduce((found, kind) => found + Number(kind.replace(/\D/g, "")), 0);
  check(
    "100,000 addresses have results",
    total === "All 100,000" && kinds.includes("10,000 reserved") && sum === 100_000,
    kinds,
  );
  const reserved = await filteredRows(page, "10,000 reserved");
  const areReserved = reserved.length === 100 && reserved.every((text) => text.includes("Private-Use"));
  check("a filter shows the rows with an error", areReserved, reserved[0]);
  checkEqual("the page shows 100 rows", await rowsOf(page).count(), 101);
  await finish(/404/);
}

async function sort(page) {
  await page.locator(".list-sort").first().click();
  await page.locator("th[aria-sort=ascending]").waitFor();
}

/** Checks that the file of a list has 100,000 rows. */
async function checkSaved(page, what) {
  const { text } = await download(page, "Download CSV");
  checkEqual(what, text.split("\r\n").length, 100_002);
}

/** Checks the longest task that `watchLongTasks` has recorded. */
async function checkTasks(what, longest) {
  const task = await longest();
  check(`${what}: ${task.toFixed(0)} ms`, task > 1 && task <= LONGEST_TASK);
}

/** 100,000 addresses to a CSV file, sorted and filtered. The page responds all the time. */
async function responsiveList({ open }) {
  const { page, finish } = await open("geoip?mode=list");
  const before = await memoryOf(page);
  // Locators by role would search the whole page, and this is counted as well.
  const progress = page.locator(".list-progress");
  const rows = page.locator(".list-pages > span");
  const filter = page.locator(".list-filter input");
  const longest = await watchLongTasks(page);
  const started = performance.now();
  await dropFile(page, "long.txt", addressList(100_000).join("\n"));
  await progress.waitFor();
  await progress.waitFor({ state: "detached", timeout: 300_000 });
  await sort(page);
  await filter.fill("germany");
  await rows.filter({ hasNotText: "100,000" }).waitFor();
  await filter.fill("");
  await rows.filter({ hasText: "1–100 of 100,000 rows" }).waitFor();
  await checkSaved(page, "the file has all rows");
  const seconds = (performance.now() - started) / 1_000;
  await checkTasks("the page has tasks, and stays responsive", longest);
  const memory = (await memoryOf(page)) - before;
  console.log(`     100,000 addresses to a CSV file: ${seconds.toFixed(1)} s, ${memory.toFixed(0)} MB`);
  check("the memory is bounded", memory < MOST_MEMORY, `${memory} MB`);
  await finish(/404/);
}

/** A list whose rows are sent one by one, and have pictures: the page responds, also while it is sorted and saved. */
async function listOfCodes({ open }) {
  const { page, finish } = await open("barcode?mode=list");
  const longest = await watchLongTasks(page);
  await dropFile(page, "tables.txt", Array.from({ length: 100_000 }, (_, row) => `Table ${row}`).join("\n"));
  await page.locator(".list-kinds button", { hasText: /\d{3} with a code/ }).waitFor();
  await page.getByText("Cancel", { exact: true }).click();
  await sort(page);
  await checkSaved(page, "the file of a canceled list has all rows");
  await checkTasks("a page with pictures stays responsive", longest);
  await finish();
}

/** A canceled list keeps its results, and the next one starts anew. */
async function canceledList({ open }) {
  const { page, finish } = await open("geoip?mode=list");
  await dropFile(page, "long.txt", addressList(100_000).join("\n"));
  await hasBegun(page);
  await page.getByText("Cancel", { exact: true }).click();
  await page.getByText("Canceled. The results so far are below.").waitFor();
  checkEqual("a canceled list cannot be resumed", await buttonOf(page, "Resume").count(), 0);
  const kinds = await kindsOf(page);
  check("the results so far stay", kinds[0] === "All 100,000" && kinds.length > 1, kinds);
  await dropFile(page, "short.txt", "8.8.8.8\n10.0.0.1");
  await page.getByText("1–2 of 2 rows").waitFor();
  await buttonOf(page, "1 reserved").waitFor();
  checkEqual("another list replaces it", await kindsOf(page), ["All 2", "1 found", "1 reserved"]);
  await finish(/404/);
}

/** A list continues when the service has stopped half way, and is started again. */
async function stoppedService({ open, stop, restart }) {
  const { page, finish } = await open("geoip?mode=list");
  await dropFile(page, "long.txt", addressList(100_000).join("\n"));
  await hasBegun(page);
  await stop();
  const notice = page.getByText(/The service does not respond\. Continues at /);
  await checkShown("the list says that the service does not respond", notice);
  await page.getByText("Stopped before the end of the list.").waitFor({ timeout: 60_000 });
  const kinds = await kindsOf(page);
  check("the results so far stay when the service has stopped", kinds.length > 1, kinds);
  await restart();
  await press(page, "Resume");
  await isComplete(page);
  await checkShown("the list continues", buttonOf(page, "10,000 reserved"));
  await finish(/ERR_CONNECTION|404/);
}

/** A list waits for the rate limit, in batches that it allows. */
async function limitedList({ open }) {
  const { page, finish } = await open("geoip?mode=list");
  await dropFile(page, "list.txt", addressList(250).join("\n"));
  const notice = page.getByText(/The service limits how much it accepts at a time\. Continues at /);
  await checkShown("the list says that it waits for the rate limit", notice);
  await isComplete(page);
  await checkShown("the list is complete", buttonOf(page, "25 reserved"));
  await finish(/4(00|29)/);
}

/** A list is sent with the API key. */
async function listWithKey({ open }, key) {
  const { page, finish } = await open("geoip?mode=list");
  await page.getByLabel("API key", { exact: true }).fill(key);
  await page.keyboard.press("Enter");
  await page.getByRole("form", { name: "List" }).waitFor();
  await dropFile(page, "list.txt", addressList(3_000).join("\n"));
  await checkShown("a list is sent with the API key", buttonOf(page, "300 reserved"));
  await finish(/401/);
}

await inBrowser("long lists", async (browser) => {
  await longList(browser);
  await responsiveList(browser);
  await listOfCodes(browser);
  await canceledList(browser);
  await stoppedService(browser);
});
await inBrowser("lists with a rate limit", limitedList, { RATE_LIMIT: "100/5s" });
await withApiKey("lists with an API key", listWithKey);
conclude();
