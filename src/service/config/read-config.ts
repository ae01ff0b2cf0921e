import { type Failure, fail, ok, type Result } from "../../result.js";
import type { Flags } from "./command-line.js";
import type { Config } from "./config.js";
import { formatDuration } from "./duration.js";
import { defaultOf, flagOf, type Setting } from "./setting.js";
import { SETTINGS } from "./settings.js";

/** The variables of a process's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from environment variables and flags, of which a flag wins over the variable of its name. An empty
 * variable counts as unset. The failure's description names everything that is wrong as it was written, `--port` or `PORT`,
 * and says what is allowed; it repeats no value, for that may be a secret.
 */
export function readConfig(
  env: Environment,
  flags: Flags = new Map(),
): Result<Config, Failure<"INVALID_SETTING">> {
  const problems: string[] = [];
  const given = new Map<keyof Config, string>();
  const values: { -readonly [K in keyof Config]?: Config[K] } = {};

  function read<K extends keyof Config>(member: K): void {
    const setting: Setting<Config[K]> = SETTINGS[member];
    const flag = flagOf(setting);
    const text = flags.get(flag) ?? env[setting.name] ?? "";
    if (text === "") {
      values[member] = defaultOf(setting);
      return;
    }
    const spelling = flags.has(flag) ? flag : setting.name;
    given.set(member, spelling);
    const value = setting.value.parse(text);
    if (value === undefined) {
      problems.push(`${spelling} must be ${setting.value.allowed}`);
    } else {
      values[member] = value;
    }
  }
  for (const member of MEMBERS) {
    read(member);
  }

  for (const [member, needed] of NEEDS) {
    const spelling = given.get(member);
    if (spelling !== undefined && !given.has(needed)) {
      problems.push(`${spelling} needs ${spelledLike(spelling, SETTINGS[needed])} as well`);
    }
  }
  // A time-out that could not be read contradicts nothing.
  const { headersTimeout = 0, requestTimeout = Number.POSITIVE_INFINITY } = values;
  if (headersTimeout > requestTimeout) {
    problems.push(contradictingTimeouts(given, headersTimeout, requestTimeout));
  }
  // Each member has a value or a problem.
  return problems.length === 0
    ? ok(Object.freeze(values as Config))
    : fail("INVALID_SETTING", problems.join("; "));
}

/** Every member of {@link Config}: the table has no others. */
const MEMBERS = Object.keys(SETTINGS) as (keyof Config)[];

/**
 * Settings that mean nothing without another. Whoever opens areas believes that the rest takes keys, and must not be left
 * in that belief; likewise with a limit that replicas share.
 */
const NEEDS: readonly (readonly [member: keyof Config, needed: keyof Config])[] = [
  ["tlsCertFile", "tlsKeyFile"],
  ["tlsKeyFile", "tlsCertFile"],
  ["openAreas", "apiKeysFile"],
  ["rateLimitStore", "rateLimit"],
];

/** The name of a setting in the spelling, flag or variable, that somebody uses for another. */
function spelledLike(spelling: string, setting: Pick<Setting<unknown>, "name">): string {
  return spelling.startsWith("--") ? flagOf(setting) : setting.name;
}

/** Names the time-outs that were given, and says what the other is when it was not: the head is a part of the request. */
function contradictingTimeouts(
  given: ReadonlyMap<keyof Config, string>,
  headersTimeout: number,
  requestTimeout: number,
): string {
  const headers = given.get("headersTimeout");
  const request = given.get("requestTimeout");
  if (headers === undefined) {
    const other = spelledLike(request ?? "", SETTINGS.headersTimeout);
    return `${request} must not be shorter than ${other}, which is ${formatDuration(headersTimeout)} by default`;
  }
  const other = request ?? spelledLike(headers, SETTINGS.requestTimeout);
  const why = request === undefined ? `, which is ${formatDuration(requestTimeout)} by default` : "";
  return `${headers} must not be longer than ${other}${why}`;
}
