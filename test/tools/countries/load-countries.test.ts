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

describe("loadCountriesService", () => {
  it("returns the sources of the committed data", async () => {
    const loaded = await loadCountriesService(paths);
    expect(loaded.ok && loaded.value.service.typeName).toBe("utilitytools.v1.CountriesService");
    expect(loaded.ok && loaded.value.sources?.()).toHaveLength(6);
  });

  it.each([
    ["missing countries", { ...paths, countries: "/nowhere.json" }, "COUNTRY_DATA_UNREADABLE", "/nowhere"],
    ["missing names", { ...paths, names: "/nowhere.json" }, "COUNTRY_DATA_UNREADABLE", "/nowhere"],
    ["missing sources", { ...paths, sources: "/nowhere.json" }, "COUNTRY_DATA_UNREADABLE", "/nowhere"],
    ["broken countries", { ...paths, countries: broken }, "BROKEN_COUNTRY_DATA", broken],
    ["broken names", { ...paths, names: broken }, "BROKEN_COUNTRY_DATA", broken],
    ["broken sources", { ...paths, sources: broken }, "BROKEN_COUNTRY_DATA", broken],
  ])("fails with %s", async (_name, wrong, reason, named) => {
    expect(await loadCountriesService(wrong)).toEqual({
      ok: false,
      failure: { reason, description: expect.stringContaining(named) },
    });
  });
});
