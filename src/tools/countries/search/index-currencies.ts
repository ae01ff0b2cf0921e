import type { CurrencyName } from "../country-names.js";
import { codeKey, searchText } from "./search-text.js";

/** A currency, and a name of it. */
export interface NamedCurrency extends CurrencyName {
  /** ISO 4217 code. */
  readonly code: string;
}

/** Languages in which the unit is the first word of the name of a currency: `franc suisse`. */
const UNIT_FIRST: ReadonlySet<string> = new Set("ar ca es fa fr gl he id it ms pl pt ro sw".split(" "));
/** "New" before the unit: `nuevo dólar`. */
const NEW = /^(?:nuevo|novo|nouveau|nouvelle|nuovo)$/;

/**
 * Adds a name of a currency to the index: `Swiss Franc` is found as a whole and as `franc`, and `Brazilian Cruzeiro (1990–1993)` without
 * the years. Of several names of a currency with one form, the first one counts.
 */
export function indexCurrencyName(
  currency: NamedCurrency,
  currencyNames: Map<string, NamedCurrency[]>,
): void {
  const { name, language, code } = currency;
  // A symbol, such as `A$`, is found as a whole.
  if (/\p{Sc}/u.test(name)) {
    const symbol = codeKey(name);
    currencyNames.set(symbol, [...(currencyNames.get(symbol) ?? []), currency]);
    return;
  }
  const whole = searchText(name);
  const { words, compact } = name.includes("(") ? searchText(name.replace(/\s*\(.*\)/, "")) : whole;
  const [first = compact, second = first] = words;
  const ofFirst = NEW.test(first) ? second : first;
  // In Vietnamese, each syllable is a word.
  const last = language === "vi" ? compact : (words.at(-1) ?? compact);
  const unit = UNIT_FIRST.has(language) ? ofFirst : last;
  for (const form of new Set([whole.compact, compact, unit])) {
    const known = currencyNames.get(form) ?? [];
    if (known.every((each) => each.code !== code)) {
      currencyNames.set(form, [...known, currency]);
    }
  }
}
