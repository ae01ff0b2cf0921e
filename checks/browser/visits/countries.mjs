import { check, checkEqual } from "../../lib/checks.mjs";
import { checkView, hashOf, json } from "../harness.mjs";

/** Searches a country, filters its states, changes the language, and shades the map by a list. */
export async function visit(browser) {
  await searches(browser);
  await languages(browser);
  await shadedMap(browser);
}

/** Names in another language, in the link too. */
async function languages({ open }) {
  const { page, finish } = await open("countries");
  await page.getByPlaceholder("Name, code or subdivision").fill("モロッコ");
  await page.getByRole("heading", { name: "Morocco (MA)" }).waitFor();
  const facts = await page.getByRole("region", { name: "Morocco" }).innerText();
  const words = ["Drives on the right", "Week starts on\nMonday", "Measures\nMetric", "Coast\nOn the sea"];
  checkEqual(
    "the facts are words",
    words.filter((each) => !facts.includes(each)),
    [],
  );
  await page.getByLabel("Names in").selectOption({ label: "German" });
  await page.getByText("Marokko").first().waitFor();
  // The best match is put into the link when the search in the new language is complete.
  await page.waitForURL((url) => url.hash.startsWith("#/countries/MA")).catch(() => {});
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
  await page
    .getByLabel("Countries with numbers")
    .fill("country,visits\nUS,1200\nGermany,80\nUSA,300\nAtlantis,1");
  await page.getByText("1 line has no known country: line 5 “Atlantis,1”").waitFor();
  const rows = await page.getByRole("table").getByRole("row").allInnerTexts();
  checkEqual(
    "the table has the sums and shares",
    rows.slice(1).map((row) => row.split(/\s*\t\s*/).slice(-2)),
    [
      ["1,500", "94.9 %"],
      ["80", "5.1 %"],
    ],
  );
  const legend = await page.getByRole("list", { name: "Legend" }).getByRole("listitem").allInnerTexts();
  checkEqual("the legend has the numbers", legend, ["80", "1,500"]);
  checkEqual("the map has the shades", await page.locator(".map-shade[d^=M]").count(), 2);
  await checkView(page, "a shaded map");
  await finish();
}

async function searches({ url, open }) {
  const { page, finish } = await open("countries");
  const search = page.getByRole("searchbox").or(page.getByPlaceholder("Name, code or subdivision")).first();
  await search.fill("UK");
  await page.getByText(/^\d of 250$/).waitFor();
  checkEqual(
    "a country is found by an abbreviation",
    await page.getByRole("radio").first().getAttribute("value"),
    "GB",
  );
  await page.getByRole("heading", { name: "United Kingdom" }).waitFor();
  // The page writes the URL when typing has paused.
  await page.waitForURL((url) => url.hash === "#/countries/GB");
  check("the best match is shown, and its URL", true);
  await page.keyboard.press("Escape");
  await page.locator("main h1").click();
  await page.keyboard.press("/");
  await page.keyboard.type("Holland");
  await page.getByRole("heading", { name: "Netherlands" }).waitFor();
  check('"Holland" is found in 2 steps: /, the name', true);
  await search.fill("osterreich");
  const austria = page.getByRole("radio", { name: /Austria/ });
  await page.getByRole("radio", { name: /Netherlands/ }).waitFor({ state: "detached" });
  await austria.waitFor();
  check(
    "a country is found by its native name without diacritics, which is shown",
    (await page.getByRole("radiogroup").getByText("Österreich", { exact: true }).count()) === 1 &&
      (await austria.count()) === 1,
  );
  await austria.check({ force: true });
  await page.getByRole("heading", { name: "Austria" }).waitFor();
  await page.waitForLoadState("networkidle");
  const { states } = await json(`${url}/v1/countries?country=AT`);
  const table = page.getByRole("table");
  check(
    "its states are listed",
    (await table.getByRole("row").count()) === states.length + 1,
    `${states.length}`,
  );
  await page.getByPlaceholder("Filter").fill("tirol");
  await table.getByRole("row").nth(2).waitFor({ state: "detached" });
  check("its states can be filtered", (await table.innerText()).includes("AT-7"));
  const neighbors = page.getByRole("navigation", { name: "Neighbors" });
  await neighbors.getByRole("link", { name: "Slovenia" }).click();
  await page.getByRole("heading", { name: "Slovenia" }).first().waitFor();
  checkEqual("a neighbor is a link", hashOf(page), "#/countries/SI");
  await search.fill("Maroco");
  await page.getByText("Did you mean Maroc, Morocco?").waitFor();
  check("a typing error has a suggestion", true);
  await search.fill("no such country");
  await page.getByText(/^0 of \d+$/).waitFor();
  await page.getByRole("heading", { name: "No country matches “no such country”" }).waitFor();
  checkEqual("an empty result clears the detail", await page.getByText("Tirol").count(), 0);
  checkEqual(
    "an empty result says what can be searched",
    await page.getByText("You can search for").count(),
    1,
  );
  await finish();
}
