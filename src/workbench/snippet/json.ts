import type { JsonValue } from "@bufbuild/protobuf";

/** The languages of literals: how wide an object or a list is on one line at most, and what differs. */
const STYLES = {
  JSON: { width: 60, space: "", end: "" },
  TypeScript: { width: 48, space: " ", end: "," },
} as const;

/**
 * Formats a value as JSON, with short objects on one line. The text is also a JavaScript literal.
 *
 * Invisible characters are escaped (controls, direction marks, joiners, lone surrogates), so that text pasted into a terminal
 * is what the user saw, and no control character reaches the terminal.
 */
export function jsonLiteral(value: JsonValue, indent = ""): string {
  if (Array.isArray(value)) {
    const elements = value.map((element) => jsonLiteral(element, `${indent}  `));
    return enclosed("[", elements, "]", indent);
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${jsonLiteral(name)}: ${jsonLiteral(member, `${indent}  `)}`,
    );
    return enclosed("{", members, "}", indent);
  }
  return JSON.stringify(value).replaceAll(/\p{C}|\u2028|\u2029/gu, escaped);
}

/** Writes the parts of an object or a list: on one line if short, else with one part per line. */
export function enclosed(
  open: string,
  parts: readonly string[],
  close: string,
  indent: string,
  language: keyof typeof STYLES = "JSON",
): string {
  const { width, space, end } = STYLES[language];
  const gap = open === "{" && parts.length > 0 ? space : "";
  const line = `${open}${gap}${parts.join(", ")}${gap}${close}`;
  return line.length <= width && !line.includes("\n")
    ? line
    : `${open}\n${parts.map((part) => `${indent}  ${part}`).join(",\n")}${end}\n${indent}${close}`;
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** A piece of JSON text for syntax coloring. */
export interface JsonToken {
  readonly kind: "name" | "string" | "number" | "word" | "other";
  readonly text: string;
}

/** A string, with a colon if it is a name; a number; a word; a run of other characters. */
const TOKEN =
  /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b|[^"\d\w-]+|./g;

/** Splits JSON text into tokens. The joined texts of the tokens are the input. */
export function jsonTokens(json: string): JsonToken[] {
  return [...json.matchAll(TOKEN)].flatMap(([text, string, colon, number, word]): JsonToken[] => {
    if (string !== undefined) {
      return colon === undefined
        ? [{ kind: "string", text: string }]
        : [
            { kind: "name", text: string },
            { kind: "other", text: colon },
          ];
    }
    return [{ kind: number !== undefined ? "number" : word !== undefined ? "word" : "other", text }];
  });
}
