import { editDistance } from "../../../../src/text/edit-distance.js";
import type { Country } from "../../../../src/tools/countries/country.js";
import type { Aliases, AliasKind, CountryNames } from "../../../../src/tools/countries/country-names.js";
import { createSearchIndex } from "../../../../src/tools/countries/search/search-index.js";
import type { TermKind } from "../../../../src/tools/countries/search/search-terms.js";
import { codeKey, searchText } from "../../../../src/tools/countries/search/search-text.js";
import { findSimilarNames, similarEdits } from "../../../../src/tools/countries/search/similar-names.js";

/** A name by which people look for a country. */
export interface Alias extends Omit<Aliases, "names"> {
  readonly name: string;
}

/** Puts names of one kind and language together. */
export function grouped(aliases: readonly Alias[]): readonly Aliases[] {
  const groups = new Map<string, Aliases & { readonly names: string[] }>();
  for (const { kind, language, name } of aliases) {
    const key = `${kind} ${language}`;
    const group = groups.get(key) ?? { kind, language, names: [] };
    group.names.push(name);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Kinds of names of which some are the beginnings of others: what they start with finds their country. */
const LONGER_NAMES: ReadonlySet<TermKind> = new Set([
  ...(["name", "officialName", "alternativeName", "localName", "translatedName"] as const),
  ...(["otherName", "part", "demonym", "formerName"] as const),
]);

/**
 * Collects aliases of other sources. It rejects what changes the result for a name that exists: a name that is there already, also of a
 * subdivision or a currency, and the beginning of the name of another country.
 */
export function collectAliases(countries: readonly Country[], names: CountryNames) {
  const index = createSearchIndex(countries, names);
  const beginnings = beginningsOf([...index.names.lists.values()].flat());
  const added = new Map(countries.map(({ code2 }) => [code2, new Map<string, Alias>()]));
  const kindOf = new Map<string, AliasKind>();

  return {
    /** Adds a name of a country. Two countries can have one demonym; the first country keeps other names. */
    add(code2: string, alias: Alias): void {
      const { compact } = searchText(alias.name);
      const kind = kindOf.get(compact);
      const isTaken =
        index.names.lists.has(compact) ||
        index.currencyNames.has(compact) ||
        index.codes.has(codeKey(alias.name)) ||
        [...(beginnings.get(compact) ?? [])].some((code) => code !== code2) ||
        (kind !== undefined && (kind !== "demonym" || alias.kind !== "demonym"));
      const own = added.get(code2);
      if (compact.length > 1 && !isTaken && own !== undefined && !own.has(compact)) {
        kindOf.set(compact, alias.kind);
        own.set(compact, { ...alias, name: alias.name.normalize("NFC").trim() });
      }
    },
    /** Whether the search finds a name as one that is similar to one of these in their compact form, and to no name of a country. */
    isSimilar(name: string, others: readonly string[]): boolean {
      const { compact } = searchText(name);
      const most = similarEdits(compact.length);
      return (
        others.some((other) => editDistance(other, compact, most) <= most) &&
        findSimilarNames(index.similar[0], compact).length === 0
      );
    },
    names: (): CountryNames => ({
      ...names,
      aliases: new Map(
        names.codes.map((code) => [
          code,
          [...(names.aliases.get(code) ?? []), ...grouped([...(added.get(code)?.values() ?? [])])],
        ]),
      ),
    }),
  };
}

/** By each beginning of the name of a country, the alpha-2 codes. */
function beginningsOf(
  terms: readonly { readonly country: Country; readonly kind: TermKind; readonly compact: string }[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const codes = new Map<string, Set<string>>();
  for (const { country, kind, compact } of terms) {
    for (let end = LONGER_NAMES.has(kind) ? compact.length : 0; end > 1; end--) {
      const start = compact.slice(0, end);
      codes.set(start, (codes.get(start) ?? new Set()).add(country.code2));
    }
  }
  return codes;
}
