import { check } from "../../lib/checks.mjs";
import { json, openPanel, shownResponse } from "../harness.mjs";
import { checkView, download, dropFile, heapOf, startTask, watchLongTasks } from "../tasks.mjs";

/** Looks up the client's own address, one address, and lists. */
export async function visit(browser) {
  await ownAddress(browser);
  await oneAddress(browser);
  await shareLink(browser);
  await smallList(browser);
  await viewList(browser);
  await csvToCsv(browser);
  await longList(browser);
}

/** The panel opens with the client's own address, or says why it has no location. */
async function ownAddress({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  const task = startTask("see my own address");
  await task.step(openPanel(page, url, "geoip"));
  const note = page.getByRole("region", { name: "Your address" });
  await note.waitFor();
  task.end();
  const text = await note.innerText();
  check(
    "a special-purpose address of the client is explained, with an example",
    /same computer.*127\.0\.0\.0\/8.*Here is 8\.8\.8\.8/s.test(text),
    text,
  );
  const location = page.getByRole("region", { name: "Location" });
  await location.getByRole("heading", { name: "Mountain View" }).waitFor();
  check("the address of the link is not that of the example", page.url().endsWith("#/geoip"));

  // As from a public address: with the response for another address, whose encoding is the same.
  await page.route("**/utilitytools.v1.GeoIpService/LookupSelf", async (route) => {
    const ip = "193.0.6.139";
    const body = Buffer.from([0x0a, ip.length, ...Buffer.from(ip), 0x10, 2]);
    const headers = { "content-type": "application/proto", "connect-protocol-version": "1" };
    const response = await fetch(`${url}/utilitytools.v1.GeoIpService/LookupIp`, {
      method: "POST",
      headers,
      body,
    });
    await route.fulfill({
      contentType: "application/proto",
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
  await page.reload();
  await location.getByRole("heading", { name: /Amsterdam/ }).waitFor();
  check(
    "a public address of the client is located",
    (await note.count()) === 0 &&
      (await page.getByRole("textbox", { name: "IP address", exact: true }).inputValue()) === "193.0.6.139",
  );

  // Typed before the response arrives.
  let respond = () => undefined;
  const isTyped = new Promise((resolve) => {
    respond = resolve;
  });
  await page.route("**/utilitytools.v1.GeoIpService/LookupSelf", async (route) => {
    await isTyped;
    await route.fallback();
  });
  await page.reload();
  const field = page.getByRole("textbox", { name: "IP address", exact: true });
  await field.pressSequentially("1.1");
  respond();
  await location.getByRole("heading", { name: /Amsterdam/ }).waitFor();
  check("the response does not replace what was typed", (await field.inputValue()) === "1.1");
  await page.getByRole("button", { name: "My address" }).click();
  await page.waitForFunction(
    () => document.querySelector("main form input")?.value === "193.0.6.139",
    undefined,
    { timeout: 5_000 },
  );
  check("the button fills in the own address", (await field.inputValue()) === "193.0.6.139");
  await finish((complaint) => complaint.includes("404"));
}

/** One address: typed, from an example, reserved, and invalid. */
async function oneAddress({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "geoip");
  const address = page.getByRole("textbox", { name: "IP address", exact: true });
  await address.fill("193.0.6.139");
  await page.getByRole("button", { name: "Look up", exact: true }).click();
  const expected = await json(`${url}/v1/geoIp?ip_address=193.0.6.139&view=full`);
  await page.getByRole("region", { name: "Location" }).getByText(expected.metadata.asn_name).waitFor();
  check(
    "the response is that of the service",
    JSON.stringify(await shownResponse(page, "LookupIp")) === JSON.stringify(expected),
  );
  const facts = await page.getByRole("region", { name: "Location" }).innerText();
  const { city, region_code, time_zone } = expected.metadata.details;
  check(
    "the details are shown, and those that are unknown are not",
    [city, region_code, time_zone].every((value) => value !== "" && facts.includes(value)) &&
      !facts.includes("Postal code"),
    facts,
  );
  const map = page.getByRole("img", { name: /^Map: Netherlands, 52\.\d° N, 4\.\d° E$/ });
  check("the map has a description", (await map.count()) === 1);

  await page.getByRole("button", { name: "192.168.1.1" }).click();
  await page.getByText("Private-Use").first().waitFor();
  const rfc = page.getByRole("link", { name: /RFC 1918/ });
  check("a reserved range is explained", /rfc1918/.test((await rfc.first().getAttribute("href")) ?? ""));
  await page.goBack();
  await page.getByRole("heading", { name: city }).waitFor();
  check("the back button shows the address before", (await address.inputValue()) === "193.0.6.139");
  await page.getByRole("button", { name: "My address" }).click();
  await page.getByRole("region", { name: "Your address" }).waitFor();
  check("the client's own address is one click away", page.url().endsWith("#/geoip"));
  await address.fill("8.8.8.0/24");
  await page.getByRole("button", { name: "Look up", exact: true }).click();
  await page
    .getByText(/must not have a prefix length: use 8\.8\.8\.0/)
    .first()
    .waitFor();
  check("an invalid address is marked as invalid", (await address.getAttribute("aria-invalid")) === "true");
  await finish((complaint) => /40[04]/.test(complaint));
}

/** A copied link shows the same address elsewhere. */
async function shareLink({ url, open }) {
  const { context, finish } = await open();
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  const page = await context.newPage();
  await openPanel(page, url, "geoip");
  const task = startTask("share a link to an address");
  await task.step(
    page.getByRole("textbox", { name: "IP address", exact: true }).fill("2001:4860:4860::8888"),
  );
  await task.step(page.keyboard.press("Enter"));
  const location = page.getByRole("region", { name: "Location" });
  await location.getByText("2001:4860:4860::8888").first().waitFor();
  await task.step(page.getByRole("button", { name: /link to this page/ }).click());
  const link = await page.evaluate(() => navigator.clipboard.readText());
  task.end();
  const other = await context.newPage();
  await other.goto(link);
  await other.getByRole("region", { name: "Location" }).getByText("2001:4860:4860::8888").first().waitFor();
  check("the link opens the address", link === `${url}/#/geoip/2001:4860:4860::8888`, link);
  await finish((complaint) => complaint.includes("404"));
}

/** A pasted list: sorted, filtered, and kept while one address is shown. */
async function smallList({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "geoip");
  await page.getByRole("tab", { name: "List" }).click();
  check("the list has a link", page.url().endsWith("#/geoip?mode=list"), page.url());
  await page.getByRole("textbox").first().fill("10.0.0.1\n9.9.9.9, 1.1.1.1\nnonsense\n2001:4860:4860::8888");
  await page.getByRole("button", { name: "Look up", exact: true }).click();
  const rows = page.getByRole("table").getByRole("row");
  await rows.filter({ hasText: "nonsense" }).waitFor();
  const first = () => rows.locator("th[scope=row]").allInnerTexts();
  check(
    "each address has its result or its error, in order",
    /RFC 1918/.test(await rows.nth(1).innerText()) &&
      /Cloudflare/.test(await rows.nth(3).innerText()) &&
      (await first()).join() === "10.0.0.1,9.9.9.9,1.1.1.1,nonsense,2001:4860:4860::8888",
    (await first()).join(),
  );
  const kinds = await page.getByRole("group", { name: "Show" }).getByRole("button").allInnerTexts();
  check("the results are counted", kinds.join() === "All 5,3 found,1 reserved,1 invalid", kinds.join());
  await page.getByRole("button", { name: "3 found" }).click();
  await page.getByRole("button", { name: "Address", exact: true }).click();
  check(
    "rows are filtered and sorted",
    (await first()).join() === "1.1.1.1,9.9.9.9,2001:4860:4860::8888",
    (await first()).join(),
  );
  await page.getByRole("searchbox", { name: "Filter the rows" }).fill("quad9");
  await page.getByText("1–1 of 1 rows").waitFor();
  await page.getByRole("link", { name: "9.9.9.9" }).click();
  await page.getByRole("heading", { name: /Berkeley/ }).waitFor();
  await page.goBack();
  await page.getByText("1–1 of 1 rows").waitFor();
  check("the list keeps its results while one address is shown", (await first()).join() === "9.9.9.9");
  await finish((complaint) => complaint.includes("404"));
}

/** A list is accessible and fits a phone, as a table and as a file. */
async function viewList({ url, open }) {
  for (const colorScheme of ["light", "dark"]) {
    const { context, finish } = await open({ colorScheme, bypassCSP: true, reducedMotion: "reduce" });
    const page = await context.newPage();
    await openPanel(page, url, "geoip?mode=list");
    await page.getByRole("textbox").first().fill("name,ip\nJane,8.8.8.8\nJoe,10.0.0.1\nJim,nonsense");
    await page.getByRole("button", { name: "Look up", exact: true }).click();
    await page.getByText("1–3 of 3 rows").waitFor();
    await checkView(page, `a table, ${colorScheme}`);
    await dropFile(page, "addresses.txt", `${"8.8.8.8\n".repeat(150)}9.9.9.9`);
    await page.getByText("1–100 of 151 rows").waitFor();
    await checkView(page, `a file, ${colorScheme}`);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("101–151 of 151 rows").waitFor();
    await finish();
  }
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "geoip?mode=list");
  await dropFile(page, "empty.txt", "\n");
  await page.getByText("The file is empty.").waitFor();
  await dropFile(page, "sheet.xlsx", "PK\u0003\u0004\0\0");
  await page.getByText("sheet.xlsx is not a text file. In a spreadsheet, save it as CSV first.").waitFor();
  await dropFile(page, "long.txt", "8.8.8.8\n".repeat(100_001));
  await page.getByText(/The list has 100,001 rows; the page accepts 100,000/).waitFor();
  check(
    "a file that cannot be used is explained",
    await page.getByRole("button", { name: "Look up" }).isDisabled(),
  );
  await finish((complaint) => complaint.includes("404"));
}

/** Random public IPv4 addresses, and every tenth line a reserved one. Always the same, by a linear congruential generator. */
function addressList(count) {
  let state = 42;
  return Array.from({ length: count }, (_, index) => {
    const bytes = Array.from({ length: 3 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    });
    return index % 10 === 9 ? `10.${bytes.join(".")}` : `${20 + (index % 80)}.${bytes.join(".")}`;
  });
}

/** A table with 100 addresses becomes a table with their locations. */
async function csvToCsv({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  const addresses = addressList(100);
  const records = addresses.map((address, index) => `${index},"Doe, ""J""",${address},=1+1`);
  await openPanel(page, url, "geoip");
  const task = startTask("100 addresses from CSV to CSV");
  await task.step(page.getByRole("tab", { name: "List" }).click());
  await page.getByRole("form", { name: "List" }).waitFor();
  await task.step(dropFile(page, "visits.csv", `\uFEFFid,name,ip,note\r\n${records.join("\r\n")}\r\n`));
  await page.getByText("of 100 rows").waitFor();
  const { name, text } = await task.step(download(page, "Download CSV"));
  task.end();
  const { results } = await json(`${url}/v1/geoIp:batch`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ip_addresses: addresses, view: "full" }),
  });
  const quote = (value) => (/[",]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value);
  const expected = results.map(({ answer, error }, index) => {
    const { location, details, coords, asn, asn_name, subnet } = answer?.metadata ?? {};
    const isKnown = coords !== undefined && (coords.lat !== 0 || coords.lon !== 0);
    const values =
      answer === undefined
        ? Array(12).fill("")
        : [
            location.country,
            details.country_name,
            details.region,
            details.city,
            details.postal_code,
            isKnown ? coords.lat : "",
            isKnown ? coords.lon : "",
            details.time_zone,
            location.eu,
            asn || "",
            asn_name,
            subnet,
          ];
    return [records[index].replace(/=1\+1$/, "'=1+1"), ...[...values, error?.message ?? ""].map(quote)].join(
      ",",
    );
  });
  const [header, ...rows] = text
    .replace(/^\uFEFF/, "")
    .trimEnd()
    .split("\r\n");
  check(
    "the file has the columns of the list and of the results",
    name === "geoip.csv" &&
      header ===
        "id,name,ip,note,country,country_name,region,city,postal_code,latitude,longitude,time_zone,eu,asn,asn_name,subnet,error",
    `${name} ${header}`,
  );
  const wrong = rows.findIndex((row, index) => row !== expected[index]);
  check(
    "each of 100 rows is that of the service",
    rows.length === 100 && wrong === -1,
    `${rows[wrong]} instead of ${expected[wrong]}`,
  );
  const asJson = JSON.parse((await download(page, "JSON")).text);
  check(
    "the JSON has the same rows",
    asJson.length === 100 && asJson[0].note === "=1+1" && asJson[0].asn === results[0].answer.metadata.asn,
  );
  await finish((complaint) => complaint.includes("404"));
}

/** The longest time without a response to the user that the test accepts, in milliseconds. A slow, busy machine needs a multiple. */
const LONGEST_TASK = 3_000;

/** The largest heap that the test accepts, in megabytes. */
const LARGEST_HEAP = 200;

/** A list of 100,000 addresses keeps the page responsive, and can be stopped and continued. */
async function longList({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "geoip?mode=list");
  const before = await heapOf(page);
  const longest = await watchLongTasks(page);
  const figures = {};
  const start = performance.now();
  await dropFile(page, "long.txt", addressList(100_000).join("\n"));
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped before the end of the list.").waitFor();
  const stopped = await page.getByRole("group", { name: "Show" }).getByRole("button").allInnerTexts();
  check(
    "a list can be stopped",
    stopped[0] === "All 100,000" && !stopped.includes("10,000 reserved"),
    stopped.join(),
  );
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Stopped before").waitFor({ state: "hidden" });
  await page.getByRole("progressbar").waitFor({ state: "hidden", timeout: 300_000 });
  await page.getByText(/^1–100 of 100,000 rows$/).waitFor();
  const seconds = (performance.now() - start) / 1_000;
  figures.lookUp = await longest();
  const kinds = await page.getByRole("group", { name: "Show" }).getByRole("button").allInnerTexts();
  const counts = kinds.map((kind) => Number(kind.replace(/\D/g, "")));
  check(
    "100,000 addresses have results",
    kinds[0] === "All 100,000" &&
      kinds.some((kind) => kind === "10,000 reserved") &&
      counts.slice(1).reduce((sum, count) => sum + count, 0) === 100_000,
    kinds.join(),
  );
  check("the page shows 100 rows", (await page.getByRole("table").getByRole("row").count()) === 101);
  await page.getByRole("button", { name: "Address", exact: true }).click();
  await page.locator("th[aria-sort=ascending]").waitFor();
  figures.sort = await longest();
  await page.getByRole("searchbox", { name: "Filter the rows" }).fill("germany");
  await page.getByText(/^1–100 of 100,000 rows$/).waitFor({ state: "hidden" });
  figures.filter = await longest();
  await page.getByRole("searchbox", { name: "Filter the rows" }).fill("");
  await page.getByText(/^1–100 of 100,000 rows$/).waitFor();
  figures.reset = await longest();
  const { text } = await download(page, "Download CSV");
  figures.download = await longest();
  check("the file has all rows", text.split("\r\n").length === 100_002);
  const heap = (await heapOf(page)) - before;
  const tasks = Object.entries(figures).map(([name, ms]) => `${name} ${Math.round(ms)}`);
  console.log(
    `     100,000 addresses: ${seconds.toFixed(1)} s; longest tasks in ms: ${tasks.join(", ")}; heap +${heap.toFixed(0)} MB`,
  );
  check("the page stays responsive", Math.max(...Object.values(figures)) < LONGEST_TASK, tasks.join());
  check("the memory is bounded", heap < LARGEST_HEAP, `${heap} MB`);
  await finish((complaint) => complaint.includes("404"));
}
