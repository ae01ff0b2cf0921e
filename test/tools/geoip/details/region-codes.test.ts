import { describe, expect, it } from "vitest";
import {
  cityFinder,
  OTHER_REGION_NAMES,
  REGION_CITIES,
  REGION_CODES,
  regionFinder,
  type Subdivision,
} from "../../../../src/tools/geoip/details/region-codes.js";
import { countries } from "../test-countries.js";

const FINDERS = new Map(countries.map(({ code2, states }) => [code2, regionFinder(states)]));
const find = (country: string, name: string) => FINDERS.get(country)?.(name);

const KIND_WORDS: readonly [string, string, string | undefined][] = [
  ["DE", "State of Berlin", "DE-BE"],
  ["RU", "Krasnodar Krai", "RU-KDA"],
  ["RU", "Novosibirsk Oblast", "RU-NVS"],
  ["TN", "Tunis Governorate", "TN-11"],
  // Dhaka is a division, and a district of it.
  ["BD", "Dhaka Division", "BD-C"],
  // A subdivision of a lower level has the word for its kind: Santiago is a province, and Opava is a district.
  ["DO", "Santiago Province", "DO-25"],
  ["CZ", "Opava Region", undefined],
  // A city and the region around it.
  ["UA", "Kyiv City", "UA-30"],
  ["UA", "Kyiv Oblast", "UA-32"],
  ["MZ", "Maputo City", "MZ-MPM"],
  ["MZ", "Maputo Province", "MZ-L"],
  ["LT", "Klaipeda County", "LT-KL"],
];

describe("regionFinder", () => {
  it.each([
    ["the name", "US", "California", "US-CA"],
    ["the native name", "IT", "Lombardia", "IT-25"],
    ["the native script", "JP", "東京", "JP-13"],
    ["no accents", "FR", "Ile-de-France", "FR-IDF"],
    ["another case", "BR", "SÃO PAULO", "BR-SP"],
    ["letters without decomposition", "PL", "lodz", "PL-10"],
    ["apostrophes", "NZ", "Hawke’s Bay", "NZ-HKB"],
    ["the first level before a lower one", "ES", "Murcia", "ES-MC"],
    ["another name", "KR", "Gyeonggi-do", "KR-41"],
  ])("finds %s", (_, country, name, code) => {
    expect(find(country, name)).toBe(code);
  });

  it.each(KIND_WORDS)("compares words for a kind: %s, %s: %s", (country, name, code) => {
    expect(find(country, name)).toBe(code);
  });

  it.each([
    ["an empty name", "US", ""],
    ["only a word for a kind", "US", "State"],
    ["a region of another country", "US", "Bavaria"],
    ["an abolished region", "FR", "Rhone-Alpes"],
    ["two subdivisions of one level", "KZ", "Almaty"],
    ["a part of a name", "US", "Carolina"],
  ])("does not find %s", (_, country, name) => {
    expect(find(country, name)).toBeUndefined();
  });

  it("finds each name of the data, unless several subdivisions have it", () => {
    for (const { code2, states } of countries) {
      for (const { code, name, nativeName, parent } of states) {
        for (const each of [name, nativeName].filter(Boolean)) {
          const found = find(code2, each);
          const other = states.find((state) => state.code === found);
          // The other one has the same name, and is of a higher level.
          expect(found === undefined || found === code || (other?.parent === "" && parent !== "")).toBe(true);
        }
      }
    }
  });

  it("prefers the first level", () => {
    const at = (code: string, parent: string): Subdivision => ({
      code,
      name: "Same",
      nativeName: "",
      type: "region",
      parent,
    });
    expect(regionFinder([at("XX-1", "XX-2"), at("XX-2", "")])("same")).toBe("XX-2");
    expect(regionFinder([at("XX-1", "XX-3"), at("XX-2", "XX-3")])("same")).toBeUndefined();
  });
});

describe("OTHER_REGION_NAMES", () => {
  const cases = Object.entries(OTHER_REGION_NAMES).flatMap(([code, names]) =>
    names.map((name) => [code, name] as const),
  );

  it.each(cases)("%s: %s", (code, name) => {
    const country = countries.find(({ code2 }) => code2 === code.slice(0, 2));
    expect(find(code.slice(0, 2), name)).toBe(code);
    // A name that the country data has is not another name.
    const state = country?.states.find((each) => each.code === code);
    expect([state?.name, state?.nativeName]).not.toContain(name);
  });

  it("is ordered by code", () => {
    const codes = Object.keys(OTHER_REGION_NAMES);
    expect(codes).toEqual(codes.toSorted());
  });
});

describe("the map of regions", () => {
  const rows = Object.entries(REGION_CODES).flatMap(([country, codes]) =>
    Object.entries(codes).map(([name, code]) => [country, name, code] as const),
  );

  it.each(rows)("%s: %s is %s, which the names alone do not tell", (country, name, code) => {
    const states = countries.find(({ code2 }) => code2 === country)?.states ?? [];
    expect(states.map((state) => state.code)).toContain(code);
    expect(regionFinder(states, REGION_CODES[country])(name)).toBe(code);
    expect(regionFinder(states)(name)).toBe(name === "Zagreb" ? "HR-01" : undefined);
  });

  it.each([
    ["FR", "Rhône-Alpes", "FR-ARA"],
    ["AZ", "G\u01ddnc\u01dd", "AZ-GA"],
  ])("has %s: %s with other diacritics", (country, name, code) => {
    const states = countries.find(({ code2 }) => code2 === country)?.states ?? [];
    expect(regionFinder(states, REGION_CODES[country])(name)).toBe(code);
  });
});

describe("the cities of regions", () => {
  const rows = Object.entries(REGION_CITIES).flatMap(([country, regions]) =>
    Object.entries(regions).flatMap(([region, cities]) =>
      Object.entries(cities).map(([code, names]) => [country, region, code, names.split(", ")] as const),
    ),
  );

  it.each(rows)("%s: %s has cities in %s", (country, region, code, cities) => {
    const states = countries.find(({ code2 }) => code2 === country)?.states ?? [];
    expect(states.map((state) => state.code)).toContain(code);
    const find = cityFinder(REGION_CITIES[country]);
    expect(new Set(cities.map((city) => find(region, city)))).toEqual(new Set([code]));
    expect(regionFinder(states, REGION_CODES[country])(region)).not.toBe(code);
  });

  it("has none in other regions and countries", () => {
    const { UA } = REGION_CITIES;
    const find = cityFinder(UA);
    expect([find("Kyiv", "Kyiv"), find("Kyiv City", "Irpin"), cityFinder()("Kyiv", "Irpin")]).toEqual(
      Array(3).fill(undefined),
    );
  });
});
