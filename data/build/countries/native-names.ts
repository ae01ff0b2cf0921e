import type { StateChanges } from "./state-names.js";

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
export const LOCAL_SCRIPT_NAMES: StateChanges = [
  {
    reason: "Misspelled, a translation of the name, or with a word that its neighbors do not have.",
    changes: {
      "AE-FU": { from: "فجيرة", to: "الفجيرة" },
      "AE-UQ": { from: "أم القوي", to: "أم القيوين" },
      "AM-SU": { from: "Սյուն", to: "Սյունիք" },
      "AM-VD": { from: "Վայոց ձոր", to: "Վայոց Ձոր" },
      "BG-16": { from: "Плодов", to: "Пловдив" },
      "GE-TB": { from: "თბილის", to: "თბილისი" },
      "GR-F": { from: "Επτάνησα", to: "Ιόνια Νησιά" },
      "GR-H": { from: "Κεντρική Ελλάδα", to: "Στερεά Ελλάδα" },
      "JP-04": { from: "宮城県", to: "宮城" },
      "JP-09": { from: "栃木県", to: "栃木" },
      "JP-28": { from: "兵庫県", to: "兵庫" },
      "SA-06": { from: "يشيد", to: "حائل" },
      "TH-55": { from: "แนน", to: "น่าน" },
      "TN-12": { from: "أريانا", to: "أريانة" },
    },
  },
];

/** Names of iso-3166 that are truncated at a line break of the standard, in one of two languages, or misspelled. */
export const ISO_NAMES: StateChanges = [
  {
    reason: "Cut off.",
    changes: {
      "RU-KB": { from: "Kabardino-", to: "Kabardino-Balkarskaya Respublika" },
      "RU-KC": { from: "Karachayevo-Cherkesskaya", to: "Karachayevo-Cherkesskaya Respublika" },
      "RU-KHM": { from: "Khanty-", to: "Khanty-Mansiyskiy avtonomnyy okrug" },
      "RU-LEN": { from: "Leningradskaya", to: "Leningradskaya oblast'" },
      "RU-NEN": { from: "Nenetskiy", to: "Nenetskiy avtonomnyy okrug" },
      "RU-NVS": { from: "Novosibirskaya", to: "Novosibirskaya oblast'" },
      "RU-VGG": { from: "Volgogradskaya", to: "Volgogradskaya oblast'" },
      "RU-VLA": { from: "Vladimirskaya", to: "Vladimirskaya oblast'" },
      "RU-YAN": { from: "Yamalo-", to: "Yamalo-Nenetskiy avtonomnyy okrug" },
    },
  },
  {
    reason: "Not in the language that is spoken there, or half in English.",
    changes: {
      "BE-BRU": { from: "Brussels Hoofdstedelijk Gewest", to: "Région de Bruxelles-Capitale" },
      "BE-WAL": { from: "Waals Gewest", to: "Région wallonne" },
    },
  },
  {
    reason: "Misspelled.",
    changes: {
      "DK-82": { from: "Region Midjylland", to: "Region Midtjylland" },
      "NA-KA": { from: "//Karas", to: "ǁKaras" },
      "ID-PE": { from: "Papua Pengunungan", to: "Papua Pegunungan" },
    },
  },
  {
    reason: "Thừa Thiên Huế became the municipality of Huế on 1 January 2025.",
    changes: { "VN-26": { from: "Thừa Thiên-Huế", to: "Huế" } },
  },
  {
    reason: "Several languages or an explanation in one name.",
    changes: {
      "CF-HS": { from: "Haute-Sangha / Mambéré-Kadéï", to: "Mambéré-Kadéï" },
      "IT-BZ": { from: "Bolzano, Bozen", to: "Bolzano" },
      "IT-23": { from: "Valle d'Aosta, Vallée d'Aoste", to: "Valle d'Aosta" },
      "IT-32": { from: "Trentino-Alto Adige, Trentino-Südtirol", to: "Trentino-Alto Adige" },
      "MD-GA": { from: "Găgăuzia, Unitatea teritorială autonomă (UTAG)", to: "Găgăuzia" },
      "MD-SN": { from: "Stînga Nistrului, unitatea teritorială din", to: "Stînga Nistrului" },
    },
  },
];
