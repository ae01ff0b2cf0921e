import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

/**
 * What docs/clients.md shows: the files by their names, and what they print. A block of code has the name of its file behind its
 * language, a block of text that of the file that prints it.
 */
export function documented() {
  const page = readFileSync(join(ROOT, "docs", "clients.md"), "utf8");
  const blocks = [...page.matchAll(/^```(\w+) (\S+)\n([\s\S]*?)^```$/gm)];
  const of = (isText) =>
    new Map(
      blocks
        .filter(([, language]) => (language === "text") === isText)
        .map(([, , name, text]) => [name, text]),
    );
  return { files: of(false), prints: of(true) };
}

/** Writes those of the documented files whose names begin with a prefix, without it, into a folder. */
export function writeDocumented(files, prefix, folder) {
  for (const [name, text] of files) {
    if (name.startsWith(prefix) && (prefix !== "" || !name.includes("/"))) {
      const path = join(folder, name.slice(prefix.length));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }
}
