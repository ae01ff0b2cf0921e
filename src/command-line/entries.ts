import { wrap } from "../config/wrap.js";

/** Something that help lists, and what is said of it, each on lines of its own. */
export interface Entry {
  readonly name: string;
  readonly says: readonly string[];
}

/** The names of entries that are longer than this have their texts below them. */
const MAX_COLUMN = 30;

/** The lines of entries: names, and what is said of them beside them, all from one column on. */
export function entryLines(entries: readonly Entry[], width: number): string[] {
  const lengths = entries.map(({ name }) => name.length + 4).filter((length) => length <= MAX_COLUMN);
  const column = Math.max(12, ...lengths);
  return entries.flatMap(({ name, says }) => {
    const lines = says.flatMap((text) => wrap(text, width - column)).map((line) => " ".repeat(column) + line);
    const [first = "", ...rest] = lines;
    return name.length + 4 > column
      ? [`  ${name}`, ...lines]
      : [`  ${name}`.padEnd(column) + first.slice(column), ...rest];
  });
}
