import { withoutEnd } from "../codec/exact-integers.js";

/** The number of paths that an error names. */
const MAX_NAMED = 8;

/**
 * Creates the function that finds the paths that a client may have meant: those that differ in case or in a final slash, or otherwise
 * those below the path. It takes constant time, because any client can ask for unknown paths.
 */
export function pathSuggestions(paths: readonly string[]): (path: string) => readonly string[] {
  const equal = new Map<string, string[]>();
  const below = new Map<string, string[]>();
  for (const path of paths) {
    add(equal, comparable(path), path);
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      add(below, comparable(path.slice(0, end)), path);
    }
  }
  return (path) => {
    const key = comparable(path);
    return equal.get(key) ?? below.get(key) ?? [];
  };
}

function add(groups: Map<string, string[]>, key: string, path: string): void {
  const group = groups.get(key) ?? [];
  if (group.length < MAX_NAMED) {
    groups.set(key, [...group, path]);
  }
}

function comparable(path: string): string {
  return withoutEnd(path, "/").toLowerCase();
}
