import type { CountryChanges } from "../corrections/country-corrections.js";

/** Countries and territories that drive on the left; in all others that have roads, people drive on the right. */
export const DRIVING_ON_THE_LEFT: ReadonlySet<string> = new Set(
  (
    "AG AI AU BB BD BM BN BS BT BW CC CK CX CY DM FJ FK GB GD GG GS GY HK ID IE IM IN JE JM JP KE KI KN KY LC LK LS MO MS MT MU MV " +
    "MW MY MZ NA NF NP NR NU NZ PG PK PN SB SC SG SH SR SZ TC TH TK TL TO TT TV TZ UG VC VG VI WS ZA ZM ZW"
  ).split(" "),
);

/** Territories without public roads. */
export const WITHOUT_ROADS: ReadonlySet<string> = new Set(["AQ", "BV", "HM", "TF", "UM"]);

/** Areas of world-countries in square kilometers. */
export const AREAS: CountryChanges<number> = {
  // Mareterra was added to the sea front in 2024.
  MC: { from: 2.02, to: 2.08 },
  // Land reclaimed since; the figure of the cadastre for 2024.
  MO: { from: 30, to: 33.3 },
  // The source counts waters between the islands; the UN's Demographic Yearbook has the land.
  PH: { from: 342353, to: 300000 },
  // Svalbard 61,022 and Jan Mayen 377.
  SJ: { from: -1, to: 61399 },
};

/** Land borders of world-countries, as alpha-3 codes. */
export const BORDERS: CountryChanges<readonly string[]> = {
  // Adam's Bridge is under water; India does not have the border either.
  LK: { from: ["IND"], to: [] },
};

/** Membership of the United Nations in world-countries. */
export const UN_MEMBERS: CountryChanges<boolean> = {
  // The Holy See is an observer.
  VA: { from: true, to: false },
};

/** English demonyms of world-countries: of uninhabited territories, of the country that owns a territory, and old spellings. */
export const DEMONYMS: CountryChanges<string> = {
  AQ: { from: "Antarctican", to: "" },
  AX: { from: "Ålandish", to: "Ålander" },
  CV: { from: "Cape Verdian", to: "Cabo Verdean" },
  DJ: { from: "Djibouti", to: "Djiboutian" },
  GF: { from: "Guianan", to: "French Guianese" },
  GI: { from: "Gibraltar", to: "Gibraltarian" },
  GP: { from: "Guadeloupian", to: "Guadeloupean" },
  GS: { from: "South Georgian South Sandwich Islander", to: "" },
  HM: { from: "Heard and McDonald Islander", to: "" },
  IO: { from: "Indian", to: "" },
  IS: { from: "Icelander", to: "Icelandic" },
  KG: { from: "Kirghiz", to: "Kyrgyz" },
  KM: { from: "Comoran", to: "Comorian" },
  MP: { from: "American", to: "Northern Mariana Islander" },
  MV: { from: "Maldivan", to: "Maldivian" },
  NP: { from: "Nepalese", to: "Nepali" },
  SJ: { from: "Norwegian", to: "" },
  SR: { from: "Surinamer", to: "Surinamese" },
  TF: { from: "French", to: "" },
  TJ: { from: "Tadzhik", to: "Tajik" },
  UM: { from: "American Islander", to: "" },
};

/** The names of the first days of the week in CLDR. */
export const WEEK_DAYS: Readonly<Record<string, "monday" | "friday" | "saturday" | "sunday">> = {
  mon: "monday",
  fri: "friday",
  sat: "saturday",
  sun: "sunday",
};
