/** Reads and describes the value of one setting. */
export interface SettingValue<T> {
  /** The placeholder of a value in help, such as `NUMBER`. */
  readonly placeholder: string;
  /** The allowed values, worded to follow "must be". */
  readonly allowed: string;
  /** The words that a value is, or that it joins by commas, for completion; undefined: it is no word. */
  readonly words?: readonly string[];
  /** An allowed value, for messages about a notation that is easily mistaken. */
  readonly example?: string;
  /** Parses a non-empty text. Returns undefined if it is not allowed. Never throws. */
  readonly parse: (text: string) => T | undefined;
}

/** A number of requests per time window. */
export interface Rate {
  /** Requests, at least one. */
  readonly limit: number;
  /** Whole seconds, from one to a day. */
  readonly window: number;
}

export function choice<const T extends string>(placeholder: string, words: readonly T[]): SettingValue<T> {
  return {
    placeholder,
    allowed: joinWords(words, "or"),
    words,
    parse: (text) => words.find((word) => word === text),
  };
}

/** A whole number in decimal, without leading zeros. */
export function wholeNumber(min: number, max: number): SettingValue<number> {
  return {
    placeholder: "NUMBER",
    allowed: `a number from ${min} to ${max}`,
    parse: (text) => {
      const number = parseWholeNumber(text);
      return number !== undefined && number >= min && number <= max ? number : undefined;
    },
  };
}

/** Values joined by commas, with optional white space around each. */
export function commaList<T>(
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

/** Milliseconds. */
const EXAMPLE_DURATION = 10_000;

/** A duration from `min` to `max` milliseconds. */
export function durationBetween(min: number, max: number): SettingValue<number> {
  return {
    placeholder: "DURATION",
    allowed: `a duration from ${formatDuration(min)} to ${formatDuration(max)}`,
    // Plain numbers are the usual mistake, so that the example has a unit.
    example: formatDuration(Math.min(Math.max(EXAMPLE_DURATION, min), max)),
    parse: (text) => {
      const duration = parseDuration(text);
      return duration !== undefined && duration >= min && duration <= max ? duration : undefined;
    },
  };
}

/** Parses a decimal whole number without sign and leading zeros. Returns undefined for any other text. */
export function parseWholeNumber(text: string): number | undefined {
  return /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined;
}

/** Joins words for a sentence: `a, b and c`. */
export function joinWords(words: readonly string[], conjunction: "and" | "or"): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${conjunction} ${last}`;
}

/** Milliseconds per unit, the longest first. */
const UNITS: readonly (readonly [name: string, milliseconds: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
];

/**
 * Parses a duration: a whole number followed directly by `ms`, `s`, `m`, `h` or `d`. Returns milliseconds, or undefined
 * for any other text and for durations beyond `Number.MAX_SAFE_INTEGER` milliseconds.
 */
export function parseDuration(text: string): number | undefined {
  const [, digits = "", unit] = /^(\d+)([a-z]+)$/.exec(text) ?? [];
  const number = parseWholeNumber(digits);
  const milliseconds = UNITS.find(([name]) => name === unit)?.[1];
  if (number === undefined || milliseconds === undefined) {
    return undefined;
  }
  const duration = number * milliseconds;
  return Number.isSafeInteger(duration) ? duration : undefined;
}

/** Formats whole milliseconds in the longest unit that needs no fraction: 90,000 as `90s`. */
export function formatDuration(milliseconds: number): string {
  const [name, size] =
    (milliseconds === 0 ? undefined : UNITS.find(([, size]) => milliseconds % size === 0)) ??
    (["s", 1] as const);
  return `${milliseconds / size}${name}`;
}

/** More than 100,000 requests per second for a day; a higher limit would have no effect. */
const MAX_LIMIT = 10_000_000_000;

/** Seconds. A client that has used up its window waits for the end of it, at most a day. */
const MAX_WINDOW = 86_400;

/**
 * Parses a number of requests per time window: `6000/1m`. The window is a duration of whole seconds, from one to a day.
 * Returns undefined for any other text.
 */
export function parseRate(text: string): Rate | undefined {
  const [, count = "", time = ""] = /^([^/]*)\/([^/]*)$/.exec(text) ?? [];
  const limit = parseWholeNumber(count);
  const window = (parseDuration(time) ?? 0) / 1000;
  const isRate =
    limit !== undefined &&
    limit >= 1 &&
    limit <= MAX_LIMIT &&
    Number.isInteger(window) &&
    window >= 1 &&
    window <= MAX_WINDOW;
  return isRate ? Object.freeze({ limit, window }) : undefined;
}

/** Formats a rate as {@link parseRate} reads it. */
export function formatRate({ limit, window }: Rate): string {
  return `${limit}/${formatDuration(window * 1000)}`;
}

/** A rate, as {@link parseRate} reads it. */
export const RATE: SettingValue<Rate> = {
  placeholder: "REQUESTS/DURATION",
  allowed: `from 1 to ${MAX_LIMIT} requests, a slash and from 1s to 1d, such as 100/1s, 6000/1m or 50000/1h`,
  parse: parseRate,
};

/**
 * Any path without control characters. A value with line breaks is probably the content of a file, such as a private key,
 * and errors show paths.
 */
export const FILE: SettingValue<string> = {
  placeholder: "FILE",
  allowed: "the path of a file",
  parse: (text) => (/\p{Cc}/u.test(text) ? undefined : text),
};

/** Any path without control characters. */
export const FOLDER: SettingValue<string> = {
  placeholder: "FOLDER",
  allowed: "the path of a folder",
  parse: FILE.parse,
};

/** Paths without commas. */
export const FILES = commaList("FILE", "one path, or several joined by commas", (path) =>
  path === "" ? undefined : FILE.parse(path),
);

const AREA = choice("AREA", ["docs", "reflection", "metrics"]);

/** The areas that can be open without an API key. */
export const AREAS = {
  ...commaList(AREA.placeholder, "one or more of docs, reflection and metrics, joined by commas", AREA.parse),
  words: AREA.words ?? [],
};

/** Headers of requests that have no address, or not an address alone: `Forwarded` has parameters (RFC 7239). */
const WITHOUT_ADDRESS = /^(?:forwarded|host|origin|referer|user-agent|via|x-forwarded-(?:host|port|proto))$/i;

/** The name of a header with the address of the client, in lower case. */
export const HEADER_NAME: SettingValue<string> = {
  placeholder: "NAME",
  allowed:
    "the name of a header that has addresses alone, such as X-Real-IP or CF-Connecting-IP, and not Forwarded",
  parse: (text) =>
    /^[A-Za-z][A-Za-z0-9-]*$/.test(text) && !WITHOUT_ADDRESS.test(text) ? text.toLowerCase() : undefined,
};
