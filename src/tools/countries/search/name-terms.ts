import type { Country } from "../country.js";
import type { AliasKind, CountryNames } from "../country-names.js";
import { KIND_OF_ALIAS, type NameTerm, type TermKind } from "./search-terms.js";
import { type SearchText, searchText } from "./search-text.js";

/** The ends of English demonyms that have no plural with `s`: `Swiss`, `French`, `Polish`, `Chinese`. */
const WITHOUT_PLURAL = /(?:s|x|[cs]h|ese)$/;

/** The names of a country and of its subdivisions. Of equal names of the country, the one of the first kind. */
export function nameTerms(country: Country, names: CountryNames): readonly NameTerm[] {
  const terms: NameTerm[] = [];
  const known = new Set<string>();
  const translations = translationsOf(country, names);
  const add = (kind: TermKind, value: string, language: string, text: SearchText) => {
    if (text.compact !== "" && !known.has(text.compact)) {
      known.add(text.compact);
      terms.push({
        country,
        kind,
        value,
        language,
        state: undefined,
        words: text.words,
        compact: text.compact,
      });
    }
  };
  const addName = (kind: TermKind, value: string, language: string) =>
    add(kind, value, language, searchText(value));
  const addLocalName = (value: string) => {
    const text = searchText(value);
    add("localName", value, localLanguage(country, translations, text.compact), text);
  };

  const { alternativeNames, localNames, formerNames, demonyms } = country.search;
  addName("name", country.name, "en");
  addName("officialName", country.officialName, "en");
  addLocalName(country.nativeName);
  alternativeNames.forEach((name) => {
    addName("alternativeName", name, "en");
  });
  localNames.forEach(addLocalName);
  for (const { value, language, words, compact } of translations) {
    add("translatedName", value, language, { words, compact });
  }
  const aliases = names.aliases.get(country.code2) ?? [];
  const addAliases = (wanted: AliasKind) => {
    for (const { names: own, language } of aliases.filter(({ kind }) => kind === wanted)) {
      own.forEach((name) => {
        addName(KIND_OF_ALIAS[wanted], name, language);
      });
    }
  };
  addAliases("name");
  addAliases("part");
  for (const { name, language } of demonyms) {
    addName("demonym", name, language);
    if (language === "en" && !WITHOUT_PLURAL.test(name)) {
      add("demonym", name, language, searchText(`${name}s`));
    }
  }
  addAliases("demonym");
  formerNames.forEach((name) => {
    addName("formerName", name, "en");
  });
  addAliases("former");
  addName("capital", country.capital, "");
  addAliases("capital");
  addAliases("city");

  for (const state of country.states) {
    for (const value of new Set([state.name, state.nativeName])) {
      const { words, compact } = searchText(value);
      if (compact !== "") {
        terms.push({ country, kind: "subdivisionName", value, language: "", state, words, compact });
      }
    }
  }
  return terms;
}

/** The language of a local name: an official one in which the country has this name, or else its only one. Empty if it is unknown. */
function localLanguage(
  { languages }: Country,
  translations: readonly { readonly language: string; readonly compact: string }[],
  compact: string,
): string {
  const found = translations.filter((each) => each.compact === compact);
  for (const { code } of languages) {
    const own = found.find(({ language }) => language.split("-")[0] === code);
    if (own !== undefined) {
      return own.language;
    }
  }
  return languages.length === 1 ? (languages[0]?.code ?? "") : "";
}

/** Abbreviations of CLDR for islands in Russian, Bulgarian and Ukrainian, and the words. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  "о-ва": "острова",
  "о-ви": "острови",
  "о-в": "остров",
};

/** The forms of a name that users type: as it is, German with `ae`, `oe` and `ue`, and without abbreviations. */
function formsOf(name: string, language: string): readonly string[] {
  const other = /^de\b/.test(language)
    ? name.replaceAll(/[äöü]/gi, withE)
    : name.replace(/(?<![^\s])о-(?:ва|ви|в)(?![^\s])/i, (word) => ABBREVIATIONS[word.toLowerCase()] ?? word);
  return other === name ? [name] : [name, other];
}

/** The names of a country in all languages, in all their forms. */
function translationsOf({ code2 }: Country, { codes, languages }: CountryNames) {
  const index = codes.indexOf(code2);
  const texts = new Map<string, SearchText>();
  const prepare = (value: string) => {
    const text = texts.get(value) ?? searchText(value);
    texts.set(value, text);
    return text;
  };
  return [...languages].flatMap(([language, all]) =>
    (all[index] ?? []).flatMap((value) =>
      formsOf(value, language).map((form) => ({ value, language, ...prepare(form) })),
    ),
  );
}

function withE(letter: string): string {
  return `${letter.normalize("NFD").slice(0, 1)}e`;
}
