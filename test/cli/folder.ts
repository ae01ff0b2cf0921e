import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder for the tests of a file, which is removed after them. */
export function useFolder() {
  const path = mkdtempSync(join(tmpdir(), "command-line-"));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    /** Creates a file in the folder. Returns its path. */
    file(name: string, content: string): string {
      writeFileSync(join(path, name), content);
      return join(path, name);
    },
  };
}
