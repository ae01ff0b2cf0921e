/** Differences between countries.json and an independent source, by alpha-2 code, with the reason for each. */
type Differences = Readonly<Record<string, string>>;

const LEAVES_OUT = "the source leaves it out, as an area within the territory of the other";
const WATERS = "sources count inland and coastal waters differently";

export const KNOWN: Readonly<Record<string, Differences>> = {
  "calling code (libphonenumber)": {
    AQ: "+672 1 is that of the Australian Antarctic Territory",
    BV: "uninhabited: that of Norway",
    GS: "no numbers of its own: that of the Falkland Islands",
    HM: "uninhabited: that of Australia",
    PN: "no numbers of its own: that of New Zealand",
    SH: "Ascension has +247, which the source has under AC",
    TF: "no numbers of its own: that of Réunion",
    UM: "no numbers of its own: that of the United States",
  },
  "legal tender (CLDR in Babel)": {
    BG: "the euro replaced the lev on 1 January 2026; this edition of CLDR is older",
  },
  "capital (GeoNames)": {
    BQ: "the source has none",
    GS: "King Edward Point is the seat; Grytviken is an abandoned station nearby",
    HK: "a special administrative region has no capital",
    KI: "South Tarawa is the part of the atoll with the government",
    KZ: "the source has the name from 2019 to 2022, Nur-Sultan",
    MM: "another spelling: Nay Pyi Taw",
    MO: "a special administrative region has no capital",
    PS: "Ramallah is the seat; the source has East Jerusalem",
    PW: "Ngerulmud is the seat, in the state of Melekeok",
    SM: "the full name: City of San Marino",
    US: "the full name: Washington, D.C.",
  },
  "top-level domain (GeoNames)": {
    BL: "not delegated; the source has that of Guadeloupe",
    BQ: "not delegated",
    EH: "not delegated",
    MF: "not delegated; the source has that of Guadeloupe",
    UM: "not delegated any more",
  },
  "borders (GeoNames)": {
    AL: "the source counts Kosovo as a part of Serbia as well",
    BW: "150 m at Kazungula, with ZM",
    CN: `HK and MO: ${LEAVES_OUT}`,
    CU: "the source counts the leased base at Guantanamo",
    HK: LEAVES_OUT,
    MO: LEAVES_OUT,
    RS: "the source counts Kosovo as a part of Serbia as well",
    US: "the source counts the leased base at Guantanamo",
    ZM: "150 m at Kazungula, with BW",
  },
  "area within 5 % (GeoNames)": {
    AI: WATERS,
    AW: WATERS,
    BH: "land was reclaimed since",
    BT: "the source has the area before the survey of the northern border",
    GF: WATERS,
    GM: WATERS,
    GP: "the source includes islands that are territories of their own today",
    KM: "the source includes Mayotte in part",
    MC: "the source rounds to whole square kilometers",
    MO: "the source has 254",
    NF: WATERS,
    OM: "the source has the area before the treaties on the borders",
    PK: "the source leaves out what Pakistan administers in Kashmir",
    SA: "the source has the area before the treaties on the borders",
    SX: "the source has another part of the island",
    TC: "the source leaves out banks that fall dry",
    TK: WATERS,
    UM: "the source has none",
    VA: "the source rounds to whole square kilometers",
    WF: "the source has twice the area of the islands",
  },
  "postal codes (libaddressinput)": {
    AI: "the code is AI-2640; the source has 2640 as well",
    AM: "six digits were replaced by four in 2006",
    CR: "four digits were replaced by five in 2007",
    GB: "BFPO 61 is a military address",
    MT: "codes of two digits were replaced in 2007",
    PE: "districts of Lima and Callao were replaced in 2011",
    SV: "the source has CP before the code",
    TW: "three digits are enough for a letter; the format has the area of delivery",
    TZ: "four digits were replaced by five in 2012",
  },
  "official languages spoken in the country (GeoNames)": {
    BF: "four national languages became official in 2024; the source has one of them",
    BI: "English became official in 2014; the source leaves it out",
    BV: "uninhabited: the source has none",
    CK: "the source has Cook Islands Māori under the code of Māori",
    CW: "English became official in 2007; the source leaves it out",
    DZ: "Tamazight became official in 2016; the source leaves it out",
    EC: "Kichwa is official for relations between cultures; the source leaves it out",
    ER: "no law names official languages; the source leaves English out",
    FJ: "the source leaves Fiji Hindi out",
    HM: "uninhabited: the source has none",
    KM: "the source leaves Comorian out",
    MA: "the source has the code of all Berber languages",
    ME: "the source has Montenegrin under the code of Serbian",
    ML: "13 national languages became official in 2023; the source has one of them",
    MP: "the source leaves Carolinian out",
    MW: "the source leaves English out",
    SJ: "the source has the code of both forms of Norwegian",
  },
};

/** Subdivisions that only one of countries.json and iso-codes has: the counties of Norway of 2024 and the provinces of Viet Nam of 2025. */
export const KNOWN_SUBDIVISIONS = {
  ours: "NO-31 NO-32 NO-33 NO-39 NO-40 NO-55 NO-56",
  theirs:
    "NO-30 NO-38 NO-54 VN-03 VN-06 VN-14 VN-20 VN-24 VN-27 VN-28 VN-31 VN-32 VN-36 VN-40 VN-41 VN-43 VN-46 VN-47 VN-50 VN-51 VN-52 " +
    "VN-53 VN-54 VN-55 VN-57 VN-58 VN-61 VN-63 VN-67 VN-70 VN-72 VN-73",
};
