import { describe, expect, it } from "vitest";
import type { State } from "../../src/tools/countries/country.js";
import { loadCountries } from "./load-countries.js";

const countries = loadCountries();
const states = countries.flatMap((country) => country.states);
const byCode = new Map(states.map((state) => [state.code, state]));

function statesOf(code2: string): readonly State[] {
  return countries.find((country) => country.code2 === code2)?.states ?? [];
}

/** Returns `code name` of each state of one level. */
function firstLevel(code2: string): string[] {
  return statesOf(code2)
    .filter(({ parent }) => parent === "")
    .map(({ code, name }) => `${code.slice(3)} ${name}`);
}

describe("all states", () => {
  it("have the expected counts", () => {
    expect(states).toHaveLength(5021);
    expect(countries.filter((country) => country.states.length > 0)).toHaveLength(200);
  });

  it("have a type", () => {
    expect(states.filter(({ type }) => type === "")).toEqual([]);
    expect(states.filter(({ type }) => type !== type.toLowerCase())).toEqual([]);
  });

  it("have well-formed, unique codes of their country, in order", () => {
    expect(byCode.size).toBe(states.length);
    for (const { code2, states } of countries) {
      const codes = states.map(({ code }) => code);
      expect(codes.filter((code) => !/^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(code))).toEqual([]);
      expect(codes.filter((code) => code.slice(0, 3) !== `${code2}-`)).toEqual([]);
      expect(codes).toEqual([...codes].sort());
    }
  });

  it("have parents in the same country, with at most three levels", () => {
    const level = (code: string): number => {
      const { parent } = byCode.get(code) ?? { parent: "missing" };
      expect(parent === "" || parent.startsWith(code.slice(0, 3)), code).toBe(true);
      return parent === "" ? 1 : 1 + level(parent);
    };
    const levels = states.map(({ code }) => level(code));
    const count = (wanted: number) => levels.filter((found) => found === wanted).length;
    // The third level: the two departments of Alsace.
    expect([count(1), count(2), count(3)]).toEqual([3565, 1454, 2]);
  });

  it("have clean names", () => {
    const clean = /^[\p{L}‘’'][\p{L}\p{M}\u200c '’ʻ‘ʼ./,&-]*$/u;
    const odd = (name: string) =>
      name !== name.normalize("NFC").trim() || / {2}/.test(name) || !clean.test(name);
    expect(states.filter(({ name }) => odd(name)).map(({ code, name }) => [code, name])).toEqual([]);
    const natives = states.filter(({ nativeName }) => nativeName !== "");
    expect(natives.filter(({ nativeName }) => odd(nativeName)).map(({ code }) => code)).toEqual([]);
    expect(states.filter(({ name, nativeName }) => name === nativeName)).toEqual([]);
  });

  it("are unique by name, type and parent", () => {
    const keys = states.map(({ code, name, type, parent }) =>
      [code.slice(0, 2), name, type, parent].join("|"),
    );
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });
});

describe("the states of", () => {
  it("Norway are the counties of 2024", () => {
    expect(firstLevel("NO")).toEqual([
      ...["03 Oslo", "11 Rogaland", "15 Møre og Romsdal", "18 Nordland", "21 Svalbard", "22 Jan Mayen"],
      ...["31 Østfold", "32 Akershus", "33 Buskerud", "34 Innlandet", "39 Vestfold", "40 Telemark"],
      ...["42 Agder", "46 Vestland", "50 Trøndelag", "55 Troms", "56 Finnmark"],
    ]);
  });

  it("Denmark are its five regions", () => {
    expect(statesOf("DK").map(({ code, name, nativeName, type }) => [code, name, nativeName, type])).toEqual([
      ["DK-81", "North Denmark", "Region Nordjylland", "region"],
      ["DK-82", "Central Denmark", "Region Midtjylland", "region"],
      ["DK-83", "Southern Denmark", "Region Syddanmark", "region"],
      ["DK-84", "Capital Region of Denmark", "Region Hovedstaden", "region"],
      ["DK-85", "Zealand", "Region Sjælland", "region"],
    ]);
  });

  it("Luxembourg are its 12 cantons", () => {
    const codes = "CA CL DI EC ES GR LU ME RD RM VD WI".split(" ");
    expect(statesOf("LU").map(({ code }) => code.slice(3))).toEqual(codes);
    expect(statesOf("LU").filter(({ type }) => type !== "canton")).toEqual([]);
  });

  it("India have the codes of 2023", () => {
    const india = new Map(statesOf("IN").map(({ code, name }) => [code, name]));
    expect(india.size).toBe(36);
    expect(["OD", "UK", "CG", "TS", "DH", "LA"].map((code) => india.get(`IN-${code}`))).toEqual([
      ...["Odisha", "Uttarakhand", "Chhattisgarh", "Telangana"],
      ...["Dadra and Nagar Haveli and Daman and Diu", "Ladakh"],
    ]);
    expect(["OR", "UT", "CT", "TG", "DD", "DN"].filter((code) => india.has(`IN-${code}`))).toEqual([]);
  });

  it("France are the regions of 2016, with their departments", () => {
    const regions = statesOf("FR").filter(({ type }) => type === "metropolitan region");
    expect(regions.map(({ code }) => code.slice(3))).toEqual(
      "20R ARA BFC BRE CVL GES HDF IDF NAQ NOR OCC PAC PDL".split(" "),
    );
    expect(byCode.get("FR-IDF")).toEqual({
      ...{ code: "FR-IDF", name: "Île-de-France", nativeName: "" },
      ...{ type: "metropolitan region", parent: "" },
    });
    expect(byCode.get("FR-75C")).toMatchObject({ name: "Paris", parent: "FR-IDF" });
  });

  it("the United States are its states, the capital district and the territories", () => {
    const types = new Map<string, number>();
    for (const { type } of statesOf("US")) {
      types.set(type, (types.get(type) ?? 0) + 1);
    }
    expect(Object.fromEntries(types)).toEqual({ state: 50, district: 1, "outlying area": 6 });
  });

  it("the United Kingdom are its nations, with their councils", () => {
    expect(firstLevel("GB")).toEqual(["ENG England", "NIR Northern Ireland", "SCT Scotland", "WLS Wales"]);
    expect(statesOf("GB")).toHaveLength(221);
    expect(byCode.get("GB-EDH")?.parent).toBe("GB-SCT");
  });

  it.each([
    ["KZ-10", "Abai"],
    ["KZ-33", "Jetisu"],
    ["KZ-62", "Ulytau"],
    ["IR-23", "Tehran"],
    ["PA-10", "Panamá Oeste"],
    ["LV-113", "Valmiera"],
    ["PH-MGN", "Maguindanao del Norte"],
    ["ID-PD", "Papua Barat Daya"],
    ["MX-CMX", "Ciudad de México"],
    ["ET-SI", "Sidama"],
    ["DZ-58", "El Meniaa"],
    ["VN-26", "Huế"],
    ["GR-69", "Mount Athos"],
    ["MN-1", "Ulaanbaatar"],
    ["UA-30", "Kyiv"],
    ["UA-32", "Kyiv Oblast"],
  ])("%s is %s", (code, name) => {
    expect(byCode.get(code)?.name).toBe(name);
  });

  it.each([
    ["AT-9", "Vienna", "Wien"],
    ["CN-BJ", "Beijing", "北京市"],
    ["EG-ALX", "Alexandria", "الإسكندرية"],
    ["GR-F", "Ionian Islands", "Ιόνια Νησιά"],
    ["RU-YAN", "Yamalo-Nenets", "Yamalo-Nenetskiy avtonomnyy okrug"],
    ["TH-10", "Bangkok", "กรุงเทพฯ"],
  ])("%s is %s, natively %s", (code, name, nativeName) => {
    expect(byCode.get(code)).toMatchObject({ name, nativeName });
  });
});
