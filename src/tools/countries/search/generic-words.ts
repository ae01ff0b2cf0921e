import { type SearchText, textOfWords } from "./search-text.js";

/** Abbreviations of generic words, in the form of the search. */
const ABBREVIATIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    arch: ["archipelago"],
    dem: ["democratic"],
    dep: ["department"],
    dpr: ["democratic", "people", "republic"],
    dr: ["democratic", "republic"],
    fed: ["federal"],
    is: ["islands"],
    isds: ["islands"],
    isl: ["islands"],
    isls: ["islands"],
    kgdm: ["kingdom"],
    pdr: ["people", "democratic", "republic"],
    pr: ["people", "republic"],
    prov: ["province"],
    rep: ["republic"],
    repub: ["republic"],
    sar: ["special", "administrative", "region"],
    soc: ["socialist"],
    sts: ["states"],
    terr: ["territory"],
  }),
);

/** The first character of the scripts that have no spaces between words, in the order of Unicode: Thai. */
const WITHOUT_SPACES = 0x0e00;

/** The fewest letters of a generic word for which a misspelled one is taken. */
export const MIN_GENERIC = 5;

/** Whether a word says what a country is, and not which one. */
export function isGeneric(word: string, generic: ReadonlySet<string>): boolean {
  return generic.has(word) || ABBREVIATIONS.has(word);
}

/** A name or a query without its generic words: `Argentina` of `Republic of Argentina`. It can be empty. */
export function coreOf(text: SearchText, generic: ReadonlySet<string>): SearchText {
  const { words } = text;
  if (!words.some((word) => word.charCodeAt(0) >= WITHOUT_SPACES || isGeneric(word, generic))) {
    return text;
  }
  return textOfWords(
    words.filter((word) => !isGeneric(word, generic)).map((word) => withoutAffix(word, generic)),
  );
}

/** The shortest and the longest generic beginning or ending of a word in a script without spaces. */
const AFFIX_LENGTHS = [6, 5, 4, 3, 2];

/** Removes a generic ending or beginning in scripts that have no spaces: `阿根廷` of `阿根廷共和国`. */
function withoutAffix(word: string, generic: ReadonlySet<string>): string {
  if (word.charCodeAt(0) < WITHOUT_SPACES) {
    return word;
  }
  for (const length of AFFIX_LENGTHS) {
    if (word.length > length) {
      if (generic.has(word.slice(-length))) {
        return word.slice(0, -length);
      }
      if (generic.has(word.slice(0, length))) {
        return word.slice(length);
      }
    }
  }
  return word;
}

/**
 * Counts how much the generic words of a name differ from those of a query: 1 for each that the name lacks, and less for each that the
 * query lacks.
 */
export function genericDifference(
  query: readonly string[],
  name: readonly string[],
  generic: ReadonlySet<string>,
): number {
  const [wanted, own] = [kindsOf(query, generic), kindsOf(name, generic)];
  if (wanted.size + own.size === 0) {
    return 0;
  }
  const missing = [...wanted].filter((word) => !own.has(word)).length;
  return missing + 0.4 * [...own].filter((word) => !wanted.has(word)).length;
}

const NONE: ReadonlySet<string> = new Set();

/** The generic words without articles and the like, without abbreviations and plurals. */
function kindsOf(words: readonly string[], generic: ReadonlySet<string>): ReadonlySet<string> {
  const own = words.filter((word) => isGeneric(word, generic));
  return own.length === 0
    ? NONE
    : new Set(
        own
          .flatMap((word) => ABBREVIATIONS.get(word) ?? [word])
          .filter((word) => word.length >= MIN_GENERIC || word.charCodeAt(0) >= WITHOUT_SPACES)
          .map((word) => word.replace(/s$/, "")),
      );
}
