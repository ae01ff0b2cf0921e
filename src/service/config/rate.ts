import type { RateLimit } from "./config.js";
import { formatDuration, parseDuration } from "./duration.js";
import { parseWholeNumber, type SettingValue } from "./setting-value.js";

/** A day of more than 100,000 requests a second: a higher limit would limit nothing. */
const MAX_LIMIT = 10_000_000_000;

/** A caller who has used up a window waits for its end; nobody waits longer than a day to be told what is wrong. */
const MAX_WINDOW = 86_400;

/**
 * Reads a number of requests and the time they are counted over: `6000/1m`. The time is a duration of whole seconds, from
 * one to a day. Undefined for any other text.
 */
export function parseRate(text: string): RateLimit | undefined {
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

/** Writes a rate as {@link parseRate} reads it. */
export function formatRate({ limit, window }: RateLimit): string {
  return `${limit}/${formatDuration(window * 1000)}`;
}

/** A rate, as {@link parseRate} reads it. */
export const RATE: SettingValue<RateLimit> = {
  placeholder: "REQUESTS/DURATION",
  allowed: `from 1 to ${MAX_LIMIT} requests, a slash and from 1s to 1d, such as 100/1s, 6000/1m or 50000/1h`,
  parse: parseRate,
};
