import { readConfig } from "../../src/config/read-config.js";
import { SETTINGS } from "../../src/config/settings.js";

/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string>>;

/** Seconds after `STOP_DELAY` and `GRACE_PERIOD` in which workers are killed. */
const KILL_TIME = 3;

const NAMES: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ name }) => name));

/** Returns a list with a problem if there is one. */
export function problemsIf(isWrong: boolean, problem: string): string[] {
  return isWrong ? [problem] : [];
}

/** Returns what is wrong with an environment of the service: invalid settings, and unknown variables. */
export function settingProblems(env: EnvironmentVariables): string[] {
  const config = readConfig(env);
  return [
    ...Object.keys(env)
      .filter((name) => !NAMES.has(name))
      .map((name) => `${name} is not a setting`),
    ...(config.ok ? [] : [config.failure.description]),
  ];
}

/** Returns a problem if a timeout, in seconds, may end before the service has stopped by itself. */
export function stopTimeProblems(name: string, seconds: number, env: EnvironmentVariables): string[] {
  const config = readConfig(env);
  if (!config.ok) {
    return [];
  }
  const needed = (config.value.stopDelay + config.value.gracePeriod) / 1000 + KILL_TIME;
  const problem = `${name} must exceed STOP_DELAY and GRACE_PERIOD by ${KILL_TIME} seconds`;
  return problemsIf(seconds <= needed, problem);
}
