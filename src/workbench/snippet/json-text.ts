import type { JsonValue } from "@bufbuild/protobuf";

/** The most columns that an object or a list has on one line. */
const LINE = 60;

/**
 * A value as JSON for people, short objects on one line. Nothing in it is invisible: controls, marks of direction, joiners and
 * lone surrogates are escaped, so that what is copied and pasted into a terminal is what is seen, and does nothing there. Also
 * a literal of JavaScript.
 */
export function jsonText(value: JsonValue, indent = ""): string {
  if (Array.isArray(value)) {
    return enclosed(
      "[",
      value.map((element) => jsonText(element, `${indent}  `)),
      "]",
      indent,
    );
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${jsonText(name)}: ${jsonText(member, `${indent}  `)}`,
    );
    return enclosed("{", members, "}", indent);
  }
  return JSON.stringify(value).replaceAll(/\p{C}|\u2028|\u2029/gu, escaped);
}

function enclosed(open: string, parts: readonly string[], close: string, indent: string): string {
  const line = `${open}${parts.join(", ")}${close}`;
  return line.length <= LINE && !line.includes("\n")
    ? line
    : `${open}\n${parts.map((part) => `${indent}  ${part}`).join(",\n")}\n${indent}${close}`;
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
