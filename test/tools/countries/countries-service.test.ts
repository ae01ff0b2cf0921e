import { Code } from "@connectrpc/connect";
import {
  CountriesService,
  CountryMatch_Kind as Kind,
  CountryMatch_KindSchema as KindSchema,
  CountryMatch_Match as Match,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { describe, expect, it } from "vitest";
import { countriesService } from "../../../src/tools/countries/countries-service.js";
import { createSearchIndex } from "../../../src/tools/countries/search/search-index.js";
import { loadCountries, loadNames } from "../../data/load-countries.js";
import { type CallError, callHandler, callUnary, errorOf, hasCachedEncodings } from "../call.js";

const countries = loadCountries();
const names = loadNames();
const index = createSearchIndex(countries, names);
const service = countriesService({ countries, names: async () => names, searchIndex: async () => index });
const { listCountries, getCountry, searchCountries } = CountriesService.method;

const list = (baseUrl = "https://tools.example") => callUnary(service, listCountries, {}, { baseUrl });

async function get(code: string, baseUrl = "https://tools.example") {
  const { country } = await callUnary(service, getCountry, { country: code }, { baseUrl });
  return country;
}

const cachedList = async (baseUrl = "https://tools.example") =>
  cached(await callHandler(service, listCountries, {}, { baseUrl }));

const cachedCountry = async (country: string, baseUrl = "https://tools.example") =>
  cached(await callHandler(service, getCountry, { country }, { baseUrl }));

function cached<T extends object>(message: T): T {
  expect(hasCachedEncodings(message)).toBe(true);
  return message;
}

const failure = (country: string): Promise<CallError> => errorOf(get(country));

describe("listCountries", () => {
  it("lists all countries by name", async () => {
    const { countries: listed } = await list();
    expect(listed.map(({ name }) => name)).toEqual(countries.map(({ name }) => name));
    expect(listed).toHaveLength(250);
    expect(listed.find(({ code2 }) => code2 === "FR")).toEqual(
      expect.objectContaining({
        code2: "FR",
        code3: "FRA",
        name: "France",
        capital: "Paris",
        region: "Europe",
        subregion: "Western Europe",
        apiUrl: "https://tools.example/v1/countries?country=FR",
      }),
    );
  });

  it("returns a working URL for every country", async () => {
    const { countries: listed } = await list("http://127.0.0.1:8080");
    for (const { code2, apiUrl } of listed) {
      const url = new URL(apiUrl);
      expect(`${url.origin}${url.pathname}`).toBe("http://127.0.0.1:8080/v1/countries");
      expect((await get(url.searchParams.get("country") ?? ""))?.code2).toBe(code2);
    }
  });
});

describe("getCountry", () => {
  it.each(["FR", "fr", "FRA", "fRa"])("finds %s", async (code) => {
    const france = await get(code, "http://[::1]:8080");
    expect(france).toEqual(
      expect.objectContaining({
        code2: "FR",
        code3: "FRA",
        numeric: "250",
        officialName: "the French Republic",
        nativeName: "France",
        flag: "🇫🇷",
        callingCodes: ["+33"],
        topLevelDomain: ".fr",
        continent: "Europe",
        timeZones: ["Europe/Paris"],
        eu: true,
        apiUrl: "http://[::1]:8080/v1/countries?country=FR",
      }),
    );
    expect(france?.coordinates).toEqual(expect.objectContaining({ lat: 46, lon: 2 }));
    expect(france?.currencies).toEqual([
      expect.objectContaining({ code: "EUR", name: "Euro", symbol: "€", minorUnits: 2 }),
    ]);
    expect(france?.languages).toEqual([
      expect.objectContaining({ code: "fr", name: "French", nativeName: "Français" }),
    ]);
    expect(france?.states.find((state) => state.code === "FR-IDF")).toEqual(
      expect.objectContaining({ name: "Île-de-France", nativeName: "", type: "metropolitan region" }),
    );
    expect(france?.states).toHaveLength(124);
  });

  it("returns all values of the record except those for the search", async () => {
    const { search: _, ...france } = countries.find(({ code2 }) => code2 === "FR") ?? {};
    expect(await get("FR")).toMatchObject(france);
  });

  it.each(["XK", "xkx"])("finds Kosovo as %s", async (code) => {
    expect(await get(code)).toEqual(
      expect.objectContaining({ code2: "XK", code3: "XKX", numeric: "", name: "Kosovo", states: [] }),
    );
  });

  it.each([
    [
      "",
      "REQUIRED",
      "must not be empty: a 2- or 3-letter country code, for example FR or FRA; without the parameter, all countries are listed",
    ],
    [
      "F",
      "INVALID_COUNTRY_CODE",
      "must be a 2- or 3-letter country code, for example FR or FRA; did you mean FR (France)?",
    ],
    [
      "Marroco",
      "INVALID_COUNTRY_CODE",
      "must be a 2- or 3-letter country code, for example FR or FRA; did you mean MA (Morocco)?",
    ],
    [
      "250",
      "INVALID_COUNTRY_CODE",
      "must be a 2- or 3-letter country code, for example FR or FRA; did you mean FR (France) or RW (Rwanda)?",
    ],
  ])("rejects %j", async (code, reason, description) => {
    expect(await failure(code)).toMatchObject({
      code: Code.InvalidArgument,
      reason: "INVALID_PARAMETERS",
      violations: [{ field: "country", reason, description }],
    });
  });

  it.each([
    ["ZZ", ""],
    ["zzz", ""],
    ["UK", "; use GB (United Kingdom)"],
    ["el", "; use GR (Greece)"],
    ["SUI", "; use CH (Switzerland)"],
    ["DDR", "; use DE (Germany)"],
    ["EU", ", which reserves it for the European Union"],
    ["AN", "; did you mean CW (Curaçao) or SX (Sint Maarten) or BQ (Bonaire, Sint Eustatius and Saba)?"],
  ])("does not find %s", async (code, hint) => {
    expect(await failure(code)).toMatchObject({
      code: Code.NotFound,
      reason: "COUNTRY_NOT_FOUND",
      message: `no country has the code ${code.toUpperCase()} in ISO 3166-1${hint}`,
      metadata: { country: code.toUpperCase() },
    });
  });
});

describe("names in a language", () => {
  const listIn = async (language: string) =>
    (await callUnary(service, listCountries, { language }, { baseUrl: "https://tools.example" })).countries;
  const countryIn = async (country: string, language: string) =>
    (await callUnary(service, getCountry, { country, language }, { baseUrl: "https://tools.example" }))
      .country;
  const germanyIn = (language: string) => countryIn("DE", language);

  it("are in the list, which they order", async () => {
    const listed = await listIn("de");
    expect(listed).toHaveLength(250);
    expect(listed.slice(0, 4).map(({ localizedName }) => localizedName)).toEqual([
      "Afghanistan",
      "Ägypten",
      "Ålandinseln",
      "Albanien",
    ]);
    expect(listed.find(({ code2 }) => code2 === "FR")).toMatchObject({
      name: "France",
      localizedName: "Frankreich",
      apiUrl: "https://tools.example/v1/countries?country=FR",
    });
  });

  it.each([
    ["es", "Alemania"],
    ["ES-ar", "Alemania"],
    ["zh-TW", "德國"],
    ["zh-CN", "德国"],
    ["no", "Tyskland"],
    ["sr-Latn-RS", "Nemačka"],
  ])("are in the detail: %s", async (language, localizedName) => {
    expect(await germanyIn(language)).toMatchObject({ name: "Germany", localizedName });
  });

  it("are only there if the request has a language", async () => {
    expect((await get("DE"))?.localizedName).toBeUndefined();
    const { countries: listed } = await list();
    expect(listed.filter(({ localizedName }) => localizedName !== undefined)).toEqual([]);
  });

  it("do not change the cached response", async () => {
    const cachedBefore = await cachedCountry("DE");
    await germanyIn("es");
    expect(await cachedCountry("DE")).toBe(cachedBefore);
    expect(cachedBefore.country?.localizedName).toBeUndefined();
  });

  it.each([
    ["", "INVALID_LANGUAGE", "must be a language tag, for example de or zh-Hant"],
    ["german", "UNSUPPORTED_LANGUAGE", expect.stringMatching(/^must be one of af, am, ar, .*, zu$/)],
    ["de_DE", "INVALID_LANGUAGE", "must be a language tag, for example de or zh-Hant"],
    ["tlh", "UNSUPPORTED_LANGUAGE", expect.stringMatching(/^must be one of /)],
    [`de-${"x".repeat(40)}`, "INVALID_LANGUAGE", "must be a language tag, for example de or zh-Hant"],
  ])("are rejected for %j", async (language, reason, description) => {
    for (const call of [listIn(language), germanyIn(language), countryIn("XX", language)]) {
      expect(await errorOf(call)).toMatchObject({
        code: Code.InvalidArgument,
        reason: "INVALID_PARAMETERS",
        violations: [{ field: "language", reason, description }],
      });
    }
  });
});

describe("searchCountries", () => {
  const search = (request: { query?: string; limit?: number }, baseUrl = "https://tools.example") =>
    callUnary(service, searchCountries, request, { baseUrl });

  it("returns the country and the value that matches", async () => {
    const { matches } = await search({ query: "holland" });
    expect(matches[0]).toEqual(
      expect.objectContaining({
        value: "Holland",
        kind: Kind.ALTERNATIVE_NAME,
        language: "en",
        match: Match.EXACT,
        country: expect.objectContaining({
          code2: "NL",
          code3: "NLD",
          name: "Netherlands",
          capital: "Amsterdam",
          region: "Europe",
          subregion: "Western Europe",
          apiUrl: "https://tools.example/v1/countries?country=NL",
        }),
      }),
    );
    expect(matches[0]?.state).toBeUndefined();
  });

  it("returns the subdivision that matches", async () => {
    const { matches } = await search({ query: "Bayern" }, "http://a.example");
    expect(matches).toHaveLength(1);
    expect(matches[0]).toMatchObject({
      value: "Bayern",
      kind: Kind.SUBDIVISION_NAME,
      country: { code2: "DE", apiUrl: "http://a.example/v1/countries?country=DE" },
      state: { code: "DE-BY", name: "Bavaria", nativeName: "Bayern", type: "land", parent: "" },
    });
  });

  it.each([
    ["de", Kind.ALPHA2],
    ["deu", Kind.ALPHA3],
    ["276", Kind.NUMERIC],
    ["Germany", Kind.NAME],
    ["Federal Republic of Germany", Kind.OFFICIAL_NAME],
    ["UK", Kind.ALTERNATIVE_NAME],
    ["Deutschland", Kind.LOCAL_NAME],
    ["Ceylon", Kind.FORMER_NAME],
    ["Berlin", Kind.CAPITAL],
    ["+49", Kind.CALLING_CODE],
    ["eur", Kind.CURRENCY],
    [".de", Kind.TOP_LEVEL_DOMAIN],
    ["Europe/Berlin", Kind.TIME_ZONE],
    ["DE-BY", Kind.SUBDIVISION_CODE],
    ["Bavaria", Kind.SUBDIVISION_NAME],
    ["Alemania", Kind.TRANSLATED_NAME],
    ["BRD", Kind.OTHER_NAME],
    ["Rügen", Kind.PART],
    ["Filipino", Kind.DEMONYM],
    ["Karachi", Kind.CITY],
    ["euro", Kind.CURRENCY_NAME],
    ["🇩🇪", Kind.FLAG],
    ["SUI", Kind.OTHER_CODE],
    ["SUHH", Kind.FORMER_CODE],
    ["DEM", Kind.FORMER_CURRENCY],
  ])("finds %s as a value of kind %i", async (query, kind) => {
    const [first] = (await search({ query })).matches;
    expect(KindSchema.value[first?.kind ?? 0]?.name).toBe(KindSchema.value[kind]?.name);
  });

  it("returns at most 20 countries, or as many as the request says", async () => {
    expect((await search({ query: "EUR" })).matches).toHaveLength(20);
    expect((await search({ query: "EUR", limit: 250 })).matches).toHaveLength(37);
    expect((await search({ query: "EUR", limit: 1 })).matches).toHaveLength(1);
  });

  it("returns nothing for an unknown name", async () => {
    expect(await search({ query: "Xyzzy" })).toMatchObject({ matches: [], suggestions: [] });
  });

  it("suggests countries for a name that two may be, and none beside a match", async () => {
    const { matches, suggestions } = await search({ query: "Ieland" });
    expect(matches).toEqual([]);
    expect(suggestions.map(({ value, country }) => [value, country?.code2])).toEqual([
      ["Ireland", "IE"],
      ["Iceland", "IS"],
    ]);
    expect((await search({ query: "Germny" })).suggestions).toEqual([]);
  });

  it("rejects all invalid fields together", async () => {
    expect(await errorOf(search({ query: " ", limit: 251 }))).toMatchObject({
      code: Code.InvalidArgument,
      reason: "INVALID_PARAMETERS",
      violations: [
        { field: "query", reason: "REQUIRED" },
        { field: "limit", reason: "INVALID_LIMIT", description: "must be from 1 to 250, is 251" },
      ],
    });
    expect(await errorOf(search({ query: "x".repeat(101) }))).toMatchObject({
      violations: [
        { field: "query", reason: "QUERY_TOO_LONG", description: "must have at most 100 characters" },
      ],
    });
  });

  it("does not return data that a later response shares", async () => {
    const [first] = (await callHandler(service, searchCountries, { query: "Bayern" })).matches ?? [];
    Object.assign(first?.state ?? {}, { name: "changed" });
    expect((await search({ query: "Bayern" })).matches[0]?.state?.name).toBe("Bavaria");
  });
});

describe("a response", () => {
  it("is cached per country and base URL, in any spelling of the code", async () => {
    expect(await cachedList()).toBe(await cachedList());
    expect(await cachedCountry("FR")).toBe(await cachedCountry("fra"));
    expect(await cachedCountry("FR")).not.toBe(await cachedCountry("DE"));
  });

  it("has the base URL of the request", async () => {
    const [one, other] = [await cachedList("http://a.example"), await cachedList("http://b.example")];
    expect(one).not.toBe(other);
    expect(one.countries?.[0]?.apiUrl).toBe("http://a.example/v1/countries?country=AF");
    expect(other.countries?.[0]?.apiUrl).toBe("http://b.example/v1/countries?country=AF");
    const [atA, atB] = [await get("FR", "http://a.example"), await get("FR", "http://b.example")];
    expect(atA?.apiUrl).toBe("http://a.example/v1/countries?country=FR");
    expect(atB?.apiUrl).toBe("http://b.example/v1/countries?country=FR");
  });

  it("is cached for the last eight base URLs", async () => {
    const urls = Array.from({ length: 9 }, (_, index) => `http://host-${index}.example`);
    const first = await cachedList(urls[0]);
    const country = await cachedCountry("NO", urls[0]);
    for (const url of urls.slice(0, 8)) {
      await cachedList(url);
    }
    expect(await cachedList(urls[0])).toBe(first);
    for (const url of urls.slice(1)) {
      await cachedList(url);
    }
    const again = await cachedList(urls[0]);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
    expect(await cachedCountry("NO", urls[0])).not.toBe(country);
  });

  it("is frozen with its data", async () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== "object" ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(await cachedList())).toBe(true);
    const message = await cachedCountry("NO");
    expect(frozen(message)).toBe(true);
    expect(() => message.country?.states?.splice(0)).toThrow(TypeError);
    expect((await get("NO"))?.states).toHaveLength(17);
  });
});
