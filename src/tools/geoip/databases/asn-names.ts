import { foldText } from "../../../text/fold-text.js";

/** The escapes that occur in names; `&amp;amp;` is escaped twice. */
const ESCAPES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&#39;": "'",
};

/**
 * Corrects the name of an autonomous system: HTML escapes are decoded, and a name that is the same text twice is there once.
 * Publishers join the name of the system and that of its organization (`CONCERGENT-LLC - CONCERGENT, LLC`), which often differ
 * only in case and punctuation. The second is the usual spelling.
 */
export function correctAsnName(text: string): string {
  const name = text.includes("&") ? decodeEscapes(text) : text;
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
