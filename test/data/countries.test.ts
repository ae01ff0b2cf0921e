import { describe, expect, it } from "vitest";
import type { Country } from "../../src/tools/countries/country.js";
import { searchText } from "../../src/tools/countries/search/search-text.js";
import { loadCountries } from "./load-countries.js";

const countries = loadCountries();

function country(code2: string): Country {
  const found = countries.find((one) => one.code2 === code2);
  if (found === undefined) {
    throw new Error(`no ${code2}`);
  }
  return found;
}

describe("codes", () => {
  it("are unique", () => {
    expect(countries).toHaveLength(250);
    for (const key of ["code2", "code3", "numeric", "name", "officialName", "flag"] as const) {
      expect(new Set(countries.map((one) => one[key])).size, key).toBe(250);
    }
  });
});

describe("names", () => {
  it.each([
    ["AX", "Åland Islands"],
    ["BO", "Bolivia"],
    ["CD", "Democratic Republic of the Congo"],
    ["CG", "Congo"],
    ["CI", "Côte d'Ivoire"],
    ["CV", "Cabo Verde"],
    ["CW", "Curaçao"],
    ["CZ", "Czechia"],
    ["FR", "France"],
    ["GB", "United Kingdom"],
    ["KP", "North Korea"],
    ["KR", "South Korea"],
    ["MK", "North Macedonia"],
    ["RE", "Réunion"],
    ["SZ", "Eswatini"],
    ["TL", "Timor-Leste"],
    ["TR", "Türkiye"],
    ["US", "United States"],
    ["XK", "Kosovo"],
  ])("%s is %s", (code2, name) => {
    expect(country(code2).name).toBe(name);
  });

  it.each([
    ["DE", "the Federal Republic of Germany", "Deutschland"],
    ["FR", "the French Republic", "France"],
    ["IE", "Ireland", "Éire"],
    ["JP", "Japan", "日本"],
    ["LK", "the Democratic Socialist Republic of Sri Lanka", "ශ්‍රී ලංකාව"],
    ["MP", "the Commonwealth of the Northern Mariana Islands", "Northern Mariana Islands"],
    ["MK", "the Republic of North Macedonia", "Северна Македонија"],
    ["PR", "Puerto Rico", "Puerto Rico"],
    ["TR", "the Republic of Türkiye", "Türkiye"],
  ])("%s is officially %s, natively %s", (code2, officialName, nativeName) => {
    expect(country(code2)).toMatchObject({ officialName, nativeName });
  });

  it("are in English alphabetical order", () => {
    const names = countries.map(({ name }) => name);
    expect(names).toEqual([...names].sort(new Intl.Collator("en").compare));
    expect(names.slice(0, 3)).toEqual(["Afghanistan", "Åland Islands", "Albania"]);
  });

  it("are clean", () => {
    const texts = countries.flatMap((one) => [
      ...[one.name, one.officialName, one.nativeName, one.capital],
      ...one.currencies.flatMap(({ name, symbol }) => [name, symbol]),
      ...one.languages.flatMap(({ name, nativeName }) => [name, nativeName]),
    ]);
    const odd = texts.filter(
      (text) =>
        text !== text.normalize("NFC").trim() ||
        !/^(?:[\p{L}\p{M}\p{Sc}\u0f0b '’ʻ.,&()/-]|\u200d)*$/u.test(text),
    );
    expect(odd).toEqual([]);
    expect(countries.map(({ name }) => name).filter((name) => /[()]/.test(name))).toEqual([
      "Cocos (Keeling) Islands",
    ]);
  });
});

describe("names for the search", () => {
  it.each([
    [
      "CZ",
      {
        alternativeNames: [],
        localNames: ["Česká republika"],
        formerNames: ["Czechoslovakia"],
        population: 10876875,
      },
    ],
    [
      "GB",
      {
        alternativeNames: ["Great Britain", "Britain", "UK"],
        localNames: [],
        formerNames: [],
        population: 68265209,
      },
    ],
    [
      "CH",
      {
        alternativeNames: [],
        localNames: ["Suisse", "Svizzera", "Svizra"],
        formerNames: [],
        population: 9082848,
      },
    ],
    [
      "TL",
      {
        alternativeNames: [],
        localNames: ["República Democrática de Timor-Leste"],
        formerNames: ["East Timor", "Portuguese Timor"],
        population: 1391221,
      },
    ],
  ])("%s has %j", (code2, search) => {
    const { demonyms: _, phonePrefixes: _prefixes, ...names } = country(code2).search;
    expect(names).toEqual(search);
  });

  it("are not the name of another country", () => {
    const { owners, shared } = ownersOfNames();
    expect(owners.size).toBeGreaterThan(700);
    // Former countries with several successors.
    expect(Object.fromEntries(shared)).toEqual({
      czechoslovakia: "CZ SK",
      netherlandsantilles: "BQ CW SX",
      serbiamontenegro: "ME RS",
      sovietunion: "AM AZ BY EE GE KG KZ LT LV MD RU TJ TM UA UZ",
      unionsovietsocialistrepublics: "AM AZ BY EE GE KG KZ LT LV MD RU TJ TM UA UZ",
      ussr: "AM AZ BY EE GE KG KZ LT LV MD RU TJ TM UA UZ",
      yugoslavia: "BA HR ME MK RS SI XK",
    });
  });

  /** The countries that have a name in the form of the search, and those names that several have. */
  function ownersOfNames() {
    const owners = new Map<string, Set<string>>();
    for (const { code2, name, officialName, nativeName, search } of countries) {
      const { alternativeNames, localNames, formerNames } = search;
      for (const text of [
        name,
        officialName,
        nativeName,
        ...alternativeNames,
        ...localNames,
        ...formerNames,
      ]) {
        const { compact } = searchText(text);
        owners.set(compact, (owners.get(compact) ?? new Set()).add(code2));
      }
    }
    const shared = [...owners].filter(([, codes]) => codes.size > 1);
    return { owners, shared: shared.map(([name, codes]) => [name, [...codes].sort().join(" ")]) };
  }

  it("are clean", () => {
    const texts = countries.flatMap(({ search }) => [
      ...search.alternativeNames,
      ...search.localNames,
      ...search.formerNames,
    ]);
    const odd = texts.filter(
      (text) => text !== text.normalize("NFC").trim() || !/^[\p{L}\p{M} '’.,&()\u202f\u200c-]*$/u.test(text),
    );
    expect(odd).toEqual([]);
  });

  it("come with the population of all but territories without permanent inhabitants", () => {
    const without = countries.filter(({ search }) => search.population === 0).map(({ code2 }) => code2);
    expect(without.sort()).toEqual("AQ BV GS HM IO SJ TF UM".split(" "));
    const byPopulation = countries.toSorted((a, b) => b.search.population - a.search.population);
    expect(byPopulation.slice(0, 6).map(({ code2 }) => code2)).toEqual("IN CN US ID PK NG".split(" "));
    expect(byPopulation.findIndex(({ code2 }) => code2 === "PN")).toBe(241);
  });
});

describe("the other fields", () => {
  it("of France", () => {
    const { states: _, ...france } = country("FR");
    expect(france).toEqual({
      code2: "FR",
      code3: "FRA",
      numeric: "250",
      name: "France",
      officialName: "the French Republic",
      nativeName: "France",
      flag: "🇫🇷",
      capital: "Paris",
      region: "Europe",
      subregion: "Western Europe",
      continent: "Europe",
      coordinates: { lat: 46, lon: 2 },
      currencies: [{ code: "EUR", name: "Euro", symbol: "€", minorUnits: 2 }],
      languages: [{ code: "fr", name: "French", nativeName: "Français" }],
      callingCodes: ["+33"],
      topLevelDomain: ".fr",
      timeZones: ["Europe/Paris"],
      eu: true,
      borders: ["AD", "BE", "CH", "DE", "ES", "IT", "LU", "MC"],
      areaKm2: 551695,
      landlocked: false,
      unMember: true,
      drivingSide: "right",
      weekStart: "monday",
      measurementSystem: "metric",
      demonym: "French",
      postalCodeFormat: "#####",
      search: {
        alternativeNames: [],
        localNames: [],
        formerNames: [],
        demonyms: [
          { name: "French", language: "en" },
          { name: "Français", language: "fr" },
          { name: "Française", language: "fr" },
        ],
        phonePrefixes: [],
        population: 68688000,
      },
    });
  });

  it.each([
    ["AQ", "", "", "Antarctica"],
    ["BR", "Americas", "South America", "South America"],
    ["JM", "Americas", "Caribbean", "North America"],
    ["NG", "Africa", "Western Africa", "Africa"],
    ["TW", "Asia", "Eastern Asia", "Asia"],
    ["US", "Americas", "Northern America", "North America"],
    ["XK", "Europe", "Southern Europe", "Europe"],
  ])("%s is in %s, %s, on the continent %s", (code2, region, subregion, continent) => {
    expect(country(code2)).toMatchObject({ region, subregion, continent });
  });

  it.each([
    ["BG", { currencies: [{ code: "EUR", name: "Euro", symbol: "€", minorUnits: 2 }] }],
    [
      "CH",
      { currencies: [{ code: "CHF", name: "Swiss Franc", symbol: "", minorUnits: 2 }], capital: "Bern" },
    ],
    ["GB", { topLevelDomain: ".uk", callingCodes: ["+44"], flag: "🇬🇧" }],
    ["AS", { callingCodes: ["+1684"], topLevelDomain: ".as" }],
    ["DO", { callingCodes: ["+1809", "+1829", "+1849"] }],
    ["EH", { topLevelDomain: "", timeZones: ["Africa/El_Aaiun"], callingCodes: ["+2125288", "+2125289"] }],
    ["GQ", { capital: "Ciudad de la Paz" }],
    ["GS", { nativeName: "South Georgia and the South Sandwich Islands" }],
    ["HK", { capital: "", topLevelDomain: ".hk" }],
    ["IN", { timeZones: ["Asia/Kolkata"] }],
    ["JE", { callingCodes: ["+441534"], timeZones: ["Europe/Jersey"] }],
    ["KI", { timeZones: ["Pacific/Kanton", "Pacific/Kiritimati", "Pacific/Tarawa"] }],
    ["KZ", { callingCodes: ["+76", "+77"] }],
    [
      "PS",
      {
        currencies: [
          { code: "ILS", name: "Israeli New Shekel", symbol: "₪", minorUnits: 2 },
          { code: "JOD", name: "Jordanian Dinar", symbol: "د.أ.", minorUnits: 3 },
        ],
      },
    ],
    ["SH", { callingCodes: ["+290", "+247"] }],
    ["SZ", { capital: "Mbabane" }],
    ["UA", { timeZones: ["Europe/Kyiv", "Europe/Simferopol"] }],
    ["XK", { callingCodes: ["+383"], topLevelDomain: "", timeZones: ["Europe/Belgrade"] }],
  ])("%s has current values", (code2, fields) => {
    expect(country(code2)).toMatchObject(fields);
  });

  it.each([
    ["AX", "sv"],
    ["BE", "nl fr de"],
    ["BF", "mos dyu ff bib"],
    ["BQ", "pap nl en"],
    ["CA", "en fr"],
    ["CD", "fr sw lua ln kg"],
    ["CH", "de fr it rm"],
    ["EH", "ar"],
    ["FJ", "en hif fj"],
    ["IE", "en ga"],
    ["KI", "en gil"],
    ["MA", "ar tzm"],
    ["ME", "cnr sr bs sq hr"],
    ["ML", "bm ff ses snk dts mwk myk spp taq bmq kao bze mey"],
    ["NE", "ha"],
    ["NU", "en niu"],
    ["PE", "es qu ay"],
    ["PG", "tpi en ho"],
    ["PW", "pau en"],
    ["TK", "tkl en"],
    ["TL", "tet pt"],
    ["TV", "tvl en"],
    ["ZA", "en zu xh af nso tn st ts ss ve nr"],
  ])("%s has the official languages %s", (code2, languages) => {
    expect(
      country(code2)
        .languages.map(({ code }) => code)
        .join(" "),
    ).toBe(languages);
  });

  it.each([
    ["GB", "GBP", "£"],
    ["JP", "JPY", "¥"],
    ["KW", "KWD", "د.ك."],
    ["MA", "MAD", "د.م."],
    ["PL", "PLN", "zł"],
    ["SE", "SEK", "kr"],
    ["SN", "XOF", "F CFA"],
    ["US", "USD", "$"],
    ["TM", "TMT", ""],
    ["VE", "VES", "Bs."],
    ["VU", "VUV", "VT"],
    ["WS", "WST", "WS$"],
  ])("%s has the symbol of %s: %j", (code2, code, symbol) => {
    expect(country(code2).currencies).toMatchObject([{ code, symbol }]);
  });

  it("have the decimal places of ISO 4217, not those of cash", () => {
    const digits = new Map(
      countries.flatMap(({ currencies }) => currencies.map(({ code, minorUnits }) => [code, minorUnits])),
    );
    expect(["BHD", "EUR", "IQD", "ISK", "JPY", "UGX"].map((code) => digits.get(code))).toEqual([
      3, 2, 3, 0, 0, 0,
    ]);
  });

  it("have an unambiguous calling code, except for territories without an area code", () => {
    const all = countries.flatMap(({ callingCodes }) => callingCodes);
    const shared = all.filter((code, index) => all.indexOf(code) !== index);
    const ownersOf = (code: string) => countries.filter(({ callingCodes }) => callingCodes.includes(code));
    expect(
      Object.fromEntries(
        shared.map((code) => [
          code,
          ownersOf(code)
            .map(({ code2 }) => code2)
            .sort(),
        ]),
      ),
    ).toEqual({
      "+1": ["CA", "UM", "US"],
      "+47": ["BV", "NO"],
      "+61": ["AU", "HM"],
      "+64": ["NZ", "PN"],
      "+262": ["RE", "TF"],
      "+500": ["FK", "GS"],
      "+590": ["BL", "GP", "MF"],
    });
  });

  it("have a capital, region, currency, language, time zone and domain if there is one", () => {
    const without = (empty: (one: Country) => boolean) => countries.filter(empty).map(({ code2 }) => code2);
    expect(without(({ capital }) => capital === "").sort()).toEqual("AQ BV HK HM MO TK UM".split(" "));
    expect(without(({ region }) => region === "")).toEqual(["AQ"]);
    expect(without(({ currencies }) => currencies.length === 0)).toEqual(["AQ"]);
    expect(without(({ languages }) => languages.length === 0)).toEqual(["AQ"]);
    expect(without(({ timeZones }) => timeZones.length === 0).sort()).toEqual(["BV", "HM"]);
    expect(without(({ callingCodes }) => callingCodes.length === 0)).toEqual([]);
    expect(without(({ topLevelDomain }) => topLevelDomain === "").sort()).toEqual(
      "BL BQ EH MF UM XK".split(" "),
    );
  });

  it("are in the EU for the 27 members and 7 of their territories", () => {
    const members = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(
      " ",
    );
    const territories = "AX GF GP MF MQ RE YT".split(" ");
    const eu = countries.filter((one) => one.eu).map(({ code2 }) => code2);
    expect(eu.sort()).toEqual([...members, ...territories].sort());
  });

  it("have flags with the two letters of the code", () => {
    for (const { code2, flag } of countries) {
      const letters = [...flag].map((symbol) => String.fromCharCode((symbol.codePointAt(0) ?? 0) - 0x1f1a5));
      expect(letters.join("")).toBe(code2);
    }
  });

  it("have known time zones without duplicates", () => {
    // Node 20.19.0 has version 2025a of the time zone data, which lacks one zone.
    const unknown = process.versions.tz === "2025a" ? ["America/Coyhaique"] : [];
    for (const { code2, timeZones: all } of countries) {
      const timeZones = all.filter((timeZone) => !unknown.includes(timeZone));
      const resolved = timeZones.map(
        (timeZone) => new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone,
      );
      expect(new Set(resolved).size, code2).toBe(timeZones.length);
    }
  });

  it("have each time zone once, and those of Antarctica", () => {
    const zones = countries.filter(({ code2 }) => code2 !== "XK").flatMap(({ timeZones }) => timeZones);
    expect(new Set(zones).size).toBe(zones.length);
    expect(country("AQ").timeZones).toContain("Antarctica/Troll");
  });

  it("have coordinates with at most 4 decimals", () => {
    const points = countries.flatMap(({ coordinates: { lat, lon } }) => [lat, lon]);
    expect(points.filter((degrees) => Number(degrees.toFixed(4)) !== degrees)).toEqual([]);
  });
});
