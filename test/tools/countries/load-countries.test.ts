import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { defaultCountriesPaths, loadCountriesService } from "../../../src/tools/countries/load-countries.js";

const folder = mkdtempSync(join(tmpdir(), "countries-"));
afterAll(() => rmSync(folder, { recursive: true }));
const broken = join(folder, "broken.json");
writeFileSync(broken, "{}");
const paths = defaultCountriesPaths();

describe("the countries service", () => {
  it("tells what the committed data is made of", async () => {
    const loaded = await loadCountriesService(paths);
    expect(loaded.ok && loaded.value.service.typeName).toBe("utilitytools.v1.CountriesService");
    expect(loaded.ok && loaded.value.sources?.()).toHaveLength(4);
  });

  it.each([
    [
      "countries that are missing",
      { ...paths, countries: "/nowhere.json" },
      "COUNTRY_DATA_UNREADABLE",
      "/nowhere",
    ],
    [
      "sources that are missing",
      { ...paths, sources: "/nowhere.json" },
      "COUNTRY_DATA_UNREADABLE",
      "/nowhere",
    ],
    ["broken countries", { ...paths, countries: broken }, "BROKEN_COUNTRY_DATA", broken],
    ["broken sources", { ...paths, sources: broken }, "BROKEN_COUNTRY_DATA", broken],
  ])("is not made of %s", async (_name, wrong, reason, named) => {
    expect(await loadCountriesService(wrong)).toEqual({
      ok: false,
      failure: { reason, description: expect.stringContaining(named) },
    });
  });
});
