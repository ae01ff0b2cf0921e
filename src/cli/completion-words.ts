import type { Flag } from "./flag.js";

/** A command as shells complete it. */
export interface CompletedCommand {
  /** Its words. */
  readonly name: string;
  readonly flags: readonly Flag[];
  /** What its argument can be, where that is known. */
  readonly operands: readonly string[];
  /** One line that says what it does. */
  readonly summary: string;
}

/** What can follow some words of commands: the next words, each with what it leads to. */
export function nextWords(
  commands: readonly CompletedCommand[],
  path: string,
): readonly { readonly word: string; readonly summary: string }[] {
  const prefix = path === "" ? "" : `${path} `;
  const words = new Map<string, string>();
  for (const { name, summary } of commands) {
    if (name.startsWith(prefix)) {
      const [word = "", ...more] = name.slice(prefix.length).split(" ");
      if (more.length === 0 || !words.has(word)) {
        words.set(word, more.length === 0 ? summary : (words.get(word) ?? ""));
      }
    }
  }
  return [...words].map(([word, summary]) => ({ word, summary }));
}

/** All words of commands that others follow, and all commands: the places where completion asks what comes next. */
export function pathsOf(commands: readonly CompletedCommand[]): readonly string[] {
  const paths = commands.flatMap(({ name }) => {
    const words = name.split(" ");
    return words.map((_, index) => words.slice(0, index + 1).join(" "));
  });
  return [...new Set(paths)].toSorted();
}

/** A text in single quotes, as every shell that we write for reads it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
