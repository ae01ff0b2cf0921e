import type { Change } from "./change.js";

/** Corrections of one field of states, by ISO 3166-2 code, each group with its reason. */
export type StateChanges = readonly {
  readonly reason: string;
  readonly changes: Readonly<Record<string, Change<string>>>;
}[];

/** Names of the database that are wrong or incomplete. */
export const STATE_NAMES: StateChanges = [
  {
    reason: "The names of these codes in ISO 3166-2; the database has them on one another's codes.",
    changes: {
      "DZ-49": { from: "El M'ghair", to: "Timimoun" },
      "DZ-50": { from: "El Menia", to: "Bordj Badji Mokhtar" },
      "DZ-52": { from: "Bordj Baji Mokhtar", to: "Béni Abbès" },
      "DZ-53": { from: "Béni Abbès", to: "In Salah" },
      "DZ-54": { from: "Timimoun", to: "In Guezzam" },
      "DZ-57": { from: "In Salah", to: "El Meghaier" },
      "DZ-58": { from: "In Guezzam", to: "El Meniaa" },
      "EE-430": { from: "Lääne-Harju", to: "Lääneranna" },
      "EE-431": { from: "Lääneranna", to: "Lääne-Harju" },
    },
  },
  {
    reason: "The name of something else, or cut off, or misspelled.",
    changes: {
      "AO-CUS": { from: "Cuanza", to: "Cuanza Sul" },
      "DK-84": { from: "Denmark", to: "Capital Region of Denmark" },
      "ES-EX": { from: "Estremadura", to: "Extremadura" },
      "IS-HRG": { from: "Hörðarsveit", to: "Hörgársveit" },
      "IS-SBT": { from: "Svalbardsstrandarhreppur", to: "Svalbarðsstrandarhreppur" },
      "LV-112": { from: "Dienvidkurzemes", to: "Dienvidkurzeme" },
      "PA-KY": { from: "Guna", to: "Guna Yala" },
      "PL-16": { from: "Upper Silesia", to: "Opole" },
      "TJ-RA": { from: "Nohiyahoi Tobei Jumhurí", to: "Districts of Republican Subordination" },
      "VE-W": { from: "Venezuela", to: "Federal Dependencies" },
    },
  },
  {
    reason: "Renamed: Khojavend by Azerbaijan, the others by ISO 3166-2.",
    changes: {
      "AZ-XVD": { from: "Martuni", to: "Khojavend" },
      "GD-10": { from: "Carriacou", to: "Southern Grenadine Islands" },
      "HU-CS": { from: "Csongrád", to: "Csongrád-Csanád" },
      "PA-EM": { from: "Emberá-Wounaan", to: "Emberá" },
      "PA-NB": { from: "Ngöbe-Buglé", to: "Ngäbe-Buglé" },
    },
  },
  {
    reason: "Thừa Thiên Huế became the municipality of Huế on 1 January 2025.",
    changes: { "VN-26": { from: "Thừa Thiên-Huế", to: "Huế" } },
  },
  {
    reason: "There is an English name, or one in the usual order.",
    changes: {
      "BE-BRU": { from: "Brussels-Capital", to: "Brussels-Capital Region" },
      "CZ-10": { from: "Praha, Hlavní město", to: "Prague" },
      "DE-HE": { from: "Hessen", to: "Hesse" },
      "ES-AS": { from: "Asturias, Principality of", to: "Asturias" },
      "ES-PM": { from: "Islas Baleares", to: "Balearic Islands" },
      "FR-BRE": { from: "Bretagne", to: "Brittany" },
      "IQ-KR": { from: "Iqlim Kurdistan", to: "Kurdistan Region" },
      "PL-20": { from: "Podlaskie", to: "Podlachia" },
      "PT-20": { from: "Açores", to: "Azores" },
      "RU-CE": { from: "Chechen", to: "Chechnya" },
      "RU-CU": { from: "Chuvash", to: "Chuvashia" },
      "RU-KB": { from: "Kabardino-Balkar", to: "Kabardino-Balkaria" },
      "RU-KC": { from: "Karachay-Cherkess", to: "Karachay-Cherkessia" },
      "RU-UD": { from: "Udmurt", to: "Udmurtia" },
      "RU-YEV": { from: "Jewish", to: "Jewish Autonomous Oblast" },
    },
  },
  {
    reason: "Two subdivisions would have one name.",
    changes: {
      "RU-AL": { from: "Altai", to: "Altai Republic" },
      "RU-ALT": { from: "Altai", to: "Altai Krai" },
      "RU-MOS": { from: "Moscow", to: "Moscow Oblast" },
    },
  },
  {
    reason: "The database has adjectives; these are the nouns, in the romanization of the UN and of Ukraine.",
    changes: {
      "UA-05": { from: "Vinnytska", to: "Vinnytsia" },
      "UA-07": { from: "Volynska", to: "Volyn" },
      "UA-09": { from: "Luhanska", to: "Luhansk" },
      "UA-12": { from: "Dnipropetrovska", to: "Dnipropetrovsk" },
      "UA-14": { from: "Donetska", to: "Donetsk" },
      "UA-18": { from: "Zhytomyrska", to: "Zhytomyr" },
      "UA-21": { from: "Zakarpatska", to: "Zakarpattia" },
      "UA-23": { from: "Zaporizka", to: "Zaporizhzhia" },
      "UA-26": { from: "Ivano-Frankivska", to: "Ivano-Frankivsk" },
      "UA-32": { from: "Kyivska", to: "Kyiv Oblast" },
      "UA-35": { from: "Kirovohradska", to: "Kirovohrad" },
      "UA-46": { from: "Lvivska", to: "Lviv" },
      "UA-48": { from: "Mykolaivska", to: "Mykolaiv" },
      "UA-51": { from: "Odeska", to: "Odesa" },
      "UA-53": { from: "Poltavska", to: "Poltava" },
      "UA-56": { from: "Rivnenska", to: "Rivne" },
      "UA-59": { from: "Sumska", to: "Sumy" },
      "UA-61": { from: "Ternopilska", to: "Ternopil" },
      "UA-63": { from: "Kharkivska", to: "Kharkiv" },
      "UA-65": { from: "Khersonska", to: "Kherson" },
      "UA-68": { from: "Khmelnytska", to: "Khmelnytskyi" },
      "UA-71": { from: "Cherkaska", to: "Cherkasy" },
      "UA-74": { from: "Chernihivska", to: "Chernihiv" },
      "UA-77": { from: "Chernivetska", to: "Chernivtsi" },
    },
  },
];

/** Types of the database that are wrong or obsolete. */
export const STATE_TYPES: StateChanges = [
  {
    reason: "Cities of their own, beside the district of the same name.",
    changes: {
      "AZ-LA": { from: "district", to: "municipality" },
      "AZ-LAN": { from: "municipality", to: "district" },
      "HU-ZE": { from: "county", to: "city with county rights" },
      "LT-02": { from: "district municipality", to: "city municipality" },
      "LT-15": { from: "district municipality", to: "city municipality" },
      "LT-31": { from: "district municipality", to: "city municipality" },
      "LT-43": { from: "district municipality", to: "city municipality" },
      "LT-57": { from: "district municipality", to: "city municipality" },
      "MV-MLE": { from: "administrative atoll", to: "city" },
      "PY-ASU": { from: "department", to: "capital" },
      "TT-SFO": { from: "region", to: "city" },
    },
  },
  {
    reason: "Cities under the central government.",
    changes: {
      "VN-26": { from: "province", to: "municipality" },
      "VN-HP": { from: "province", to: "municipality" },
      "VN-SG": { from: "province", to: "municipality" },
    },
  },
  {
    reason: "An autonomous okrug.",
    changes: { "RU-NEN": { from: "autonomous city", to: "autonomous district" } },
  },
  {
    reason: "A federal entity since 2016.",
    changes: { "MX-CMX": { from: "federal district", to: "federal entity" } },
  },
];
