/**
 * The formats of postal codes, and the countries that use them: `#` is a digit, `@` a letter, `*` either, and anything else itself. A
 * country with several formats is in several rows; the usual one is first.
 *
 * The formats are facts; they were written with the postal addressing systems of the Universal Postal Union in mind, and are
 * compared with libaddressinput and GeoNames. A country is missing if it has no codes, or none that two of these sources know.
 */
export const POSTAL_CODE_FORMATS: Readonly<Record<string, string>> = {
  "###": "BH FO GN IS LS MG OM PG",
  "####":
    "AF AL AM AR AT AU AZ BD BE BG BH CC CH CV CX CY DK ET GE GL GW HM HT HU LB LI LR LU MD MK MZ NE NF NO NZ PH PY SI SJ SV TN VE ZA",
  "#####":
    "AS AX BA BL BT CR CU DE DO DZ EE EG EH ES FI FM FR GF GP GT GU HN HR ID IL IQ IT JO KE KH KR KW LA LK LT MA MC ME MF MH MM MN MP MQ MU MV MX MY NA NC NI NP PE PF PK PM PR PW RE RS SA SD SN TH TR TW TZ UA UM US UY VA VI VN WF XK YT ZM",
  "######": "BY CN CO EC IN KG KH KZ NG RO RS RU SG TJ TM TW UZ VN",
  "#######": "CL IL",
  "#####-####": "AS FM GU MH MP PR PW UM US VI",
  "#####-###": "BR",
  "####-###": "PT",
  "##-###": "PL",
  "###-####": "JP",
  "### ##": "CZ GR SE SK",
  "#### @@": "NL",
  "@#@ #@#": "CA",
  "AD###": "AD",
  "AI-2640": "AI",
  "@####@@@": "AR",
  "AZ ####": "AZ",
  "BB#####": "BB",
  "@@ ##": "BM",
  "@@ @@": "BM",
  "@@####": "BN",
  "FIQQ 1ZZ": "FK",
  "GX11 1AA": "GI",
  "SIQQ 1ZZ": "GS",
  "BBND 1ZZ": "IO",
  "PCRN 1ZZ": "PN",
  "STHL 1ZZ": "SH",
  "ASCN 1ZZ": "SH",
  "TDCU 1ZZ": "SH",
  "TKCA 1ZZ": "TC",
  "@# #@@": "GB",
  "@## #@@": "GB",
  "@@# #@@": "GB",
  "@@## #@@": "GB",
  "@#@ #@@": "GB",
  "@@#@ #@@": "GB",
  "GY# #@@": "GG",
  "GY## #@@": "GG",
  "IM# #@@": "IM",
  "IM## #@@": "IM",
  "JE# #@@": "JE",
  "JE## #@@": "JE",
  "@## ****": "IE",
  "D6W ****": "IE",
  "##########": "IR",
  "#####-#####": "IR",
  "KY#-####": "KY",
  "#### ####": "LB",
  "LV-####": "LV",
  "MD-####": "MD",
  "@@@ ####": "MT",
  "4789#": "SM",
  "@@ #####": "SO",
  "@###": "SZ",
  "VC####": "VC",
  "VG####": "VG",
};

/** Returns the formats of a country, separated by `|`; empty if there are none. */
export function postalCodeFormat(code2: string): string {
  return Object.keys(POSTAL_CODE_FORMATS)
    .filter((format) => POSTAL_CODE_FORMATS[format]?.split(" ").includes(code2))
    .join("|");
}
