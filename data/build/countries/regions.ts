/**
 * English names of the regions and subregions of UN M49, by the codes that CLDR uses for them
 * (https://unstats.un.org/unsd/methodology/m49/). If M49 has an intermediate region, such as Western Africa in Sub-Saharan
 * Africa or South America in Latin America and the Caribbean, it is the subregion.
 */
export const REGIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Africa: {
    "011": "Western Africa",
    "014": "Eastern Africa",
    "015": "Northern Africa",
    "017": "Middle Africa",
    "018": "Southern Africa",
  },
  Americas: {
    "005": "South America",
    "013": "Central America",
    "021": "Northern America",
    "029": "Caribbean",
  },
  Asia: {
    "030": "Eastern Asia",
    "034": "Southern Asia",
    "035": "South-eastern Asia",
    "143": "Central Asia",
    "145": "Western Asia",
  },
  Europe: {
    "039": "Southern Europe",
    "151": "Eastern Europe",
    "154": "Northern Europe",
    "155": "Western Europe",
  },
  Oceania: {
    "053": "Australia and New Zealand",
    "054": "Melanesia",
    "057": "Micronesia",
    "061": "Polynesia",
  },
};

/** Names of the continents, by the codes of countries-list. */
export const CONTINENTS: Readonly<Record<string, string>> = {
  AF: "Africa",
  AN: "Antarctica",
  AS: "Asia",
  EU: "Europe",
  NA: "North America",
  OC: "Oceania",
  SA: "South America",
};

/**
 * Territories of member states with their own code where EU law applies: the outermost regions of Article 349 of the
 * Treaty on the Functioning of the European Union, and Åland (Protocol No 2 to the accession of Austria, Finland and
 * Sweden). CLDR's `EU` has only the member states.
 */
export const EU_TERRITORIES: readonly string[] = ["AX", "GF", "GP", "MF", "MQ", "RE", "YT"];
