import { expect, test } from "vitest";
import { entityTagOf, matchesEntityTag } from "../../src/transcoding/entity-tag.js";

test("an entity tag is weak, opaque, and the body's own", () => {
  expect(entityTagOf("a")).toMatch(/^W\/"[A-Za-z0-9_-]{27}"$/);
  expect(entityTagOf("a")).toBe(entityTagOf(new TextEncoder().encode("a")));
  expect(entityTagOf("a")).not.toBe(entityTagOf("b"));
});

// RFC 9110, sections 8.8.3.2 and 13.1.2.
test.each([
  ['W/"a"', true],
  ['"a"', true],
  ['"b", W/"a"', true],
  ['"b","c" , "a"', true],
  ["*", true],
  [" * ", true],
  ['"b"', false],
  ['"A"', false],
  ["a", false],
  ["", false],
  ['"a', false],
  ['W/"b", "c"', false],
])("If-None-Match: %s matches: %s", (header, matches) => {
  expect(matchesEntityTag(header, 'W/"a"')).toBe(matches);
});
