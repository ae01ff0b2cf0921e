import { formatDuration, formatRate } from "connect-transcoding-operations/settings/values";
import type { Config } from "./config.js";
import { defaultOf, SETTINGS, type Setting } from "./settings.js";

/** What the log has in place of a password. */
const MASK = "***";

/** Returns all settings by name, in the notation of settings and without passwords. */
export function allSettings(config: Config): Record<string, unknown> {
  return settingsOf(config, () => true);
}

/** Returns the settings that differ from their defaults, as {@link allSettings} does. */
export function changedSettings(config: Config): Record<string, unknown> {
  return settingsOf(config, (value, setting) => JSON.stringify(value) !== JSON.stringify(defaultOf(setting)));
}

function settingsOf(
  config: Config,
  isShown: (value: unknown, setting: Setting<unknown>) => boolean,
): Record<string, unknown> {
  const { rateLimit, rateLimitStore } = config;
  const special: { readonly [K in keyof Config]?: unknown } = {
    rateLimit: rateLimit && formatRate(rateLimit),
    rateLimitStore: rateLimitStore && withoutPassword(rateLimitStore),
  };
  const settings: Record<string, unknown> = {};
  for (const member of Object.keys(SETTINGS) as (keyof Config)[]) {
    const setting: Setting<unknown> = SETTINGS[member];
    const value = config[member];
    if (isShown(value, setting)) {
      const isDuration = setting.value.placeholder === "DURATION";
      settings[setting.name] = special[member] ?? (isDuration ? formatDuration(Number(value)) : value);
    }
  }
  return settings;
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  if (url.password !== "") {
    url.password = MASK;
  } else if (url.username !== "") {
    // Without a colon before it, a password is the name of the user.
    url.username = MASK;
  }
  return url.href;
}
