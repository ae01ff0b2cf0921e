/** How the value of a setting is written, and how it is read. */
export interface SettingValue<T> {
  /** A word that stands for a value, such as `NUMBER`. */
  readonly placeholder: string;
  /** What is allowed, as it follows "must be". */
  readonly allowed: string;
  /** The value of a text that is not empty; undefined when it is not allowed. Never throws. */
  readonly parse: (text: string) => T | undefined;
}

/** One of some words. */
export function choice<const T extends string>(placeholder: string, words: readonly T[]): SettingValue<T> {
  return {
    placeholder,
    allowed: joinWords(words, "or"),
    parse: (text) => words.find((word) => word === text),
  };
}

/** A whole number in decimal, without leading zeros. */
export function numberBetween(min: number, max: number): SettingValue<number> {
  return {
    placeholder: "NUMBER",
    allowed: `a number from ${min} to ${max}`,
    parse: (text) => {
      const number = parseWholeNumber(text);
      return number !== undefined && number >= min && number <= max ? number : undefined;
    },
  };
}

/** Values joined by commas, with or without white space around them. */
export function listOf<T>(
  placeholder: string,
  allowed: string,
  parseItem: (text: string) => T | undefined,
): SettingValue<readonly T[]> {
  return {
    placeholder: `${placeholder}[,…]`,
    allowed,
    parse: (text) => {
      const items = text.split(",").map((item) => parseItem(item.trim()));
      return items.every((item) => item !== undefined) ? Object.freeze(items) : undefined;
    },
  };
}

/** A whole number that JavaScript holds exactly, in decimal, without sign and leading zeros; undefined for any other text. */
export function parseWholeNumber(text: string): number | undefined {
  return /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined;
}

/** Writes words as a sentence lists them: `a, b and c`. */
export function joinWords(words: readonly string[], conjunction: "and" | "or"): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${conjunction} ${last}`;
}
