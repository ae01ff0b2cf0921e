import { check } from "../../checks.mjs";
import { json, openPanel } from "../harness.mjs";

/** Searches a country and filters its states. */
export async function visit({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "countries");
  const search = page.getByRole("searchbox").or(page.getByPlaceholder("Name, code or subdivision")).first();
  await search.fill("UK");
  await page.getByText(/^\d of 250$/).waitFor();
  check(
    "a country is found by an abbreviation",
    (await page.getByRole("radio").first().getAttribute("value")) === "GB",
  );
  await search.fill("osterreich");
  await page.getByText(/^1 of 250$/).waitFor();
  const austria = page.getByRole("radio", { name: /Austria/ });
  check(
    "a country is found by its native name without diacritics, which is shown",
    (await page.getByText("Österreich").count()) === 1 && (await austria.count()) === 1,
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
  await search.fill("no such country");
  await page.getByText(/^0 of \d+$/).waitFor();
  check("an empty result is reported", true);
  await finish();
}
