import { parseWholeNumber, type SettingValue } from "./setting-value.js";

/** Milliseconds of each unit, the longest first. */
const UNITS: readonly (readonly [name: string, milliseconds: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
];

/**
 * Reads a duration: a whole number and, right behind it, `ms`, `s`, `m`, `h` or `d`. In milliseconds; undefined for any
 * other text, and for a duration whose milliseconds JavaScript cannot hold exactly.
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

/** Writes whole milliseconds in the longest unit that does without a fraction: 90,000 as `90s`. */
export function formatDuration(milliseconds: number): string {
  const [name, size] =
    (milliseconds === 0 ? undefined : UNITS.find(([, size]) => milliseconds % size === 0)) ??
    (["s", 1] as const);
  return `${milliseconds / size}${name}`;
}

/** A duration within bounds, all in milliseconds. */
export function durationBetween(min: number, max: number): SettingValue<number> {
  return {
    placeholder: "DURATION",
    allowed: `a duration from ${formatDuration(min)} to ${formatDuration(max)}`,
    parse: (text) => {
      const duration = parseDuration(text);
      return duration !== undefined && duration >= min && duration <= max ? duration : undefined;
    },
  };
}
