import names from "./official-names.json" with { type: "json" };

/**
 * Official English names, by alpha-2 code: the full names of ISO 3166-1 and of the UN's terminology database,
 * with their article in a sentence. Omits countries whose official name is the short one, and territories except Hong
 * Kong, Macao and the Northern Mariana Islands.
 */
export const OFFICIAL_NAMES: Readonly<Record<string, string>> = names;
