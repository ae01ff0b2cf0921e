/** Corrections of the two sources of states, each group with its reason. */

/** Rows of iso-3166 that are no longer in ISO 3166-2, or are not subdivisions. */
export const STRAY_CODES: readonly { readonly reason: string; readonly codes: readonly string[] }[] = [
  {
    reason: "Denmark has had five regions in place of 14 counties and two cities since 2007.",
    codes: [
      ...["DK-015", "DK-020", "DK-025", "DK-030", "DK-035", "DK-040", "DK-042", "DK-050"],
      ...["DK-055", "DK-060", "DK-065", "DK-070", "DK-076", "DK-080", "DK-101", "DK-147"],
    ],
  },
  {
    reason: "ISO 3166-2 names these beside the nations of the United Kingdom, as groups of them.",
    codes: ["GB-EAW", "GB-GBN", "GB-UKM"],
  },
  { reason: "Ghana divided Brong-Ahafo into three regions in 2019.", codes: ["GH-BA"] },
  {
    reason: "Luxembourg abolished its three districts in 2015; its 12 cantons have codes of their own.",
    codes: ["LU-D", "LU-G", "LU-L"],
  },
  {
    reason: "Pakistan merged the Federally Administered Tribal Areas into Khyber Pakhtunkhwa in 2018.",
    codes: ["PK-TA"],
  },
];

/**
 * Reforms that ISO 3166-2 does not have yet, if the country's own codes are unambiguous: `added` codes are those of the
 * country for the new subdivisions in the same numbering; `removed` codes no longer exist.
 */
export const REFORMS: readonly {
  readonly reason: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}[] = [
  {
    reason:
      "Norway divided three counties on 1 January 2024. The codes are the county numbers of Statistics " +
      "Norway, as all of ISO's codes for Norway are.",
    added: ["NO-31", "NO-32", "NO-33", "NO-39", "NO-40", "NO-55", "NO-56"],
    removed: ["NO-30", "NO-38", "NO-54"],
  },
  {
    reason:
      "Viet Nam merged its 63 provinces and municipalities into 34 on 1 July 2025 (Resolution " +
      "202/2025/QH15); each of the 34 bears a name, and so a code, that was there before.",
    added: [],
    removed: [
      ...["VN-03", "VN-06", "VN-14", "VN-20", "VN-24", "VN-27", "VN-28", "VN-31", "VN-32", "VN-36"],
      ...["VN-40", "VN-41", "VN-43", "VN-46", "VN-47", "VN-50", "VN-51", "VN-52", "VN-53", "VN-54"],
      ...["VN-55", "VN-57", "VN-58", "VN-61", "VN-63", "VN-67", "VN-70", "VN-72", "VN-73"],
    ],
  },
];

/** Rows of the database with another code than ISO 3166-2. */
export const RECODED: readonly {
  readonly reason: string;
  readonly codes: Readonly<Record<string, string>>;
}[] = [
  {
    reason: "ISO 3166-2 changed these on 23 November 2023.",
    codes: { "IN-CT": "IN-CG", "IN-OR": "IN-OD", "IN-TG": "IN-TS" },
  },
  {
    reason: "The cantons, not the districts of the same names.",
    codes: { "LU-G": "LU-GR", "LU-L": "LU-LU" },
  },
  { reason: "ISO's code has one digit.", codes: { "MN-001": "MN-1" } },
  {
    reason: "BQ1 to BQ3 are the codes of the same islands as parts of the Netherlands.",
    codes: { "BQ-BQ1": "BQ-BO", "BQ-BQ2": "BQ-SA", "BQ-BQ3": "BQ-SE" },
  },
];

/** Rows of the database, in countries that have codes in ISO 3166-2, that are not in it. */
export const NOT_IN_ISO: readonly { readonly reason: string; readonly codes: readonly string[] }[] = [
  {
    reason: "Regional units, which ISO 3166-2 left out in 2011.",
    codes: ["GR-13", "GR-A2"],
  },
  { reason: "Tobago is one ward.", codes: ["TT-ETO", "TT-WTO"] },
  {
    reason: "Districts of the island of Saint Helena; ISO 3166-2 has the three islands.",
    codes: ["SH-01", "SH-02", "SH-03", "SH-04", "SH-05", "SH-06", "SH-07", "SH-08"],
  },
];

/** Subdivisions of ISO 3166-2 that the database lacks. */
export const MISSING: readonly { readonly code: string; readonly name: string; readonly type: string }[] = [
  { code: "FI-01", name: "Åland Islands", type: "region" },
  { code: "GR-69", name: "Mount Athos", type: "self-governed part" },
  { code: "HR-21", name: "City of Zagreb", type: "city" },
  { code: "NL-AW", name: "Aruba", type: "country" },
  { code: "NL-BQ1", name: "Bonaire", type: "special municipality" },
  { code: "NL-BQ2", name: "Saba", type: "special municipality" },
  { code: "NL-BQ3", name: "Sint Eustatius", type: "special municipality" },
  { code: "NL-CW", name: "Curaçao", type: "country" },
  { code: "NL-SX", name: "Sint Maarten", type: "country" },
  { code: "SH-AC", name: "Ascension", type: "geographical entity" },
  { code: "SH-HL", name: "Saint Helena", type: "geographical entity" },
  { code: "SH-TA", name: "Tristan da Cunha", type: "geographical entity" },
];

/** Words that the database adds to some names of a country and not to others. */
export const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  AF: [" Province"],
  HU: [" County"],
  PA: [" Province", " Comarca"],
  RU: [" Oblast"],
  SN: [" Region"],
  SS: [" State"],
  TV: [" Island Council"],
};
