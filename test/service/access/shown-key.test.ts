import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shownKey } from "../../../src/service/access/shown-key.js";

const NONE = { form: "none" };
const MALFORMED = { form: "malformed" };
const key = (text: string) => ({ form: "key", key: text });

describe("Authorization", () => {
  test.each([
    [undefined, NONE],
    ["", NONE],
    ["Bearer abc", key("abc")],
    // Schemes are case-insensitive: RFC 9110, section 11.1.
    ["bearer abc", key("abc")],
    ["BEARER abc", key("abc")],
    // 1*SP: RFC 9110, section 11.4.
    ["Bearer   abc", key("abc")],
    ["Bearer abc ", key("abc")],
    // RFC 6750, section 2.1, example.
    ["Bearer mF_9.B5f-4.1JqM", key("mF_9.B5f-4.1JqM")],
    ["Bearer a+/~==", key("a+/~==")],
    ["Bearer", NONE],
    ["Bearer ", NONE],
    ["Bearer\tabc", NONE],
    ["Basic YTpi", NONE],
    ["Bearerabc", NONE],
    ["abc", NONE],
    ["Bearer a b", MALFORMED],
    ["Bearer a,b", MALFORMED],
    ["Bearer a, Bearer a", MALFORMED],
    ["Bearer =", MALFORMED],
    ["Bearer a=b", MALFORMED],
    ["Bearer ä", MALFORMED],
    [`Bearer ${"a".repeat(505)}`, key("a".repeat(505))],
    [`Bearer ${"a".repeat(506)}`, MALFORMED],
    [`Basic ${"a".repeat(600)}`, NONE],
  ])("%j", (authorization, shown) => {
    expect(shownKey(authorization, undefined)).toEqual(shown);
  });
});

describe("X-API-Key", () => {
  test.each([
    ["", NONE],
    ["  ", NONE],
    ["abc", key("abc")],
    [" abc ", key("abc")],
    ["a, a", MALFORMED],
    ["a b", MALFORMED],
    ["Bearer abc", MALFORMED],
    ["a".repeat(512), key("a".repeat(512))],
    ["a".repeat(513), MALFORMED],
  ])("%j", (xApiKey, shown) => {
    expect(shownKey(undefined, xApiKey)).toEqual(shown);
  });
});

describe("both", () => {
  test.each([
    ["Bearer abc", "abc", key("abc")],
    ["Bearer abc", "abd", MALFORMED],
    ["Bearer a b", "abc", MALFORMED],
    ["Bearer abc", "a b", MALFORMED],
    ["Basic YTpi", "abc", key("abc")],
    ["Bearer", "abc", key("abc")],
    ["Bearer abc", "", key("abc")],
    ["Basic YTpi", "a b", MALFORMED],
  ])("%j and %j", (authorization, xApiKey, shown) => {
    expect(shownKey(authorization, xApiKey)).toEqual(shown);
  });
});

test("a key is never longer than a header may be, and has no comma, whatever is sent", () => {
  const header = fc.option(
    fc.oneof(
      fc.string({ maxLength: 600 }),
      fc.string({ unit: "binary", maxLength: 600 }).map((text) => `Bearer ${text}`),
      fc.stringMatching(/^[Bb]earer {1,3}[\x20-\x7e]{0,10}$/),
    ),
    { nil: undefined },
  );
  fc.assert(
    fc.property(header, header, (authorization, xApiKey) => {
      const shown = shownKey(authorization, xApiKey);
      if (shown.form === "key") {
        expect(shown.key).toMatch(/^[\x21-\x2b\x2d-\x7e]{1,512}$/);
        expect([authorization, xApiKey].some((sent) => sent?.includes(shown.key))).toBe(true);
      }
    }),
  );
});
