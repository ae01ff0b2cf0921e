import { editDistance } from "../../../text/edit-distance.js";
import { coreOf, genericDifference, isGeneric, MIN_GENERIC } from "./generic-words.js";
import { type SearchIndex, termsWithWord } from "./search-index.js";
import type { FoundCountries } from "./search-ranks.js";
import { CURRENT_NAMES, type NameTerm } from "./search-terms.js";
import { type SearchText, textOfWords } from "./search-text.js";
import { findSimilarNames, similarEdits } from "./similar-names.js";

/** A name with a small difference to the query. */
interface SimilarTerm {
  readonly term: NameTerm;
  /** The edits, and a half for each sign that another country is meant. */
  readonly weight: number;
}

/** What separates the best country from the next one, if the best one is certain. */
const MARGIN = 0.5;

/**
 * Adds the country whose name differs from a text in a few letters. Generic words are not compared. Several countries, and a name that is
 * less similar, are suggestions.
 */
export function addSimilarNames(
  index: SearchIndex,
  texts: readonly SearchText[],
  found: FoundCountries,
  suggested: FoundCountries,
): void {
  for (const names of index.similar) {
    if (!found.isEnough()) {
      const similar = texts.flatMap((text) => similarTerms(index, names, text));
      // There are so many names of cities that most invented names are similar to one.
      const named = similar.filter(({ term: { kind } }) => kind !== "city" && kind !== "capital");
      const capitals = similar.filter(({ term: { kind } }) => kind === "capital");
      const certain = certainOf(index, named.length > 0 ? named : capitals);
      for (const { term, weight } of similar) {
        (certain.has(term) ? found : suggested).add(term, "similar", weight);
      }
      // A rare name does not decide between countries whose names of today are equally similar.
      const nearest = similar.filter(({ weight }) => weight <= 1);
      if (certain.size === 0 && nearest.length > 0) {
        return;
      }
    }
  }
}

/** Finds the names of the country that differs from a text in a few letters. */
export function findCertain(index: SearchIndex, text: SearchText): readonly NameTerm[] {
  return index.similar.flatMap((names) => [...certainOf(index, similarTerms(index, names, text))]);
}

/** The similar names, if those that are most similar are of one country. Two similar names of a country leave no doubt about the language. */
function certainOf({ generic }: SearchIndex, similar: readonly SimilarTerm[]): ReadonlySet<NameTerm> {
  const least = similar.reduce((most, { weight }) => Math.min(most, weight), Number.POSITIVE_INFINITY);
  const best = similar.filter(({ weight }) => weight < least + MARGIN);
  const country = best[0]?.term.country;
  if (!best.every(({ term }) => term.country === country)) {
    return new Set();
  }
  const own = similar.filter(({ term }) => term.country === country);
  const hasSeveral = new Set(own.map(({ term }) => term.compact)).size > 1;
  const near = own.filter(
    ({ term, weight }) =>
      weight - (hasSeveral ? doubtOf(term) : 0) <= mostWeight(coreOf(term, generic).compact.length),
  );
  return new Set(near.map(({ term }) => term));
}

/** The weight up to which a name of some length is certain. Two edits of seven letters make another name. */
function mostWeight(length: number): number {
  return length === 7 ? 1.5 : similarEdits(length);
}

function similarTerms(
  index: SearchIndex,
  names: SearchIndex["similar"][number],
  text: SearchText,
): readonly SimilarTerm[] {
  const { generic } = index;
  const core = coreOf(text, generic);
  return findSimilarNames(names, core.compact).flatMap(({ name, edits }) =>
    [...(index.names.lists.get(name) ?? []), ...(index.cores.get(name) ?? [])]
      .filter((term) => term.state === undefined && haveSimilarWords(core, coreOf(term, generic)))
      .map((term) => ({
        term,
        weight:
          (withoutDoubles(name) === withoutDoubles(core.compact) ? Math.min(edits, 1) : edits) +
          (name[0] === core.compact[0] || name.charCodeAt(0) >= AFTER_LATIN ? 0 : 1.5) +
          doubtOf(term) +
          (genericDifference(text.words, term.words, generic) > 0 ? 0.5 : 0),
      })),
  );
}

/** A text with each doubled letter once: which letters are doubled is often confused, as in `Morroco`. */
function withoutDoubles(text: string): string {
  return text.replaceAll(/(.)\1+/g, "$1");
}

/** The first letter after the Latin ones. */
const AFTER_LATIN = 0x370;

/** Names of today in English and in the languages of the country are typed most. Each other script has few languages. */
function doubtOf({ kind, language, country, compact }: NameTerm): number {
  const [base = ""] = language.split("-");
  const isKnown =
    base === "" ||
    base === "en" ||
    compact.charCodeAt(0) >= AFTER_LATIN ||
    country.languages.some(({ code }) => code === base);
  return (CURRENT_NAMES.has(kind) ? 0 : 0.5) + (isKnown ? 0 : 0.75);
}

/** The fewest letters of a word that is compared on its own. Shorter ones are articles and conjunctions in most names. */
const MIN_WORD = 4;

/** Whether each word is similar to the one in its place, if there are as many. `West` is not `East`. */
function haveSimilarWords(a: SearchText, b: SearchText): boolean {
  return (
    a.words.length < 2 ||
    a.words.length !== b.words.length ||
    a.words.every((word, index) => {
      const other = b.words[index] ?? "";
      const isSameStart = word[0] === other[0];
      const most = isSameStart ? Math.max(1, similarEdits(Math.max(word.length, other.length))) : 1;
      return Math.max(word.length, other.length) < MIN_WORD || editDistance(word, other, most) <= most;
    })
  );
}

/** The difference of generic words that does not decide between two countries: `Demokratická republika Kongo` is not `Kongo`. */
const UNCERTAIN_DIFFERENCE = 2;

/** Adds names that differ from the query in generic words only. The values are the query if the words are as typed. */
export function addEqualCores(
  { names, cores, generic }: SearchIndex,
  text: SearchText,
  isTyped: boolean,
  found: FoundCountries,
  suggested: FoundCountries,
): void {
  const { compact } = coreOf(text, generic);
  if (compact === "" || (isTyped && compact === text.compact)) {
    return;
  }
  const terms = [...(names.lists.get(compact) ?? []), ...(cores.get(compact) ?? [])].map((term) => ({
    term,
    difference: genericDifference(text.words, wordsOf(term), generic),
  }));
  const least = Math.min(...terms.map(({ difference }) => difference));
  const named = new Set(terms.flatMap(({ term }) => (term.state === undefined ? [term.country] : [])));
  const isCertain = named.size < 2 || least < UNCERTAIN_DIFFERENCE;
  for (const { term, difference } of terms) {
    const isNearest = difference === least;
    const match = isNearest ? (isTyped ? "exact" : "similar") : "part";
    (isCertain ? found : suggested).add(term, match, Math.min(difference, 4));
  }
}

/** The words of a name, and of the type of a subdivision. */
function wordsOf({ words, state }: NameTerm): readonly string[] {
  return state === undefined ? words : [...words, ...state.type.split(/\W+/)];
}

/** The fewest letters of a generic word with two edits. */
const LONG_GENERIC = 9;

/** Corrects generic words, such as `repulic`; undefined if nothing is corrected or only generic words are left. */
export function correctGeneric(index: SearchIndex, { words }: SearchText): SearchText | undefined {
  if (words.length < 2) {
    return undefined;
  }
  const corrected = words.map((word) => {
    const isKnown =
      word.length < MIN_GENERIC || termsWithWord(index, word).length > 0 || isGeneric(word, index.generic);
    return isKnown
      ? word
      : (findSimilarNames(index.similarGeneric, word, word.length < LONG_GENERIC ? 1 : 2)[0]?.name ?? word);
  });
  const text = textOfWords(corrected);
  return corrected.every((word, at) => word === words[at]) || coreOf(text, index.generic).compact === ""
    ? undefined
    : text;
}
