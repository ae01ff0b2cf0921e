import { describe, expect, test } from "vitest";
import { SPECIAL_PURPOSE_BLOCKS } from "../../../../src/tools/geoip/special-purpose.js";
import { rfcLinks } from "../../../../src/workbench/panels/geoip/addresses.js";

describe("rfcLinks", () => {
  test.each([
    ["RFC 1918", [{ text: "RFC 1918", href: "https://www.rfc-editor.org/rfc/rfc1918" }]],
    [
      "RFC 8880; RFC 7050, section 2.2",
      [
        { text: "RFC 8880", href: "https://www.rfc-editor.org/rfc/rfc8880" },
        { text: "RFC 7050, section 2.2", href: "https://www.rfc-editor.org/rfc/rfc7050#section-2.2" },
      ],
    ],
    ["somebody's word", [{ text: "somebody's word", href: undefined }]],
  ])("%s", (reference, links) => {
    expect(rfcLinks(reference)).toEqual(links);
  });

  test("links every reference of the special-purpose registries", () => {
    for (const { reference } of SPECIAL_PURPOSE_BLOCKS) {
      expect(rfcLinks(reference).every(({ href }) => href !== undefined)).toBe(true);
    }
  });
});
