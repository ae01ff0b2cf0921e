import { expect, test } from "vitest";
import {
  languageChoices,
  NAME_LANGUAGES,
} from "../../../../src/workbench/panels/countries/name-languages.js";

const NAMES = new Intl.DisplayNames("en", { type: "language" });

test("a language that a browser cannot name has a name", () => {
  // Chromium returns the tag.
  const choices = languageChoices((tag) => (tag === "dz" ? tag : NAMES.of(tag)));
  expect(choices).toEqual(languageChoices((tag) => NAMES.of(tag)));
  expect(choices).toHaveLength(NAME_LANGUAGES.length);
  expect(choices.filter(({ tag, title }) => tag === title)).toEqual([]);
});
