import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** The codes by which people look for a country, besides those of its record: in use, of ISO 3166-3, of ISO 4217, of IANA. */
export const CODE_KINDS = ["code", "formerCode", "formerCurrency", "timeZone", "domain"] as const;

/**
 * What an alias is: another name, a part, a word for the inhabitants, a former name, the capital in another language or before, a large
 * city, or a code.
 */
export const ALIAS_KINDS = ["name", "part", "demonym", "former", "capital", "city", ...CODE_KINDS] as const;

/** A kind of {@link Aliases}. */
export type AliasKind = (typeof ALIAS_KINDS)[number];

/** Names of one kind by which people look for a country, besides its names. */
export interface Aliases {
  readonly kind: AliasKind;
  /** BCP 47; empty if the names belong to no language. */
  readonly language: string;
  readonly names: readonly string[];
}

/** A name of a currency. */
export interface CurrencyName {
  readonly name: string;
  /** BCP 47; empty if the name belongs to no language. */
  readonly language: string;
}

/** The names of countries in many languages. */
export interface CountryNames {
  /** Alpha-2 codes of all countries, in order. */
  readonly codes: readonly string[];
  /**
   * By language (BCP 47, for example `pt-PT`): the names of each country, in the order of the codes. The first name is the usual one; a
   * country can have none.
   */
  readonly languages: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** By alpha-2 code. */
  readonly aliases: ReadonlyMap<string, readonly Aliases[]>;
  /** Words that say what a country is and not which one, such as `republic`, in the form of the search. */
  readonly genericWords: ReadonlySet<string>;
  /** By ISO 4217 code, of former currencies as well. */
  readonly currencies: ReadonlyMap<string, readonly CurrencyName[]>;
}

/** Languages whose names are those of another language. */
const SAME_NAMES: Readonly<Record<string, string>> = { no: "nb", tl: "fil", sh: "sr-Latn", cmn: "zh" };

/** The length limit of a language tag. */
const MAX_TAG_LENGTH = 35;

/**
 * Finds the language of names for a BCP 47 tag in any case: the language itself, or the next more general one, so that `fr-CA` is `fr`
 * and `zh-TW` is `zh-Hant`.
 */
export function findLanguage(
  { languages }: CountryNames,
  tag: string,
): Result<string, Failure<"INVALID_LANGUAGE" | "UNSUPPORTED_LANGUAGE">> {
  const locale = parseTag(tag);
  if (locale === undefined) {
    return fail("INVALID_LANGUAGE", "must be a language tag, for example de or zh-Hant");
  }
  const { language, script, region } = locale.maximize();
  const alias = SAME_NAMES[language];
  const candidates = [
    locale.baseName,
    `${language}-${script}-${region}`,
    `${language}-${script}`,
    `${language}-${region}`,
    ...(alias === undefined ? [] : [alias]),
    language,
  ];
  // The undetermined language would be English.
  const found = /^und\b/i.test(tag) ? undefined : candidates.find((each) => languages.has(each));
  return found === undefined
    ? fail("UNSUPPORTED_LANGUAGE", `must be one of ${[...languages.keys()].sort().join(", ")}`)
    : ok(found);
}

function parseTag(tag: string): Intl.Locale | undefined {
  try {
    return tag.length <= MAX_TAG_LENGTH ? new Intl.Locale(tag) : undefined;
  } catch (error) {
    if (error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/** Returns the names of countries in a language by alpha-2 code. A country without a name there is not in it. */
export function namesIn(names: CountryNames, language: string): ReadonlyMap<string, string> {
  const all = names.languages.get(language) ?? [];
  return new Map(
    names.codes.flatMap((code, index) => {
      const name = all[index]?.[0];
      return name === undefined ? [] : [[code, name] as const];
    }),
  );
}

/** The failure of names with the wrong shape. */
type BrokenNames = Failure<"BROKEN_COUNTRY_DATA">;

/** Reads the parsed content of `data/country-names.json`. */
export function parseNames(json: unknown): Result<CountryNames, BrokenNames> {
  const { codes, genericWords, languages, aliases, currencies } = (isObject(json) ? json : {}) as Record<
    string,
    unknown
  >;
  const areLists = isListOf(codes, isText) && isListOf(genericWords, isText);
  if (!(areLists && isObject(languages) && isObject(aliases) && isObject(currencies))) {
    return broken("must have codes, genericWords, languages, aliases and currencies");
  }
  const byLanguage = new Map<string, readonly (readonly string[])[]>();
  for (const [language, names] of Object.entries(languages)) {
    if (!isListOf(names, isNames) || names.length !== codes.length) {
      return broken(`languages.${language} must have a name, a list of names or "" for each code`);
    }
    byLanguage.set(
      language,
      names.map((name) => (typeof name === "string" ? (name === "" ? [] : [name]) : name)),
    );
  }
  const byCode = new Map<string, readonly Aliases[]>();
  for (const [code, rows] of Object.entries(aliases)) {
    if (!isListOf(rows, isAliasRow)) {
      return broken(`aliases.${code} must have a kind, a language and names in each row`);
    }
    byCode.set(
      code,
      rows.map(([kind, language, ...names]) => ({ kind, language, names })),
    );
  }
  const byCurrency = new Map<string, readonly CurrencyName[]>();
  for (const [code, rows] of Object.entries(currencies)) {
    if (!isListOf(rows, isNameRow)) {
      return broken(`currencies.${code} must have a name and a language in each row`);
    }
    byCurrency.set(
      code,
      rows.map(([name, language]) => ({ name, language })),
    );
  }
  return ok({
    codes,
    languages: byLanguage,
    aliases: byCode,
    currencies: byCurrency,
    genericWords: new Set(genericWords),
  });
}

function broken(problem: string): Result<never, BrokenNames> {
  return fail("BROKEN_COUNTRY_DATA", `the names ${problem}`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNames(value: unknown): value is string | readonly string[] {
  return isText(value) || isListOf(value, isText);
}

function isNameRow(value: unknown): value is readonly [string, string] {
  return isListOf(value, isText) && value.length === 2;
}

function isAliasRow(value: unknown): value is readonly [AliasKind, string, ...string[]] {
  return isListOf(value, isText) && value.length > 2 && ALIAS_KINDS.some((kind) => kind === value[0]);
}
