import { editDistance } from "../text/edit-distance.js";
import type { Environment } from "./read-config.js";
import { SETTINGS } from "./settings.js";

/** Environment variables that look like settings but have no effect. */
export interface UnknownVariables {
  /** Problems: names that are so near to that of a setting that a mistake is likely. */
  readonly misspelled: readonly string[];
  /** Warnings: other names that begin like a setting, or that programs often have for one. */
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
  "DATA_DISPOSABLE_SOURCE",
]);

/** The beginnings of names that hardly any other program uses. */
const PREFIX = /^(?:UTILITY_TOOLS|API_KEYS?|TLS|RATE_LIMIT|GEOIP|CORS)_/;

/**
 * Names that settings of other programs often have, and the setting of this service for the same; undefined if there is none. They may be
 * meant for another program in the same environment.
 */
const COMMON_NAMES: ReadonlyMap<string, string | undefined> = new Map([
  ["ALLOWED_ORIGINS", "CORS_ORIGINS"],
  ["API_KEY", "API_KEYS_FILE"],
  ["APP_PORT", "PORT"],
  ["BASE_URL", "PUBLIC_BASE_URL"],
  ["BIND_ADDRESS", "HOST"],
  ["BODY_LIMIT", "MAX_REQUEST_BYTES"],
  ["EXTERNAL_URL", "PUBLIC_BASE_URL"],
  ["FORWARDED_ALLOW_IPS", "TRUSTED_PROXIES"],
  ["GRPC_PORT", "PORT"],
  ["HTTP_HOST", "HOST"],
  ["HTTP_PORT", "PORT"],
  ["HTTPS_PORT", "PORT"],
  ["KEYS_FILE", "API_KEYS_FILE"],
  ["LISTEN_ADDR", "HOST"],
  ["LISTEN_ADDRESS", "HOST"],
  ["LISTEN_HOST", "HOST"],
  ["LISTEN_PORT", "PORT"],
  ["MANAGEMENT_PORT", undefined],
  ["MAX_BODY_BYTES", "MAX_REQUEST_BYTES"],
  ["MAX_BODY_SIZE", "MAX_REQUEST_BYTES"],
  ["METRICS_PORT", undefined],
  ["PUBLIC_URL", "PUBLIC_BASE_URL"],
  ["REDIS_URL", "RATE_LIMIT_STORE"],
  ["SERVER_HOST", "HOST"],
  ["SERVER_PORT", "PORT"],
  ["SHUTDOWN_TIMEOUT", "GRACE_PERIOD"],
  ["TRUST_PROXY", "TRUSTED_PROXIES"],
  ["WEB_CONCURRENCY", "WORKERS"],
]);

/** Kubernetes sets such variables for each Service (https://kubernetes.io/docs/concepts/containers/container-environment/). */
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_.+)?|PORT_\d+_.+)$/;

/** The value of `…_PORT` that Kubernetes sets. */
const SERVICE_URL = /^(?:tcp|udp|sctp):\/\//;

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
    if (text === "" || KNOWN.has(name) || isServiceLink(name, text)) {
      continue;
    }
    const capitals = name.toUpperCase();
    if (COMMON_NAMES.has(capitals)) {
      const setting = COMMON_NAMES.get(capitals);
      const hint = setting === undefined ? "" : `; did you mean ${setting}?`;
      ignored.push(`${name} is not a setting and has no effect${hint}`);
      continue;
    }
    const meant = nearestSetting(capitals);
    if (meant !== undefined) {
      misspelled.push(`${name} is not a setting; did you mean ${meant}?`);
    } else if (PREFIX.test(name)) {
      ignored.push(`${name} is not a setting and has no effect`);
    }
  }
  return { misspelled, ignored };
}

function isServiceLink(name: string, text: string): boolean {
  return SERVICE_LINK.test(name) || (name.endsWith("_PORT") && SERVICE_URL.test(text));
}

/** Returns the setting whose name is nearest to another name in capitals; undefined if none is near. */
function nearestSetting(capitals: string): string | undefined {
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
