import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuery, searchCountries } from "../../../../src/tools/countries/search/search-countries.js";
import { createSearchIndex } from "../../../../src/tools/countries/search/search-index.js";
import { loadCountries, loadNames } from "../../../data/load-countries.js";

const countries = loadCountries();
const index = createSearchIndex(countries, loadNames());
const search = (query: string, limit = 250) =>
  searchCountries(index, query, limit).matches.map(({ term, match }) => ({ ...term, match }));
const codes = (query: string) => search(query).map(({ country }) => country.code2);

/** The country, kind and value of the best match. */
function best(query: string) {
  const [first] = search(query);
  return first && [first.country.code2, first.kind, first.value];
}

describe("searchCountries", () => {
  test.each([
    ["DE", "DE", "alpha2", "DE"],
    ["deu", "DE", "alpha3", "DEU"],
    ["276", "DE", "numeric", "276"],
    ["008", "AL", "numeric", "008"],
    ["8", "AL", "numeric", "008"],
    ["+49", "DE", "callingCode", "+49"],
    ["49", "DE", "callingCode", "+49"],
    // The numeric code of Australia as well.
    ["36", "HU", "callingCode", "+36"],
    // The calling code of Rwanda as well.
    ["250", "FR", "numeric", "250"],
    ["+1684", "AS", "callingCode", "+1684"],
    ["+1 (684)", "AS", "callingCode", "+1684"],
    ["EUR", "DE", "currency", "EUR"],
    // The IOC code of Kosovo, and a Greek island.
    ["KOS", "XK", "otherCode", "KOS"],
    ["kos", "GR", "part", "Kos"],
    // The IOC code of Madagascar as well.
    ["MAD", "MA", "currency", "MAD"],
    [".uk", "GB", "topLevelDomain", ".uk"],
    [".de", "DE", "topLevelDomain", ".de"],
    ["Europe/Berlin", "DE", "timeZone", "Europe/Berlin"],
    ["america/new york", "US", "timeZone", "America/New_York"],
    ["de-by", "DE", "subdivisionCode", "DE-BY"],
    ["US-TX", "US", "subdivisionCode", "US-TX"],
    ["XKX", "XK", "alpha3", "XKX"],
    ["ＤＥ", "DE", "alpha2", "DE"],
    ["２７６", "DE", "numeric", "276"],
    ["＋４４", "GB", "callingCode", "+44"],
    ["．ｕｋ", "GB", "topLevelDomain", ".uk"],
    ["R$", "BR", "currencyName", "R$"],
    ["zł", "PL", "currencyName", "zł"],
    ["Kč", "CZ", "currencyName", "Kč"],
    ["Ft", "HU", "currencyName", "Ft"],
    ["ден", "MK", "currencyName", "ден."],
  ])("finds the code %s", (query, code2, kind, value) => {
    expect(best(query)).toEqual([code2, kind, value]);
  });

  test.each([
    ["Germany", "DE", "name"],
    ["THE GAMBIA", "GM", "name"],
    ["Czech Republic", "CZ", "officialName"],
    ["United States of America", "US", "officialName"],
    ["UK", "GB", "alternativeName"],
    ["U.K.", "GB", "alternativeName"],
    ["Great Britain", "GB", "alternativeName"],
    ["USA", "US", "alpha3"],
    ["U.S.A.", "US", "alternativeName"],
    ["America", "US", "alternativeName"],
    ["Holland", "NL", "alternativeName"],
    ["Turkey", "TR", "alternativeName"],
    ["Ivory Coast", "CI", "alternativeName"],
    ["DRC", "CD", "alternativeName"],
    ["Vatican", "VA", "alternativeName"],
    ["Korea, Republic of", "KR", "alternativeName"],
    ["Korea, Democratic People's Republic of", "KP", "alternativeName"],
    ["Burma", "MM", "formerName"],
    ["Siam", "TH", "formerName"],
    // In Dutch, the name of today.
    ["Swaziland", "SZ", "translatedName"],
    ["Macedonia", "MK", "formerName"],
    ["Cape Verde", "CV", "translatedName"],
    ["Soviet Union", "RU", "formerName"],
    ["Deutschland", "DE", "localName"],
    ["日本", "JP", "localName"],
    ["Suisse", "CH", "localName"],
    ["svizzera", "CH", "localName"],
    ["Srbija", "RS", "localName"],
    ["Ελλάδα", "GR", "localName"],
    ["ΕΛΛΑΔΑ", "GR", "localName"],
    ["österreich", "AT", "localName"],
    ["South Korea", "KR", "name"],
    ["south-korea", "KR", "name"],
    ["cote divoire", "CI", "name"],
    ["Cote d'Ivoire", "CI", "name"],
    ["st lucia", "LC", "name"],
    ["Saint Kitts & Nevis", "KN", "name"],
    ["trinidad tobago", "TT", "name"],
    ["São Tomé & Príncipe", "ST", "name"],
    ["Ouagadougou", "BF", "capital"],
    ["England", "GB", "subdivisionName"],
    ["Bavaria", "DE", "subdivisionName"],
    ["bayern", "DE", "subdivisionName"],
    ["Texas", "US", "subdivisionName"],
    ["北海道", "JP", "subdivisionName"],
  ])("finds the name %s", (query, code2, kind) => {
    expect(best(query)?.slice(0, 2)).toEqual([code2, kind]);
  });

  test.each([
    ["Alemania", "DE", "es"],
    ["Wielka Brytania", "GB", "pl"],
    ["ประเทศญี่ปุ่น", "JP", "th"],
    ["미국", "US", "ko"],
    ["Германия", "DE", "ru"],
    ["جرمنی", "DE", "ur"],
    ["אנגליה", "GB", "he"],
    ["Oesterreich", "AT", "de"],
    ["Die Vereinigten Staaten", "US", "de"],
    ["les Pays-Bas", "NL", "fr"],
    ["Аландские острова", "AX", "ru"],
    ["Trinidad und Tobago", "TT", "en"],
    ["Köztársaság Magyarország", "HU", "hu"],
    ["Dutch bicycle", undefined, undefined],
  ])("finds %s and its language", (query, code2, language) => {
    const [first] = search(query);
    expect([first?.country.code2, first?.language]).toEqual([code2, language]);
  });

  test.each([
    ["🇯🇵", ["JP"], "flag"],
    ["🏴󠁧󠁢󠁳󠁣󠁴󠁿", ["GB"], "subdivisionCode"],
    ["0044", ["GB"], "callingCode"],
    ["011 44 20 7946 0000", ["GB"], "callingCode"],
    ["+33 1 42 34 56 78", ["FR"], "callingCode"],
    ["+44 1481 000000", ["GG"], "callingCode"],
    ["004", ["AF"], "numeric"],
    ["€", codes("EUR"), "currencyName"],
    ["euro", codes("EUR"), "currencyName"],
    ["Swiss francs", ["CH", "LI"], "currencyName"],
    ["yen", ["JP"], "currencyName"],
    ["Filipino", ["PH"], "demonym"],
    ["Néerlandais", ["NL"], "demonym"],
    ["Mallorca", ["ES"], "part"],
    ["KI-P", ["KI"], "subdivisionCode"],
    ["Talas", ["KG"], "subdivisionName"],
    ["BRD", ["DE"], "otherName"],
    ["Sowjetunion", ["RU"], "formerName"],
    ["北京", ["CN"], "capital"],
    ["The Hague", ["NL"], "city"],
    ["Malabo", ["GQ"], "capital"],
    ["Mumbai", ["IN"], "city"],
    ["Bombay", ["IN"], "city"],
    ["Rangoon", ["MM"], "city"],
    ["Toronto", ["CA"], "city"],
    ["Munchen", ["DE"], "city"],
    ["Falkland", ["FK"], "otherName"],
    ["Serendib", ["LK"], "formerName"],
  ])("finds %s in the first place", (query, expected, kind) => {
    const [first] = search(query);
    expect(first?.kind).toBe(kind);
    expect(codes(query).slice(0, expected.length)).toEqual(expected);
  });

  test.each([
    ["Germans", "DE", "German"],
    ["Americans", "US", "American"],
    ["Italians", "IT", "Italian"],
    ["Virgin Islanders", "VI", "Virgin Islander"],
    ["Turks", "TR", "Turks"],
    ["Danes", "DK", "Danes"],
    ["Finns", "FI", "Finns"],
    ["Spaniard", "ES", "Spaniard"],
    ["Frenchman", "FR", "Frenchman"],
    ["Aussie", "AU", "Aussie"],
  ])("finds the inhabitants %s first", (query, code2, value) => {
    expect(best(query)).toEqual([code2, "demonym", value]);
  });

  test.each([
    ["Germany", "exact"],
    ["Germa", "start"],
    ["new guinea papua", "words"],
    ["Germny", "similar"],
    ["Berlin, Germany", "part"],
  ])("says how %s matches", (query, match) => {
    expect(search(query)[0]?.match).toBe(match);
  });

  test("ranks current names before everyday names, former names, and capitals", () => {
    const kinds = search("mexico").map(({ kind }) => kind);
    expect(kinds[0]).toBe("name");
    // A name of Georgia in some languages, and a state.
    expect(best("Georgia")).toEqual(["GE", "name", "Georgia"]);
    // The former name of two countries, and a part of the name of a region.
    expect(best("Macedonia")?.slice(0, 2)).toEqual(["MK", "formerName"]);
    expect(best("Luxembourg")).toEqual(["LU", "name", "Luxembourg"]);
  });

  test("lists the calling codes that start with a dialed number", () => {
    expect(search("+599").map(({ country, match, kind }) => [country.code2, match, kind])).toEqual([
      ["CW", "start", "callingCode"],
      ["BQ", "start", "callingCode"],
    ]);
    expect(codes("+599 9 123 4567")).toEqual(["CW"]);
    expect(codes("+888")).toEqual([]);
  });

  test("ranks currency symbols of letters below names", () => {
    const found = codes("le");
    expect(found.slice(0, 2)).toEqual(["LB", "LS"]);
    expect(found).toContain("SL");
    expect(codes("kr")[0]).toBe("KR");
    expect(codes("kr")).toEqual(expect.arrayContaining(["DK", "IS", "NO", "SE"]));
  });

  test("returns the subdivision that matches", () => {
    expect(search("bayern").map(({ value, state }) => [value, state?.code])).toEqual([["Bayern", "DE-BY"]]);
    expect(search("DE-BY").map(({ value, state }) => [value, state?.name])).toEqual([["DE-BY", "Bavaria"]]);
    expect(search("Germany")[0]?.state).toBeUndefined();
  });

  test.each([
    ["only an equal name", "germany", ["DE"]],
    ["equal names, then other names with the words", "guinea", ["GN", "GW", "GQ", "PG", "ID"]],
    ["a country before a subdivision of the same name", "georgia", ["GE", "US", "GS"]],
    ["no names for a top-level domain", ".de", ["DE"]],
    ["the more populous country first", "korea", ["KR", "KP"]],
    ["the more populous country first for a calling code", "+1", ["US", "CA", "UM"]],
    ["the more populous country first for subdivisions", "punjab", ["IN", "PK"]],
    ["a beginning of each word, in any order", "guin papu", ["PG"]],
    ["a conjunction that is still being typed", "trinidad an", ["TT"]],
    ["only the country of a place that is a country as well", "guadeloupe france", ["FR"]],
  ])("ranks %s", (_, query, expected) => {
    expect(codes(query)).toEqual(expected);
  });

  test.each([
    ["Germny", "DE"],
    ["Phillipines", "PH"],
    ["Kazakstan", "KZ"],
    ["Liechtenstien", "LI"],
    ["Azerbaidjan", "AZ"],
  ])("finds the misspelled name %s", (query, code2) => {
    expect(codes(query)).toEqual([code2]);
  });

  test("ranks misspelled names of countries before parts of names of subdivisions", () => {
    expect(codes("Collumbia").slice(0, 1)).toEqual(["CO"]);
    expect(codes("Columbia")).toEqual(["CO", "US", "CA"]);
  });

  test.each(["xyzzy", "Atlantis", "???", "+", "9999", "aeiou".repeat(20), "🦄", "\u0000"])(
    "finds nothing for %j",
    (query) => {
      expect(codes(query)).toEqual([]);
    },
  );

  test.each(["constructor", "__proto__", "(xyzzy+)+$", ".*", "[", "\\"])("takes %j literally", (query) => {
    expect(codes(query)).toEqual([]);
  });

  test("returns each country once, up to the limit", () => {
    const all = codes("EUR");
    expect(all).toHaveLength(37);
    expect(new Set(all).size).toBe(37);
    expect(all.slice(0, 3)).toEqual(["DE", "FR", "IT"]);
    expect(search("EUR", 3).map(({ country }) => country.code2)).toEqual(["DE", "FR", "IT"]);
  });

  test.each(countries.map((country) => [country.code2, country] as const))(
    "finds %s by its own values",
    (code2, country) => {
      const values = [
        ...[country.code2, country.code3, country.name, country.officialName, country.nativeName],
        ...[country.numeric, country.topLevelDomain].filter((value) => value !== ""),
        ...country.search.alternativeNames,
        ...country.search.localNames,
        ...country.search.formerNames,
        ...country.timeZones,
      ];
      expect(values.filter((value) => !codes(value).includes(code2))).toEqual([]);
      const [first] = codes(country.name);
      expect(first).toBe(code2);
    },
  );

  test("never throws, and is deterministic", () => {
    const query = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 100 }),
      fc.constantFrom(...countries.map(({ name }) => name)),
    );
    fc.assert(
      fc.property(query, (text) => {
        expect(search(text)).toEqual(search(text));
      }),
      { numRuns: 300 },
    );
  });
});

describe("parseQuery", () => {
  test.each([
    ["DE", "DE"],
    ["  South Korea\n", "South Korea"],
    ["é".repeat(100), "é".repeat(100)],
    ["🦄".repeat(100), "🦄".repeat(100)],
  ])("reads %j", (text, value) => {
    expect(parseQuery(text)).toEqual({ ok: true, value });
  });

  test.each([
    ["", "REQUIRED", "is required: a code or a name, for example DE, 276, +49 or Germany"],
    [" \t", "REQUIRED", "is required: a code or a name, for example DE, 276, +49 or Germany"],
    ["a".repeat(101), "QUERY_TOO_LONG", "must have at most 100 characters"],
    ["🦄".repeat(101), "QUERY_TOO_LONG", "must have at most 100 characters"],
  ])("rejects %j", (text, reason, description) => {
    expect(parseQuery(text)).toEqual({ ok: false, failure: { reason, description } });
  });
});
