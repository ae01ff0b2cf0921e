import { check, checkEqual } from "../../lib/checks.mjs";
import { hashOf, json } from "../harness.mjs";

/** Searches a country and filters its states. */
export async function visit({ url, open }) {
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
