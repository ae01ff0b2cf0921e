import { type SearchIndex, zoneKey } from "./search-index.js";
import type { SearchTerm } from "./search-terms.js";
import { codeKey } from "./search-text.js";

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
/** The most digits of a calling code or of the beginning of a telephone number. */
const MAX_PREFIX = 9;

/**
 * Finds the values that a query is as a code: any code, a flag, or a telephone number as people write it (`0044`, `011 44`, `tel:+33-1-42`). Of a number
 * that is only the beginning of calling codes (`+599`), it finds those. Full-width characters are normal ones.
 */
export function findCodes({ codes }: SearchIndex, text: string): CodeMatch {
  const query = text.normalize("NFKC");
  const find = (code: string) => codes.get(codeKey(code)) ?? [];
  const flag = readFlag(query);
  if (flag !== undefined) {
    return { terms: find(flag), match: "exact", isCode: true };
  }
  const dialed = readDialed(query);
  // `004` and `008` are numeric codes.
  if (dialed !== undefined && !(/^0\d\d$/.test(query) && codes.has(query))) {
    for (let length = Math.min(dialed.length, MAX_PREFIX); length > 0; length--) {
      const terms = find(`+${dialed.slice(0, length)}`);
      if (terms.length > 0) {
        return { terms, match: "exact", isCode: true };
      }
    }
    const longer = [...codes].filter(([key]) => key.startsWith(`+${dialed}`));
    return { terms: longer.flatMap(([, terms]) => terms), match: "start", isCode: true };
  }
  const terms = find(query);
  const zones = terms.length === 0 && query.includes("/") ? find(zoneKey(query)) : terms;
  return { terms: zones, match: "exact", isCode: /^[.+]/.test(query) };
}

/** What separates the digits of a telephone number: spaces, hyphens of all kinds, dots, slashes and parentheses. */
const SEPARATORS = String.raw`[\s\p{Pd}\u2212.·/\\()_~]`;
/** A scheme of a URI, an opening parenthesis, the international prefix (`+`, `00`, `011`), and digits up to a letter, a comma or the like. */
const DIALED = new RegExp(
  String.raw`^(?:(?:tel|sms|callto)\s*:)?${SEPARATORS}*(?:\+|00|011(?=${SEPARATORS}*\d))((?:\d|${SEPARATORS})*)(?:[a-z;:,#].*)?$`,
  "iu",
);

/** Reads a telephone number with an international prefix. Returns its digits without the prefix; undefined for other texts. */
function readDialed(query: string): string | undefined {
  // In parentheses, 0 is dialed in the country only. Numbers of Italy keep it.
  const [, number] = DIALED.exec(query.replaceAll(/\p{Cf}/gu, "").replace(/(?<!\+39\s*)\(0\)/, "")) ?? [];
  const digits = number?.replaceAll(/\D/g, "");
  return digits === "" ? undefined : digits;
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
