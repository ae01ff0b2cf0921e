import { wrap } from "./wrap.js";

/** Something that help lists, and what is said of it, each on lines of its own. */
export interface Entry {
  readonly name: string;
  readonly says: readonly string[];
}

/**
 * The lines of entries, of at most `width` characters: names, and what is said of them beside them, from a column on. A name
 * that reaches that far has it below.
 */
export function entryLines(entries: readonly Entry[], column: number, width: number): string[] {
  return entries.flatMap(({ name, says }) => {
    const lines = says.flatMap((text) => wrap(text, width - column)).map((line) => " ".repeat(column) + line);
    const [first = "", ...rest] = lines;
    return name.length + 4 > column
      ? [`  ${name}`, ...lines]
      : [`  ${name}`.padEnd(column) + first.slice(column), ...rest];
  });
}
