import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as entry from "connect-transcoding";
import { describe, expect, test } from "vitest";

const PACKAGE = join(import.meta.dirname, "..");
const README = readFileSync(join(PACKAGE, "README.md"), "utf8");

/** The names of the members of an interface. */
function membersOf(file: string, name: string): string[] {
  const source = readFileSync(join(PACKAGE, "src", file), "utf8");
  const body = new RegExp(`export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(source)?.[1] ?? "";
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?:(]/gm)].map(([, member = ""]) => member);
}

test.each([
  ["node/adapter.ts", "TranscodingAdapterOptions"],
  ["node/adapter.ts", "TranscodingOptions"],
  ["server/transport-options.ts", "TransportOptions"],
  ["server/server.ts", "TranscodingServer"],
  ["openapi/document.ts", "ServerDescription"],
])("README.md documents every member of %s: %s", (file, name) => {
  const [, table = ""] = new RegExp(`^\\| \`${name}\` \\|.*\\n((?:\\|.*\\n)+)`, "m").exec(README) ?? [];
  const documented = [...table.matchAll(/^\| `(\w+)/gm)].map(([, member]) => member);
  expect(
    documented.sort(),
    `packages/connect-transcoding/README.md: the table that begins with "| \`${name}\` |" needs one row per member of ${file}`,
  ).toEqual(membersOf(file, name).sort());
});

test.each(Object.keys(entry))("README.md mentions the export %s", (name) => {
  expect(README.includes(name), `mention ${name} in packages/connect-transcoding/README.md`).toBe(true);
});

describe("code in README.md that names a file", () => {
  const blocks = [...README.matchAll(/^```\w+ (examples\/\S+)\n([\s\S]*?)^```$/gm)];

  test.each(blocks.map(([, path = "", code = ""]) => [path, code]))("is in %s", (path, code) => {
    expect(readFileSync(join(PACKAGE, "../..", path), "utf8")).toContain(code);
  });
});
