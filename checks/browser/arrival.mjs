// Visits while the script of the page, or the service, is not there.
import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import { checkShown, fieldOf, HOSTS, panelIds } from "./harness.mjs";

/** The first visit, of the home, logs nothing: on this computer, and on a private network. */
export async function firstVisit(browser) {
  await visitFirst(browser, undefined, 0);
  await visitFirst(browser, HOSTS.network, 1);
}

async function visitFirst({ url, open }, host, notes) {
  const { page, finish } = await open(undefined, { host });
  const logged = [];
  page.on("console", (message) => logged.push(message.text()));
  await page.goto(host === undefined ? url : url.replace(new URL(url).hostname, host));
  await checkShown("the home has its tools", page.getByRole("main").getByRole("link", { name: "Geo IP" }));
  await page.waitForLoadState("networkidle");
  const note = page.getByText("You are on a private network, so your address has no place.");
  checkEqual("an own address without a place takes one line, or none", await note.count(), notes);
  checkEqual(
    "the first visit logs nothing",
    logged.filter((each) => !each.startsWith("Service Worker registration blocked by Playwright")),
    [],
  );
  await finish();
}

/** Before any script of the page arrives, the header is there, and the input of the home keeps what is typed. */
export async function firstPaint({ url, open }) {
  const { page, finish } = await open(undefined, { colorScheme: "light" });
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.addInitScript(() => localStorage.setItem("utility-tools.theme", "dark"));
  await page.route("**/workbench/index-*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${url}/`, { waitUntil: "commit" });
  const links = page.getByRole("navigation", { name: "Tools" }).getByRole("link");
  await links.first().waitFor();
  checkEqual("the navigation is in the HTML", await links.count(), 5);
  const field = fieldOf(page, "Look up");
  await field.pressSequentially("8.8.8.8");
  const scheme = await page.evaluate(() => getComputedStyle(document.body).colorScheme);
  checkEqual("the chosen theme is there from the start", scheme, "dark");
  release();
  await page.getByText("Mountain View, California").waitFor();
  checkEqual("what was typed early is looked up", await field.inputValue(), "8.8.8.8");
  check("and stays focused", await field.evaluate((element) => element === document.activeElement));
  const fresh = await open();
  await fresh.page.route("**/workbench/index-*.js", () => {});
  await fresh.page.goto(`${url}/#/otp`, { waitUntil: "commit" });
  await fresh.page.getByText("Loading …").waitFor({ state: "attached" });
  checkEqual("other panels begin without that input", await fieldOf(fresh.page, "Look up").count(), 0);
  await fresh.context.close();
  await finish();
}

/** After the first visit, every panel opens without the service, and says that answers need it. */
export async function withoutService({ url, open, stop, restart }) {
  const { page, finish } = await open("home", { serviceWorkers: "allow" });
  const ids = await panelIds(page);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await stop();
  for (const id of ids) {
    await page.goto("about:blank");
    await page.goto(`${url}/?${id}#/${id}`);
    await page.locator("main h1").waitFor();
    await page.getByText("The service does not respond", { exact: true }).waitFor();
    const waiting = await page.locator(".answer-hint:empty:visible, .skeleton:visible").count();
    checkEqual(`${id} opens, and nothing looks as if an answer were on its way`, waiting, 0);
  }
  await page.goto(`${url}/?again#/countries/FR`);
  await page.getByText("The service does not respond", { exact: true }).waitFor();
  await restart();
  await checkShown("the page continues when the service is back", page.getByText("The French Republic"));
  await finish(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
}
