import { describe, expect, test } from "vitest";
import { defaultOf, flagOf, GROUPS } from "../../../src/service/config/setting.js";
import { numberBetween } from "../../../src/service/config/setting-value.js";
import { SETTINGS } from "../../../src/service/config/settings.js";

const ALL = Object.values(SETTINGS);

describe("the settings", () => {
  test("have names of their own", () => {
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
    expect(ALL.filter(({ name }) => !/^[A-Z]+(_[A-Z]+)*$/.test(name))).toEqual([]);
  });

  test("stand group by group", () => {
    const groups = ALL.map(({ group }) => group);
    expect(groups.filter((group, index) => group !== groups[index - 1])).toEqual([...GROUPS]);
  });

  test("leave --help and --version alone", () => {
    expect(ALL.map(flagOf).filter((flag) => /^--(help|version)$/.test(flag))).toEqual([]);
  });

  test.each(ALL)("$name is described in one sentence", ({ meaning, value }) => {
    expect(meaning).toMatch(/^(?!.*[.|]$)[^|]{10,110}$/);
    expect(value.allowed).not.toBe("");
  });
});

test("a default that is not allowed is a bug", () => {
  const value = numberBetween(1, 2);
  const setting = { name: "N", group: "Process", meaning: "", value, default: { text: "3" } } as const;
  expect(() => defaultOf(setting)).toThrow("the default of N is not allowed");
});
