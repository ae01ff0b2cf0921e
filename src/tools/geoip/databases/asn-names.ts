import { foldText } from "../../../text/fold-text.js";
import betterNames from "./asn-names.json" with { type: "json" };

/** The escapes that occur in names; `&amp;amp;` is escaped twice. */
const ESCAPES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&#39;": "'",
};

/** By number, names in origin-asn that are empty or a street (`No.31,Jin-rong Street`), a tab, and the name in another table. */
const BETTER_NAMES: Readonly<Record<string, string>> = betterNames;

/** A name after the number: `AS8151 - UNINET`, `UPMC-AS122 - UPMC`, `54576 - Hoag`. */
const NUMBERED = /^(?:\S*AS-?(\d+)\s+(?:-\s+)?|(\d+) - )(?=.*\p{L})/iu;

/** Corrects the name of an autonomous system as {@link cleanAsnName} does, and replaces a missing name or a street. */
export function correctAsnName(number: number, text: string): string {
  const name = cleanAsnName(number, text);
  const [before, better = ""] = BETTER_NAMES[number]?.split("\t") ?? [];
  return before === name ? better : name;
}

/**
 * Cleans the name of an autonomous system: HTML escapes are decoded, its number before the name is left out, and a name that is the
 * same text twice is there once. Publishers join the name of the system and that of its organization (`CONCERGENT-LLC - CONCERGENT, LLC`), which often differ
 * only in case and punctuation. The second is the usual spelling.
 */
export function cleanAsnName(number: number, text: string): string {
  return withoutRepetition(withoutNumber(number, text.includes("&") ? decodeEscapes(text) : text));
}

function withoutNumber(number: number, name: string): string {
  const [start = "", first, second] = NUMBERED.exec(name) ?? [];
  return Number(first ?? second) === number ? name.slice(start.length) : name;
}

function withoutRepetition(name: string): string {
  for (let at = name.indexOf(SEPARATOR); at >= 0; at = name.indexOf(SEPARATOR, at + 1)) {
    const second = name.slice(at + SEPARATOR.length).trim();
    const folded = foldName(second);
    if (folded !== "" && folded === foldName(name.slice(0, at))) {
      return second;
    }
  }
  return name;
}

const SEPARATOR = " - ";

function decodeEscapes(text: string): string {
  const decoded = text.replace(/&(?:amp|lt|gt|quot|apos|#39);/g, (entity) => ESCAPES[entity] ?? entity);
  return decoded === text ? text : decodeEscapes(decoded);
}

/** Returns the letters and digits of a name. */
function foldName(name: string): string {
  return foldText(name).replaceAll(" ", "");
}
