import { describe, expect, test } from "vitest";
import { drawsFlags, flagEmoji } from "../../../src/workbench/flags/flag-emoji.js";
import { loadCountries } from "../../data/load-countries.js";

test("flagEmoji is what the service says of every country", () => {
  for (const { code2, flag } of loadCountries()) {
    expect(flagEmoji(code2)).toBe(flag);
  }
});

describe("drawsFlags", () => {
  test("where two symbols are one flag", () => {
    expect(drawsFlags(() => 20)).toBe(true);
  });

  test("not where they are two letters or boxes", () => {
    expect(drawsFlags((text) => [...text].length * 12)).toBe(false);
  });
});
