import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SETTINGS } from "../../../src/service/config/settings.js";
import { withSettingsTables } from "./settings-tables.js";

const ROOT = join(import.meta.dirname, "../../..");

/** The variables that the tables of a page list. */
const listed = (page: string) => [...page.matchAll(/^\| `([A-Z_]+)` \| `--/gm)].map(([, name]) => name);

// `npx vitest run test/config/settings-pages.test.ts --update` writes the tables anew.
test.each(["README.md", "docs/settings.md"])("%s has its tables as the settings have them", async (file) => {
  const path = join(ROOT, file);
  const page = withSettingsTables(readFileSync(path, "utf8"));
  expect(listed(page).length).toBeGreaterThan(5);
  await expect(page).toMatchFileSnapshot(path);
});

test("docs/settings.md lists every setting once", () => {
  const page = withSettingsTables(readFileSync(join(ROOT, "docs/settings.md"), "utf8"));
  const names = Object.values(SETTINGS).map(({ name }) => name);
  expect(listed(page).toSorted()).toEqual(names.toSorted());
});

describe("the tables of a page", () => {
  const between = (names: string, table: string) =>
    `before\n<!-- settings: ${names} -->\n${table}<!-- end of settings -->\nafter\n`;

  test("are written anew, and nothing else is", () => {
    const table = [
      "",
      "| Variable | Flag | Default | What it says | Allowed |",
      "|---|---|---|---|---|",
      "| `PORT` | `--port` | `8080` | the port to listen on; `0` takes a free one | a number from 0 to 65535 |",
      "",
      "",
    ].join("\n");
    expect(withSettingsTables(between("PORT", "| old |\n"))).toBe(between("PORT", table));
    expect(withSettingsTables("no table")).toBe("no table");
  });

  test("can have settings alone", () => {
    expect(() => withSettingsTables(between("PORT PROT", ""))).toThrow("PROT is neither");
  });
});
