import type { SettingValue } from "./setting-value.js";

/** What the settings are listed under, in this order. */
export const GROUPS = [
  "Address",
  "TLS",
  "Access",
  "Rate limit",
  "Connections",
  "Requests",
  "Data",
  "Logs and traces",
  "Process",
] as const;

export type Group = (typeof GROUPS)[number];

/** What holds when nothing is said: a text that is read like any other, or a value that cannot be written. */
export type Default<T> = { readonly text: string } | { readonly value: T; readonly words: string };

/** One setting: how it is called, written and read, and what people are told of it. */
export interface Setting<T> {
  /** The environment variable. */
  readonly name: string;
  readonly group: Group;
  /** One sentence without a capital and a full stop; may have Markdown's code spans. */
  readonly meaning: string;
  readonly value: SettingValue<Exclude<T, undefined>>;
  readonly default: Default<T>;
}

/** The flag of a setting: `--rate-limit` for RATE_LIMIT. */
export function flagOf({ name }: Pick<Setting<unknown>, "name">): string {
  return `--${name.toLowerCase().replaceAll("_", "-")}`;
}

/** The value of a setting when nothing is said. Throws an Error when the text of its default is not allowed. */
export function defaultOf<T>({ name, value, default: byDefault }: Setting<T>): T {
  if ("value" in byDefault) {
    return byDefault.value;
  }
  const parsed = value.parse(byDefault.text);
  if (parsed === undefined) {
    throw new Error(`the default of ${name} is not allowed`);
  }
  return parsed;
}
