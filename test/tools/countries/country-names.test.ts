import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findLanguage, namesIn, parseNames } from "../../../src/tools/countries/country-names.js";
import { loadNames } from "../../data/load-countries.js";

const names = loadNames();

describe("the committed names", () => {
  test("have a name of nearly all countries in each language", () => {
    expect(names.codes).toHaveLength(250);
    expect(names.languages.size).toBe(97);
    for (const [language, all] of names.languages) {
      const missing = names.codes.filter((_, index) => all[index]?.length === 0);
      expect(missing.length, `${language}: ${missing.join(" ")}`).toBeLessThan(40);
    }
  });

  test("are clean", () => {
    const texts = [
      ...[...names.languages.values()].flat(2),
      ...[...names.aliases.values()].flat().flatMap((each) => each.names),
    ];
    expect(texts.filter((text) => text === "" || text !== text.normalize("NFC").trim())).toEqual([]);
  });

  test.each([
    ["de", "FR", "Frankreich"],
    ["ja", "FR", "フランス"],
    ["zh-Hant", "DE", "德國"],
    ["pt-PT", "VN", "Vietname"],
    ["mt", "MT", "Malta"],
  ])("in %s of %s are %s", (language, code, name) => {
    expect(namesIn(names, language).get(code)).toBe(name);
  });

  test("have no alias that another country has as its English name", () => {
    const english = namesIn(names, "en");
    const owners = new Map([...english].map(([code, name]) => [name, code]));
    const wrong = [...names.aliases].flatMap(([code, all]) =>
      all
        .flatMap((each) => each.names)
        .filter((name) => (owners.get(name) ?? code) !== code)
        .map((name) => `${code} ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("findLanguage", () => {
  test.each([
    ["de", "de"],
    ["DE", "de"],
    ["de-LU", "de"],
    ["de-ch", "de-CH"],
    ["zh-TW", "zh-Hant"],
    ["zh-HK", "zh-Hant"],
    ["zh-Hans-SG", "zh"],
    ["no", "nb"],
    ["iw", "he"],
    ["tl", "fil"],
    ["sr-Latn", "sr-Latn"],
    ["sr-ME", "sr-Latn"],
    ["en-GB-oxendict", "en"],
    ["de-x-private", "de"],
    ["de-x".padEnd(35, "-private"), "de"],
  ])("of %s is %s", (tag, language) => {
    expect(findLanguage(names, tag)).toEqual({ ok: true, value: language });
  });

  test.each([
    ["", "INVALID_LANGUAGE"],
    ["d", "INVALID_LANGUAGE"],
    ["de_DE", "INVALID_LANGUAGE"],
    ["de\u0000", "INVALID_LANGUAGE"],
    ["de-x".padEnd(36, "-private"), "INVALID_LANGUAGE"],
    ["tlh", "UNSUPPORTED_LANGUAGE"],
    ["und", "UNSUPPORTED_LANGUAGE"],
  ])("rejects %j: %s", (tag, reason) => {
    expect(findLanguage(names, tag)).toMatchObject({ ok: false, failure: { reason } });
  });

  test("never throws", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: ANY_CHARACTER }),
        (tag) => typeof findLanguage(names, tag).ok === "boolean",
      ),
    );
  });
});

describe("parseNames", () => {
  const good = {
    codes: ["DE"],
    languages: { de: ["Deutschland"] },
    aliases: { DE: [["name", "de", "BRD", "Bundesrepublik"]] },
    currencies: { DEM: [["Deutsche Mark", "de"]] },
    genericWords: ["republic"],
  };

  test("reads names", () => {
    expect(parseNames(good)).toEqual({
      ok: true,
      value: {
        codes: ["DE"],
        languages: new Map([["de", [["Deutschland"]]]]),
        aliases: new Map([["DE", [{ kind: "name", language: "de", names: ["BRD", "Bundesrepublik"] }]]]),
        currencies: new Map([["DEM", [{ name: "Deutsche Mark", language: "de" }]]]),
        genericWords: new Set(["republic"]),
      },
    });
  });

  test.each([
    [{}, "the names must have codes, genericWords, languages, aliases and currencies"],
    [null, "the names must have codes, genericWords, languages, aliases and currencies"],
    [
      { ...good, languages: { de: [] } },
      'the names languages.de must have a name, a list of names or "" for each code',
    ],
    [
      { ...good, languages: { de: [1] } },
      'the names languages.de must have a name, a list of names or "" for each code',
    ],
    [
      { ...good, aliases: { DE: [["nickname", "de", "BRD"]] } },
      "the names aliases.DE must have a kind, a language and names in each row",
    ],
    [
      { ...good, currencies: { DEM: [["Deutsche Mark"]] } },
      "the names currencies.DEM must have a name and a language in each row",
    ],
  ])("rejects %j", (json, description) => {
    expect(parseNames(json)).toEqual({ ok: false, failure: { reason: "BROKEN_COUNTRY_DATA", description } });
  });
});
