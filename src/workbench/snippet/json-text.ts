import type { JsonValue } from "@bufbuild/protobuf";

/**
 * A value as JSON in which nothing is invisible: controls, marks of direction, joiners and lone surrogates are escaped, so that
 * what is copied and pasted into a terminal is what is seen, and does nothing there. Also a literal of JavaScript.
 */
export function jsonText(value: JsonValue): string {
  return JSON.stringify(value).replaceAll(/\p{C}|\u2028|\u2029/gu, escaped);
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
