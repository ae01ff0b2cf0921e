import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const PAGE = join(import.meta.dirname, "..", "..", "docs", "guide", "clients.md");

/**
 * Reads the files of docs/guide/clients.md, and their output, by file name. A code block has the name of its file after its language; a
 * `text` block has the name of the file that prints it.
 */
export function documented() {
  const page = readFileSync(PAGE, "utf8");
  const blocks = [...page.matchAll(/^```(\w+) (\S+)\n([\s\S]*?)^```$/gm)];
  const of = (isText) =>
    new Map(
      blocks
        .filter(([, language]) => (language === "text") === isText)
        .map(([, , name, text]) => [name, text]),
    );
  return { files: of(false), prints: of(true) };
}

/** Writes the documented files whose names begin with a prefix into a folder, without the prefix. */
export function writeDocumented(files, prefix, folder) {
  for (const [name, text] of files) {
    if (name.startsWith(prefix) && (prefix !== "" || !name.includes("/"))) {
      const path = join(folder, name.slice(prefix.length));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }
}
