import { checkEqual } from "connect-transcoding-testing/checks.mjs";
import { checkShown, checkView, hashOf, json } from "../harness.mjs";
import { rowsOf } from "../lists.mjs";

/** Searches a country, opens it, filters its states, changes the language, and shades the map by a list. */
export async function visit(browser) {
  await searches(browser);
  await languages(browser);
  await shadedMap(browser);
}

/** Names in another language, in the link too. */
async function languages({ open }) {
  const { page, finish } = await open("countries");
  await page.getByPlaceholder("Name, code or subdivision").fill("モロッコ");
  await page.getByRole("link", { name: "Morocco" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Morocco (MA)" }).waitFor();
  await page.getByLabel("Names in").selectOption({ label: "German" });
  await page.getByText("Marokko").first().waitFor();
  checkEqual("the link has the language", hashOf(page), "#/countries/MA?language=de");
  const neighbors = page.getByRole("navigation", { name: "Neighbors" });
  await neighbors.getByRole("link", { name: "Algerien" }).click();
  await page.getByRole("heading", { name: "Algeria" }).waitFor();
  checkEqual("the language stays", hashOf(page), "#/countries/DZ?language=de");
  await finish();
}

/** A list of the user shades the map. */
async function shadedMap({ open }) {
  const { page, finish } = await open("countries?mode=map", { bypassCSP: true });
  const list = "country,visits\nUS,1200\nGermany,80\nUSA,300\nAtlantis,1";
  await page.getByLabel("Countries with numbers").fill(list);
  await page.getByText("1 line has no known country: line 5 “Atlantis,1”").waitFor();
  const rows = (await rowsOf(page).allInnerTexts()).map((row) => row.split(/\s*\t\s*/).slice(-2));
  checkEqual("the table has the sums and shares", rows.slice(1), [
    ["1,500", "94.9 %"],
    ["80", "5.1 %"],
  ]);
  const legend = await page.getByRole("list", { name: "Legend" }).getByRole("listitem").allInnerTexts();
  checkEqual("the legend has the numbers", legend, ["Number", "80", "1,500"]);
  checkEqual("the map has the shades", await page.locator(".map-shade[d^=M]").count(), 2);
  await checkView(page, "a shaded map");
  await finish();
}

async function searches({ url, open }) {
  const { page, finish } = await open("countries", { bypassCSP: true });
  const search = page.getByRole("searchbox").or(page.getByPlaceholder("Name, code or subdivision")).first();
  const found = page.getByRole("list", { name: "Countries" }).getByRole("link");
  await search.fill("UK");
  await page.getByText(/^\d of 250$/).waitFor();
  const first = await found.first().getAttribute("href");
  checkEqual("a country is found by an abbreviation", first, "#/countries/GB");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "United Kingdom" }).waitFor();
  checkEqual("Enter opens the best match", hashOf(page), "#/countries/GB");
  await page.getByRole("link", { name: "All countries" }).click();
  await page.getByRole("heading", { name: "Countries", exact: true }).waitFor();
  checkEqual("the search stays", await search.inputValue(), "UK");
  await search.press("Escape");
  await search.fill("");
  await page.locator("main h1").click();
  await page.keyboard.press("/");
  await page.keyboard.type("Holland");
  const netherlands = found.filter({ hasText: "Netherlands" });
  await checkShown('"Holland" is found in 2 steps: /, the name', netherlands);
  await search.fill("osterreich");
  const austria = found.filter({ hasText: "Austria" });
  await netherlands.waitFor({ state: "detached" });
  await checkShown("a country is found by its native name without diacritics", austria);
  checkEqual("the native name is shown", await found.getByText("Österreich", { exact: true }).count(), 1);
  await austria.click();
  await page.getByRole("heading", { name: "Austria" }).waitFor();
  await page.waitForLoadState("networkidle");
  const { states } = await json(`${url}/v1/countries?country=AT`);
  const listed = page.getByRole("region", { name: `${states.length} states` }).getByRole("listitem");
  checkEqual("its states are listed", await listed.count(), states.length);
  await page.getByPlaceholder("Filter by name or code").fill("tirol");
  await listed.nth(1).waitFor({ state: "detached" });
  checkEqual("its states can be filtered", await listed.getByText("AT-7").count(), 1);
  await checkView(page, "a country");
  const neighbors = page.getByRole("navigation", { name: "Neighbors" });
  await neighbors.getByRole("link", { name: "Slovenia" }).click();
  await page.getByRole("heading", { name: "Slovenia" }).first().waitFor();
  checkEqual("a neighbor is a link", hashOf(page), "#/countries/SI");
  checkEqual("a country begins at its top", await page.evaluate(() => scrollY), 0);
  await page.getByRole("link", { name: "All countries" }).click();
  await page.getByRole("heading", { name: "Countries", exact: true }).waitFor();
  await search.fill("Maroco");
  await checkShown("a typing error has a suggestion", page.getByText("Did you mean Maroc, Morocco?"));
  await search.fill("no such country");
  await page.getByText(/^0 of \d+$/).waitFor();
  await page.getByRole("heading", { name: "No country matches “no such country”" }).waitFor();
  await checkShown("an empty result says what can be searched", page.getByText("You can search for"));
  await finish();
}
