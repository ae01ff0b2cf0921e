// Long lists in the page: how long it does not respond, and what happens when the service limits, stops or rejects requests.
import { check, checkEqual, conclude } from "../lib/checks.mjs";
import { inBrowser, press, withApiKey } from "./harness.mjs";
import { addressList, download, dropFile, memoryOf, watchLongTasks } from "./lists.mjs";

/** The longest time without a response to the user that the check accepts, in milliseconds of processor time. */
const LONGEST_TASK = 200;

/** How much the process of a page may grow for a list of 100,000 rows, in megabytes. The rows and results are a fifth of it. */
const MOST_MEMORY = 400;

const buttonOf = (page, name) => page.getByRole("button", { name, exact: true });
const progressOf = (page) => page.getByRole("region", { name: "Progress" });
const kindsOf = (page) => page.getByRole("group", { name: "Show" }).getByRole("button").allInnerTexts();

/** Waits until a list is complete. */
const isComplete = (page) => progressOf(page).waitFor({ state: "detached", timeout: 300_000 });

/** A long list can be paused and resumed, and its results are complete. */
async function longList({ open }) {
  const { page, finish } = await open("geoip?mode=list");
  await dropFile(page, "long.txt", addressList(100_000).join("\n"));
  await page.getByText(/ left$/).waitFor();
  check("the time that is left is estimated", true);
  await press(page, "Pause");
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
  const errors = page.getByRole("region", { name: "First errors" }).getByRole("listitem");
  checkEqual(
    "the error of many rows is on top once",
    (await errors.allInnerTexts()).map((text) => text.slice(0, 36)),
    ["10,000 rows, the first is row 10: 10"],
  );
  checkEqual("the page shows 100 rows", await page.getByRole("table").getByRole("row").count(), 101);
  await finish(/404/);
}

/** 100,000 addresses to a CSV file, sorted and filtered. The page responds all the time. */
async function responsiveList({ open }) {
  const { page, finish } = await open("geoip?mode=list");
  const before = await memoryOf(page);
  // Locators by role would search the whole page, and this is counted as well.
  const progress = page.locator(".list-progress");
  const rows = page.locator(".list-pages > span");
  const longest = await watchLongTasks(page);
  const started = performance.now();
  await dropFile(page, "long.txt", addressList(100_000).join("\n"));
  await progress.waitFor();
  await progress.waitFor({ state: "detached", timeout: 300_000 });
  await page.locator(".list-sort").first().click();
  await page.locator("th[aria-sort=ascending]").waitFor();
  await page.locator(".list-filter input").fill("germany");
  await rows.filter({ hasNotText: "100,000" }).waitFor();
  await page.locator(".list-filter input").fill("");
  await rows.filter({ hasText: "1–100 of 100,000 rows" }).waitFor();
  const { text } = await download(page, "Download CSV");
  const seconds = (performance.now() - started) / 1_000;
  const [task, memory] = [await longest(), (await memoryOf(page)) - before];
  checkEqual("the file has all rows", text.split("\r\n").length, 100_002);
  console.log(
    `     100,000 addresses to a CSV file: ${seconds.toFixed(1)} s, longest task ${task.toFixed(0)} ms, ${memory.toFixed(0)} MB`,
  );
  check("the page has tasks, and stays responsive", task > 1 && task <= LONGEST_TASK, `${task} ms`);
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
  await page.locator(".list-sort").first().click();
  await page.locator("th[aria-sort=ascending]").waitFor();
  const { text } = await download(page, "Download CSV");
  const task = await longest();
  console.log(`     100,000 codes, canceled: longest task ${task.toFixed(0)} ms`);
  checkEqual("the file of a canceled list has all rows", text.split("\r\n").length, 100_002);
  check("a page with pictures stays responsive", task > 1 && task <= LONGEST_TASK, `${task} ms`);
  await finish();
}

/** A canceled list keeps its results, and the next one starts anew. */
async function canceledList({ open }) {
  const { page, finish } = await open("geoip?mode=list");
  await dropFile(page, "long.txt", addressList(50_000).join("\n"));
  await page.getByRole("button", { name: /\d found$/ }).waitFor();
  await press(page, "Cancel");
  await page.getByText("Canceled. The results so far are below.").waitFor();
  checkEqual("a canceled list cannot be resumed", await buttonOf(page, "Resume").count(), 0);
  const kinds = await kindsOf(page);
  check("the results so far stay", kinds[0] === "All 50,000" && kinds.length > 1, kinds);
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
  await page.getByRole("button", { name: /\d found$/ }).waitFor();
  await stop();
  await page.getByText(/The service does not respond\. Continues at /).waitFor();
  check("the list says that the service does not respond", true);
  await page.getByText("Stopped before the end of the list.").waitFor({ timeout: 60_000 });
  const kinds = await kindsOf(page);
  check("the results so far stay when the service has stopped", kinds.length > 1, kinds);
  await restart();
  await press(page, "Resume");
  await isComplete(page);
  await buttonOf(page, "10,000 reserved").waitFor();
  check("the list continues", true);
  await finish(/ERR_CONNECTION|404/);
}

/** A list waits for the rate limit, in batches that it allows. */
async function limitedList({ open }) {
  const { page, finish } = await open("geoip?mode=list");
  await dropFile(page, "list.txt", addressList(250).join("\n"));
  await page.getByText(/The service limits how much it accepts at a time\. Continues at /).waitFor();
  check("the list says that it waits for the rate limit", true);
  await isComplete(page);
  await buttonOf(page, "25 reserved").waitFor();
  check("the list is complete", true);
  await finish(/4(00|29)/);
}

/** A list is sent with the API key. */
async function listWithKey({ open }, key) {
  const { page, finish } = await open("geoip?mode=list");
  await page.getByLabel("API key", { exact: true }).fill(key);
  await page.keyboard.press("Enter");
  await page.getByRole("form", { name: "List" }).waitFor();
  await dropFile(page, "list.txt", addressList(3_000).join("\n"));
  await buttonOf(page, "300 reserved").waitFor();
  check("a list is sent with the API key", true);
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
