import { readFileSync } from "node:fs";
import { join } from "node:path";
import { wholeNumber } from "connect-transcoding-operations/settings/values";
import { describe, expect, test } from "vitest";
import { defaultOf, GROUPS, SETTINGS, settingFlag } from "../../src/config/settings.js";
import { withSettingsTables } from "./settings-tables.js";

const ALL = Object.values(SETTINGS);

describe("the settings", () => {
  test("have unique names", () => {
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
    expect(ALL.filter(({ name }) => !/^[A-Z][A-Z0-9]*(_[A-Z]+)*$/.test(name))).toEqual([]);
  });

  test("are sorted by group", () => {
    const groups = ALL.map(({ group }) => group);
    expect(groups.filter((group, index) => group !== groups[index - 1])).toEqual([...GROUPS]);
  });

  test("do not use --help and --version", () => {
    expect(ALL.map(settingFlag).filter((flag) => /^--(help|version)$/.test(flag))).toEqual([]);
  });

  test.each(ALL)("$name is described in one sentence", ({ meaning, value }) => {
    expect(meaning).toMatch(/^(?!.*[.|]$)[^|]{10,110}$/);
    expect(value.allowed).not.toBe("");
  });
});

test("an invalid default throws", () => {
  const value = wholeNumber(1, 2);
  const setting = { name: "N", group: "Process", meaning: "", value, default: { text: "3" } } as const;
  expect(() => defaultOf(setting)).toThrow("the default of N is not allowed");
});

const ROOT = join(import.meta.dirname, "../..");

/** The variables in the tables of a page. */
const listed = (page: string) => [...page.matchAll(/^\| `([A-Z0-9_]+)` \| /gm)].map(([, name]) => name);

// `npx vitest run test/config/settings.test.ts --update` generates the tables.
test("the tables of docs/reference/settings.md are up to date", async () => {
  const path = join(ROOT, "docs/reference/settings.md");
  const page = withSettingsTables(readFileSync(path, "utf8"));
  expect(listed(page).length).toBeGreaterThan(5);
  await expect(page).toMatchFileSnapshot(path);
});

test("docs/reference/settings.md lists every setting once", () => {
  const page = withSettingsTables(readFileSync(join(ROOT, "docs/reference/settings.md"), "utf8"));
  const names = Object.values(SETTINGS).map(({ name }) => name);
  expect(listed(page).toSorted()).toEqual(names.toSorted());
});

describe("the tables of a page", () => {
  const between = (names: string, table: string) =>
    `before\n<!-- settings: ${names} -->\n${table}<!-- end of settings -->\nafter\n`;

  test("are generated, and nothing else changes", () => {
    const table = [
      "",
      "| Variable | Default | Meaning | Allowed |",
      "|---|---|---|---|",
      "| `PORT` | `8080` | the port to listen on; `0` takes a free one | a number from 0 to 65535 |",
      "",
      "",
    ].join("\n");
    expect(withSettingsTables(between("PORT", "| old |\n"))).toBe(between("PORT", table));
    expect(withSettingsTables("no table")).toBe("no table");
  });

  test("accept only settings", () => {
    expect(() => withSettingsTables(between("PORT PROT", ""))).toThrow("PROT is neither");
  });
});
