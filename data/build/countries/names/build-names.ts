import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Country } from "../../../../src/tools/countries/country.js";
import { ALIAS_KINDS, type CountryNames } from "../../../../src/tools/countries/country-names.js";
import { searchText } from "../../../../src/tools/countries/search/search-text.js";
import { buildCodes } from "../codes/build-codes.js";
import { buildCurrencies } from "../codes/build-currencies.js";
import type { Sources } from "../sources.js";
import { buildGenericWords } from "./build-generic-words.js";
import { namedCities } from "./city-names.js";
import { demonyms, readTable } from "./demonyms.js";
import { type Alias, collectAliases, grouped } from "./find-names.js";
import { LANGUAGES, PARTS } from "./languages.js";

/** A row of aliases.tsv. */
interface AliasRow extends Alias {
  readonly code2: string;
}

/** Builds the names of countries in all languages, their aliases and codes, the names of their currencies, and generic words. */
export function buildNames(sources: Sources, countries: readonly Country[]): CountryNames {
  const names = ownNames(sources, countries);
  const more = collectAliases(countries, names);
  const everyday = readTable("everyday-names.tsv", "name");
  for (const [code2, alias] of [...everyday, ...demonyms(sources, names, everyday)]) {
    more.add(code2, alias);
  }
  for (const { code2, aliases } of namedCities(sources, countries)) {
    const own: string[] = [];
    for (const alias of aliases.filter(({ name }) => !more.isSimilar(name, own))) {
      more.add(code2, alias);
      own.push(searchText(alias.name).compact);
    }
  }
  return more.names();
}

/** Returns the names of CLDR and of aliases.tsv, the codes, the names of currencies and the generic words. */
function ownNames(sources: Sources, countries: readonly Country[]): CountryNames {
  const { territoryNames } = sources;
  const otherCodes = buildCodes(countries, sources);
  const sorted = countries.map(({ code2 }) => code2).sort();
  const namesOf = (language: string) => {
    const names = territoryNames.get(language);
    if (names === undefined) {
      throw new Error(`CLDR has no names in the language ${language}`);
    }
    return (code: string) => distinct((names.get(code) ?? []).map(clean));
  };
  const languages = new Map(LANGUAGES.map((language) => [language, sorted.map(namesOf(language))] as const));
  const rows = readAliases();
  const unknown = rows.find(({ code2 }) => !sorted.includes(code2));
  if (unknown !== undefined) {
    throw new Error(`the alias ${unknown.name} is of ${unknown.code2}, which is no country`);
  }
  const aliases = new Map(
    sorted.map((code) => {
      const own = rows.filter(({ code2 }) => code2 === code);
      const known = new Set(own.map(({ name }) => searchText(name).compact));
      const parts = Object.keys(PARTS).filter((part) => PARTS[part] === code);
      const ofParts = parts.flatMap((part) =>
        LANGUAGES.flatMap((language) =>
          namesOf(language)(part).map((name) => ({ name, language, kind: "part" as const })),
        ),
      );
      const fresh = ofParts.filter(({ name }) => {
        const { compact } = searchText(name);
        const isNew = !known.has(compact);
        known.add(compact);
        return isNew;
      });
      return [code, grouped([...own, ...fresh, ...(otherCodes.get(code) ?? [])])] as const;
    }),
  );
  const types = countries.map(({ states }) => states.map(({ type }) => type));
  return {
    codes: sorted,
    languages,
    aliases,
    currencies: buildCurrencies(countries, sources),
    genericWords: new Set(buildGenericWords(sources, types)),
  };
}

function clean(name: string): string {
  return name.replace(/[\u200e\u200f]/g, "").normalize("NFC");
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** Reads aliases.tsv. Throws an Error for a row with another kind, and for one that is there twice. */
function readAliases(): readonly AliasRow[] {
  const [, ...lines] = readFileSync(join(import.meta.dirname, "aliases.tsv"), "utf8")
    .trimEnd()
    .split("\n");
  const seen = new Set<string>();
  return lines.map((line) => {
    const [code2 = "", name = "", language = "", kind = ""] = line.split("\t");
    const known = ALIAS_KINDS.find((each) => each === kind);
    const key = `${code2} ${searchText(name).compact}`;
    if (known === undefined || seen.has(key)) {
      throw new Error(`aliases.tsv: ${known === undefined ? "unknown kind" : "there twice"}: ${line}`);
    }
    seen.add(key);
    return { code2, name: clean(name), language: language === "-" ? "" : language, kind: known };
  });
}
