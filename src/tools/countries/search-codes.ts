import { codeKey, type SearchIndex, type SearchTerm } from "./search-index.js";

/** Whether a query can only be a code: it starts with a plus sign or a dot, or is a flag or a number as people dial it. */
export interface CodeMatch {
  readonly terms: readonly SearchTerm[];
  /** `start`: the codes are longer than the query. */
  readonly match: "exact" | "start";
  /** Whether names need not be searched. */
  readonly isCode: boolean;
}

const REGIONAL_INDICATOR_A = 0x1f1e6;
const BLACK_FLAG = 0x1f3f4;
/** Tag characters are ASCII plus this. */
const TAGS = 0xe0000;
const VARIATION_SELECTOR = 0xfe0f;
/** The most UTF-16 units of a flag. */
const MAX_FLAG_LENGTH = 20;
/** The longest calling code, with an area code. */
const MAX_CALLING_CODE = 7;

/**
 * Finds the values that a query is as a code: any code, a flag, or a number as people dial it (`0044`, `011 44`, `+33 1 42`). Of a number
 * that is only the beginning of calling codes (`+599`), it finds those. Full-width characters are normal ones.
 */
export function findCodes({ codes }: SearchIndex, text: string): CodeMatch {
  const query = text.normalize("NFKC");
  const find = (code: string) => codes.get(codeKey(code)) ?? [];
  const flag = readFlag(query);
  if (flag !== undefined) {
    return { terms: find(flag), match: "exact", isCode: true };
  }
  const dialed = /^(?:\+|00|011(?=[\s-]*\d))[\s-]*(\d[\d\s()-]*)$/.exec(query)?.[1]?.replaceAll(/\D/g, "");
  // `004` and `008` are numeric codes.
  if (dialed !== undefined && !(/^0\d\d$/.test(query) && codes.has(query))) {
    for (let length = Math.min(dialed.length, MAX_CALLING_CODE); length > 0; length--) {
      const terms = find(`+${dialed.slice(0, length)}`);
      if (terms.length > 0) {
        return { terms, match: "exact", isCode: true };
      }
    }
    const longer = [...codes].filter(([key]) => key.startsWith(`+${dialed}`));
    return { terms: longer.flatMap(([, terms]) => terms), match: "start", isCode: true };
  }
  return { terms: find(query), match: "exact", isCode: /^[.+]/.test(query) };
}

/** Reads a flag: that of a country as it is, that of a subdivision as its code. Undefined for other texts. */
function readFlag(query: string): string | undefined {
  if (query.length > MAX_FLAG_LENGTH) {
    return undefined;
  }
  const points = [...query]
    .map((char) => char.codePointAt(0) ?? 0)
    .filter((point) => point !== VARIATION_SELECTOR);
  const [first = 0, ...rest] = points;
  const isIndicator = (point: number) => point >= REGIONAL_INDICATOR_A && point < REGIONAL_INDICATOR_A + 26;
  if (points.length === 2 && points.every(isIndicator)) {
    return String.fromCodePoint(...points);
  }
  const isTag = (point: number) => point > TAGS && point < TAGS + 0x80;
  if (first !== BLACK_FLAG || rest.length < 4 || !rest.every(isTag)) {
    return undefined;
  }
  const letters = String.fromCharCode(...rest.slice(0, -1).map((point) => point - TAGS));
  return `${letters.slice(0, 2)}-${letters.slice(2)}`;
}
