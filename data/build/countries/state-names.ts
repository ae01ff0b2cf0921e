import type { Change } from "./change.js";
import changes from "./state-names.json" with { type: "json" };

/** Corrections of one field of states, by ISO 3166-2 code, each group with its reason. */
export type StateChanges = readonly {
  readonly reason: string;
  readonly changes: Readonly<Record<string, Change<string>>>;
}[];

/** Names of the database that are wrong or incomplete. */
export const STATE_NAMES: StateChanges = changes.names;

/** Types of the database that are wrong or obsolete. */
export const STATE_TYPES: StateChanges = changes.types;

/**
 * Countries whose native names in the database were compared one by one with ISO's romanization, and are in the local
 * script. Most others were created by a translation program that took names for words (`Plav` became «Игра», a game);
 * those countries have the native names of ISO 3166-2, in Latin letters.
 */
export const LOCAL_SCRIPT: ReadonlySet<string> = new Set([
  ...["AE", "AM", "BG", "CN", "EG", "GE", "GR", "IR", "JO", "JP", "KR", "KW", "KZ", "MK", "MN", "SA", "SY"],
  ...["TH", "TN", "YE"],
]);

/** Native names of the database in those countries. */
export const LOCAL_SCRIPT_NAMES: StateChanges = changes.localScript;

/** Names of iso-3166 that are truncated at a line break of the standard, in one of two languages, or misspelled. */
export const ISO_NAMES: StateChanges = changes.iso;
