import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code } from "@connectrpc/connect";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { afterAll, describe, expect, it } from "vitest";
import {
  countryDataProblems,
  defaultCountriesPaths,
  loadCountriesService,
} from "../../../src/tools/countries/load-countries.js";
import { callUnary } from "../call.js";

const folder = mkdtempSync(join(tmpdir(), "countries-"));
afterAll(() => rmSync(folder, { recursive: true }));
const broken = join(folder, "broken.json");
writeFileSync(broken, "{}");
const paths = defaultCountriesPaths();

describe("loadCountriesService", () => {
  it("returns the sources of the committed data", async () => {
    const loaded = await loadCountriesService(paths);
    expect(loaded.ok && loaded.value.service.typeName).toBe("utilitytools.v1.CountriesService");
    expect(loaded.ok && loaded.value.sources?.()).toHaveLength(11);
  });

  it.each([
    ["missing countries", { ...paths, countries: "/nowhere.json" }, "COUNTRY_DATA_UNREADABLE", "/nowhere"],
    ["missing names", { ...paths, names: "/nowhere.json" }, "COUNTRY_DATA_UNREADABLE", "/nowhere"],
    ["missing sources", { ...paths, sources: "/nowhere.json" }, "COUNTRY_DATA_UNREADABLE", "/nowhere"],
    ["broken countries", { ...paths, countries: broken }, "BROKEN_COUNTRY_DATA", broken],
    ["broken sources", { ...paths, sources: broken }, "BROKEN_COUNTRY_DATA", broken],
  ])("fails with %s", async (_name, wrong, reason, named) => {
    expect(await loadCountriesService(wrong)).toEqual({
      ok: false,
      failure: { reason, description: expect.stringContaining(named) },
    });
  });

  it("loads the names when a search needs them", async () => {
    const search = async (names: string) => {
      const loaded = await loadCountriesService({ ...paths, names });
      if (!loaded.ok) {
        throw new Error(loaded.failure.description);
      }
      const { searchCountries } = CountriesService.method;
      return callUnary(
        loaded.value,
        searchCountries,
        { query: "Alemania" },
        { baseUrl: "https://tools.example" },
      );
    };
    expect((await search(paths.names)).matches[0]?.country?.code2).toBe("DE");
    await expect(search(broken)).rejects.toMatchObject({
      code: Code.Unavailable,
      rawMessage: expect.stringMatching(/^the country data broken\.json: /),
    });
  });
});

describe("countryDataProblems", () => {
  it("finds none in the installed files", async () => {
    expect(await countryDataProblems()).toEqual([]);
  });

  it("describes each file that is missing, cut or of another shape", async () => {
    const cut = join(folder, "cut.json");
    writeFileSync(cut, readFileSync(paths.names, "utf8").slice(0, 1_000));
    expect(await countryDataProblems({ countries: "/nowhere.json", names: cut, sources: broken })).toEqual([
      expect.stringMatching(/^the country data \/nowhere\.json cannot be read: ENOENT/),
      expect.stringMatching(`^the country data ${cut} cannot be read: .*JSON`),
      expect.stringMatching(`^the country data ${broken}: `),
    ]);
  });
});
