import { formatDuration } from "connect-transcoding-operations/settings/values";
import { spanVariableProblems } from "connect-transcoding-operations/telemetry/span-variables";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import type { Config } from "./config.js";
import { defaultOf, SETTINGS, type Setting, settingFlag } from "./settings.js";

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Texts of settings by flag, such as `--port`. */
export type SettingFlags = ReadonlyMap<string, string>;

/**
 * Reads the settings from environment variables and flags. A flag overrides the variable of the same name; an empty
 * variable counts as unset. The description of a failure lists every invalid setting under the name that was used, `--port`
 * or `PORT`, with the allowed values. It never repeats a value, because that may be a secret.
 */
export function readConfig(
  env: Environment,
  flags: SettingFlags = new Map(),
): Result<Config, Failure<"INVALID_SETTING">> {
  const problems: string[] = [];
  const given = new Map<keyof Config, string>();
  const values: { -readonly [K in keyof Config]?: Config[K] } = {};

  function read<K extends keyof Config>(member: K): void {
    const setting: Setting<Config[K]> = SETTINGS[member];
    const flag = settingFlag(setting);
    const text = flags.get(flag) ?? env[setting.name] ?? "";
    const spelling = flags.has(flag) ? flag : setting.name;
    if (text === "") {
      values[member] = defaultOf(setting);
      if (flags.has(flag)) {
        problems.push(`${flag} needs a value`);
      }
      return;
    }
    given.set(member, spelling);
    const value = setting.value.parse(text);
    if (value === undefined) {
      const { allowed, example } = setting.value;
      const hint = example === undefined ? "" : `, for example ${example}`;
      problems.push(`${spelling} must be ${allowed}${hint}`);
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
  // A timeout that is invalid itself is not compared.
  const { headersTimeout = 0, requestTimeout = Number.POSITIVE_INFINITY } = values;
  if (headersTimeout > requestTimeout) {
    problems.push(contradictingTimeouts(given, headersTimeout, requestTimeout));
  }
  if (given.has("otlpEndpoint") || given.has("otlpTracesEndpoint")) {
    problems.push(...spanVariableProblems(env));
  }
  // Each member has a value or a problem.
  return problems.length === 0
    ? ok(Object.freeze(values as Config))
    : fail("INVALID_SETTING", problems.join("; "));
}

/** Every member of {@link Config}; the table has no others. */
const MEMBERS = Object.keys(SETTINGS) as (keyof Config)[];

/**
 * Settings that have no effect without another. They are rejected rather than ignored: an operator who opens areas assumes
 * that the rest requires keys, and one who sets a shared store assumes that a limit applies.
 */
const NEEDS: readonly (readonly [member: keyof Config, needed: keyof Config])[] = [
  ["tlsCertFile", "tlsKeyFile"],
  ["tlsKeyFile", "tlsCertFile"],
  ["openAreas", "apiKeysFile"],
  ["apiKeyMetrics", "apiKeysFile"],
  ["rateLimitStore", "rateLimit"],
  ["rateLimitBlock", "rateLimitStore"],
  ["clientAddressHeader", "trustedProxies"],
  ["proxyProtocol", "trustedProxies"],
];

/** The name of a setting as a flag or a variable, like the given spelling of another setting. */
function spelledLike(spelling: string, setting: Pick<Setting<unknown>, "name">): string {
  return spelling.startsWith("--") ? settingFlag(setting) : setting.name;
}

/** Names the timeouts that were set, and the default of the other one. */
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
