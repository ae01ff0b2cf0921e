import type { Country } from "../country.js";
import { coreOf, isGeneric } from "./generic-words.js";
import { type SearchIndex, termsWithWord } from "./search-index.js";
import type { FoundCountries } from "./search-ranks.js";
import { findCertain } from "./search-similar.js";
import { CURRENT_NAMES, type SearchTerm, type TermKind } from "./search-terms.js";
import { codeKey, type SearchText, searchText, textOfWords } from "./search-text.js";

/** The smallest share of a longer query that a name in it has, if the other words are unknown. */
const MIN_PART = 0.4;
/** The most words of such a name. */
const MAX_PART_WORDS = 6;
/** The most words of a query that are examined. */
const MAX_WORDS = 12;

/** Countries whose addresses end with a state, mostly without the country: `Cambridge, MA`, `Athens, Georgia`. */
const WITH_STATES = ["US", "CA", "AU"];

/** Kinds of values that are a country, and not a place in it. */
const OF_COUNTRIES: ReadonlySet<TermKind> = new Set([...CURRENT_NAMES, "otherName", "formerName"]);

/** The characters between the parts of a place. */
const SEPARATOR = /[,;:|\n/()[\]]+|\s[-–—]\s/;

/** A word with a digit, such as a postal code. */
const WITH_DIGIT = /\S*\p{N}\S*/gu;

/**
 * Adds the country of a place such as `Paris, Texas, USA`: that of its last part. If this is the value of several countries, it is one
 * where another part is known. Returns whether the query has parts.
 */
export function addPlace(
  index: SearchIndex,
  query: string,
  found: FoundCountries,
  suggested: FoundCountries,
): boolean {
  const parts = query
    .split(SEPARATOR)
    .map((part) => part.replaceAll(WITH_DIGIT, " ").trim())
    .filter(
      (part, at, { length }) =>
        (at === length - 1 && /^[A-Z]{2,3}$/.test(part)) ||
        searchText(part).words.some((word) => !isGeneric(word, index.generic)),
    );
  if (parts.length < 2) {
    return false;
  }
  const places = parts.map((part, at) => placesOf(index, part, at === parts.length - 1));
  const end = places.length - 1;
  // A misspelled last part is not looked for beside a name of a country, for which it is a remark.
  if (places[end]?.length === 0 && !places.flat().some(isCountry)) {
    places[end] = findCertain(index, searchText(parts[end] ?? ""));
  }
  const last = places.findLastIndex((terms) => terms.length > 0);
  const terms = places[last] ?? [];
  const others = places.flatMap((all, at) => (at === last ? [] : all));
  const elsewhere = new Set(others.map(({ country }) => country));
  const known = terms.filter(({ country }) => elsewhere.has(country));
  // The code of a country beside its name, as in `Aruba (AW)`.
  const own = known.filter(
    (term) => isCode(term) && others.some((other) => isCountry(other) && other.country === term.country),
  );
  const chosen = own.length > 0 ? own : known.length > 0 ? known : preferred(terms);
  const isCertain =
    new Set(chosen.map(({ country }) => country)).size === 1 &&
    (last === parts.length - 1 || known.length > 0 || (elsewhere.size === 0 && isCountry(chosen[0])));
  for (const term of chosen) {
    (isCertain ? found : suggested).add(term, "part");
  }
  for (const term of terms) {
    suggested.add(term, "part", 1);
  }
  return true;
}

function isCountry(term: SearchTerm | undefined): boolean {
  return term !== undefined && OF_COUNTRIES.has(term.kind);
}

function isCode({ kind }: SearchTerm): boolean {
  return kind === "alpha2" || kind === "alpha3";
}

/** The values that a part of a place is. A code has a meaning at the end only. */
function placesOf(index: SearchIndex, part: string, isLast: boolean): readonly SearchTerm[] {
  const { names, cores, codes, generic, stateCodes } = index;
  const text = searchText(part);
  const core = coreOf(text, generic).compact;
  const equal = names.lists.get(text.compact) ?? [];
  const named =
    equal.length > 0 || core === "" ? equal : [...(names.lists.get(core) ?? []), ...(cores.get(core) ?? [])];
  if (!isLast) {
    return named;
  }
  const code = codeKey(part);
  const coded = /^[a-z]{2,3}$/.test(code)
    ? [...(codes.get(code) ?? []).filter(isCode), ...(stateCodes.get(code) ?? [])]
    : [];
  return [...named, ...coded];
}

/** The value that is meant most, of several ones without a hint. */
function preferred(terms: readonly SearchTerm[]): readonly SearchTerm[] {
  for (const code2 of WITH_STATES) {
    // Outlying areas, such as Puerto Rico, are countries themselves.
    const states = terms.filter(
      ({ country, state }) =>
        country.code2 === code2 && state !== undefined && !state.type.startsWith("outlying"),
    );
    if (states.length > 0) {
      return states;
    }
  }
  const countries = terms.filter((term) => isCountry(term) || isCode(term));
  return countries.length > 0 ? countries : terms;
}

/** Adds current names that are some words of the query, for example `Iran` of `Iran Islamic`; longer ones precede. */
export function addPartsOfQuery(
  index: SearchIndex,
  { words, compact }: SearchText,
  found: FoundCountries,
  suggested: FoundCountries,
): void {
  const some = words.slice(0, MAX_WORDS);
  // The query may as well be a misspelled name of the country that is suggested.
  const isAlone = suggested.sorted(1).length === 0;
  for (let start = 0; start < some.length; start++) {
    for (let end = start + 1; end <= Math.min(some.length, start + MAX_PART_WORDS); end++) {
      const name = textOfWords(some.slice(start, end));
      const part = name.compact;
      const rest = textOfWords([...some.slice(0, start), ...some.slice(end)]);
      for (const term of index.names.lists.get(part) ?? []) {
        if (CURRENT_NAMES.has(term.kind) && coreOf(name, index.generic).compact !== "") {
          const isAtEnd = start === 0 || end === some.length;
          const share = part.length / compact.length;
          const place = isAtEnd ? relationOf(index, rest, term.country) : "unknown";
          const isCertain =
            !index.continents.has(part) &&
            (place === "own" || (place === "unknown" && isAlone && isAtEnd && share >= MIN_PART));
          (isCertain ? found : suggested).add(term, "part", 9 * (1 - share));
        }
      }
    }
  }
}

/** Whether the other words of a query are a place in a country, or have a word of another country. */
function relationOf(index: SearchIndex, rest: SearchText, country: Country): "own" | "foreign" | "unknown" {
  const isOwn = (terms: readonly SearchTerm[] = []) => terms.some((term) => term.country === country);
  const distinctive = rest.words.filter((word) => !isGeneric(word, index.generic));
  if (distinctive.length === 0 || isOwn(index.names.lists.get(rest.compact))) {
    return "own";
  }
  const isForeign = distinctive.some((word) => {
    const terms = termsWithWord(index, word);
    return !isOwn(terms) && terms.some(({ language, state }) => state === undefined && language === "en");
  });
  return isForeign ? "foreign" : "unknown";
}
