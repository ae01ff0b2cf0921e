import { editDistance } from "../../text/edit-distance.js";
import type { Environment } from "./read-config.js";
import { SETTINGS } from "./settings.js";

/** Environment variables that look like settings but have no effect. */
export interface UnknownVariables {
  /** Problems: names that are so near to that of a setting that a mistake is likely. */
  readonly misspelled: readonly string[];
  /** Warnings: other names that begin like a setting. */
  readonly ignored: readonly string[];
}

const SETTING_NAMES = Object.values(SETTINGS).map(({ name }) => name);

/** Settings, variables of the commands, and a variable of OpenSSL whose name is near to that of a setting. */
const KNOWN: ReadonlySet<string> = new Set([
  ...SETTING_NAMES,
  "SSL_CERT_FILE",
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

/** Names with more edits are equally far. */
const MAX_COMPARED = 32;

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
  const edits = (setting: string) => editDistance(capitals, setting, MAX_COMPARED);
  const near = SETTING_NAMES.filter((setting) => isNear(capitals, setting));
  return near.toSorted((a, b) => edits(a) - edits(b))[0];
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
  return editDistance(name, setting, allowed) <= allowed;
}
