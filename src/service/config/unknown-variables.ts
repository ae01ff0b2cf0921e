import type { Environment } from "./read-config.js";
import { SETTINGS } from "./settings.js";

/** Environment variables that look like settings and are none. */
export interface UnknownVariables {
  /** Problems: names that are so near to that of a setting that a mistake is likely. */
  readonly misspelled: readonly string[];
  /** Warnings: other names that begin like a setting. */
  readonly ignored: readonly string[];
}

const SETTING_NAMES = Object.values(SETTINGS).map(({ name }) => name);

/** Variables of the commands, and settings. */
const KNOWN: ReadonlySet<string> = new Set([
  ...SETTING_NAMES,
  "UTILITY_TOOLS_URL",
  "UTILITY_TOOLS_API_KEY",
  "DATA_CITY_SOURCE",
  "DATA_ASN_SOURCE",
]);

/** The beginnings of names that hardly any other program uses. */
const PREFIX = /^(?:UTILITY_TOOLS|API_KEYS?|TLS|RATE_LIMIT|GEOIP|CORS)_/;

/** Kubernetes sets such variables for each Service (https://kubernetes.io/docs/concepts/containers/container-environment/). */
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_.+)?|PORT(?:_\d+_.+)?)$/;

/** Shorter names without an underscore, such as HOST, are near to variables of other programs, such as HOME. */
const MIN_LENGTH = 6;

/**
 * Finds environment variables that the operator may believe to be settings. A mistyped `API_KEYS_FILE` would otherwise leave
 * the service open to everyone. Empty variables are ignored, as for settings.
 */
export function unknownVariables(env: Environment): UnknownVariables {
  const misspelled: string[] = [];
  const ignored: string[] = [];
  for (const [name, text = ""] of Object.entries(env)) {
    if (text === "" || KNOWN.has(name) || SERVICE_LINK.test(name)) {
      continue;
    }
    const meant = nearestSetting(name);
    if (meant !== undefined) {
      misspelled.push(`${name} is not a setting; did you mean ${meant}?`);
    } else if (PREFIX.test(name)) {
      ignored.push(`${name} is not a setting and has no effect`);
    }
  }
  return { misspelled, ignored };
}

/** Returns the setting whose name is nearest to another name; undefined if none is near. */
function nearestSetting(name: string): string | undefined {
  const capitals = name.toUpperCase();
  const near = SETTING_NAMES.filter((setting) => isNear(capitals, setting));
  return near.toSorted((a, b) => distance(capitals, a) - distance(capitals, b))[0];
}

/** Whether a name differs in a few letters, or has words more or less at its end: `TLS_CERT`, `RATE_LIMIT_PER_KEY`. */
function isNear(name: string, setting: string): boolean {
  if (Math.min(name.length, setting.length) < MIN_LENGTH) {
    return false;
  }
  if (name.includes("_") && (setting.startsWith(`${name}_`) || name.startsWith(`${setting}_`))) {
    return true;
  }
  const allowed = Math.min(3, Math.floor(setting.length / 5));
  return Math.abs(name.length - setting.length) <= allowed && distance(name, setting) <= allowed;
}

/** The number of letters to insert, remove or replace to get from one text to the other (Levenshtein's distance). */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...b].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      const removed = (previous[column + 1] ?? 0) + 1;
      const inserted = (current[column] ?? 0) + 1;
      current.push(Math.min(replaced, removed, inserted));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
