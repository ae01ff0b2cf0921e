import { foldText } from "../../../text/fold-text.js";

/** A country as the list names it. */
export interface NamedCountry {
  readonly code2: string;
  readonly code3: string;
  readonly name: string;
  readonly localizedName?: string | undefined;
}

/** A country of a list with its number. */
export interface CountryAmount {
  readonly code: string;
  readonly amount: number;
}

/** What a list of countries with numbers says. */
export interface CountryAmounts {
  /** The largest number first. A country that the list has more than once has the sum. */
  readonly amounts: readonly CountryAmount[];
  /** The lines that are not used, from 1, with their text. */
  readonly problems: readonly { readonly line: number; readonly text: string }[];
}

/** How many lines are read. */
const MAX_LINES = 100_000;

/**
 * Reads lines such as `US,120`, `Germany;80` or, for one each, `FR`. A number can have a decimal point. A first line without a country
 * is the header of a table.
 */
export function readAmounts(text: string, countries: readonly NamedCountry[]): CountryAmounts {
  const codes = new Map(
    countries.flatMap(({ code2, code3, name, localizedName = "" }) =>
      [name, localizedName, code2, code3].map((each) => [foldText(each), code2] as const),
    ),
  );
  codes.delete("");
  const sums = new Map<string, number>();
  const problems: { line: number; text: string }[] = [];
  for (const [index, line] of text.split(/\r?\n/).slice(0, MAX_LINES).entries()) {
    const [, name = "", number = "1"] =
      /^\s*"?(.*?)"?\s*(?:[,;\t]\s*"?(\d+(?:\.\d+)?)"?\s*)?$/.exec(line) ?? [];
    const code = codes.get(foldText(name));
    if (code !== undefined) {
      sums.set(code, (sums.get(code) ?? 0) + Number(number));
    } else if (line.trim() !== "" && index > 0) {
      problems.push({ line: index + 1, text: line.trim() });
    } else if (line.trim() !== "" && !/[,;\t]/.test(line)) {
      problems.push({ line: 1, text: line.trim() });
    }
  }
  const amounts = [...sums]
    .map(([code, amount]) => ({ code, amount }))
    .sort((one, other) => other.amount - one.amount || one.code.localeCompare(other.code));
  return { amounts, problems };
}

/** A shade of the map: countries with a number from `least` to `most`. */
export interface Shade {
  readonly least: number;
  readonly most: number;
  readonly codes: readonly string[];
}

/** How many shades a map has at most: more cannot be told apart. */
const SHADES = 5;

/** Divides countries into shades, the lightest first. Each has about as many different numbers. */
export function shadesOf(amounts: readonly CountryAmount[]): Shade[] {
  const numbers = [...new Set(amounts.map(({ amount }) => amount))].sort((one, other) => one - other);
  const count = Math.min(SHADES, numbers.length);
  return Array.from({ length: count }, (_, index) => {
    const part = numbers.slice(
      Math.round((index * numbers.length) / count),
      Math.round(((index + 1) * numbers.length) / count),
    );
    const [least, most] = [part[0] ?? 0, part.at(-1) ?? 0];
    const codes = amounts.filter(({ amount }) => amount >= least && amount <= most).map(({ code }) => code);
    return { least, most, codes };
  });
}
