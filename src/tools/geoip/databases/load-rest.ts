import type { DatabaseFile } from "./load-database-file.js";
import type { OpenFiles } from "./load-databases.js";

/**
 * Returns a function that loads the files of which lookups read pages so far. Each is loaded into the memory of one that is not open any more if that suffices: a second
 * copy exceeds what a small container has.
 */
export function createLoadRest(open: OpenFiles): () => Promise<void> {
  const memories = new Map<DatabaseFile<unknown>, Buffer>();
  return async () => {
    const files = [open.city, open.asn, open.countrySources].flatMap((each): DatabaseFile<unknown>[] => [
      ...each.values(),
    ]);
    for (const file of files) {
      const pages = file.pages();
      if (pages !== undefined) {
        const unused = [...memories].filter(([each]) => !files.includes(each));
        const [reused] = unused
          .filter(([, memory]) => memory.length >= file.size)
          .sort(([, one], [, other]) => one.length - other.length);
        memories.delete(reused?.[0] ?? file);
        memories.set(file, reused?.[1] ?? pages);
        // After a failure, lookups still read the pages of the file.
        await file.load(reused?.[1] ?? pages).catch(() => {});
      }
    }
    for (const file of [...memories.keys()].filter((each) => !files.includes(each))) {
      memories.delete(file);
    }
  };
}
