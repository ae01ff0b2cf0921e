import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DiffPart, diffText } from "../../../../src/workbench/panels/email/diff.js";

/** Writes parts on one line, with `[-removed-]` and `{+added+}`. */
function written(parts: readonly DiffPart[]): string {
  const marks = { same: ["", ""], removed: ["[-", "-]"], added: ["{+", "+}"] } as const;
  return parts.map(({ kind, text }) => marks[kind].join("|").replace("|", text) || text).join("");
}

describe("diffText", () => {
  test.each([
    ["a@example.com", "a@example.com", "a@example.com"],
    ["jane+news@example.com", "jane@example.com", "jane[-+news-]@example.com"],
    ["j.a.ne@gmail.com", "jane@gmail.com", "j[-.-]a[-.-]ne@gmail.com"],
    ["Jane@example.com", "jane@example.com", "[-J-]{+j+}ane@example.com"],
    ["a@googlemail.com", "a@gmail.com", "a@g[-oogle-]mail.com"],
    ["  a@example.com", "a@example.com", "[-  -]a@example.com"],
    // A letter with a diacritic is one unit in both normalization forms.
    ["e\u0301@example.com", "\u00e9@example.com", "[-e\u0301-]{+\u00e9+}@example.com"],
    ["", "", ""],
    ["", "a", "{+a+}"],
  ])("from %j to %j", (before, after, expected) => {
    expect(written(diffText(before, after))).toBe(expected);
  });

  const text = fc.string({ unit: "grapheme", maxLength: 40 });

  test("contains both texts", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const parts = diffText(before, after);
        const without = (kind: DiffPart["kind"]) =>
          parts
            .filter((part) => part.kind !== kind)
            .map((part) => part.text)
            .join("");
        expect(without("added")).toBe(before);
        expect(without("removed")).toBe(after);
      }),
    );
  });

  test("alternates kinds, has no empty parts, and puts removed before added text", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const kinds = diffText(before, after).map(({ kind, text }) => {
          expect(text).not.toBe("");
          return kind;
        });
        for (const [index, kind] of kinds.entries()) {
          expect(kind).not.toBe(kinds[index + 1]);
          expect(kind === "removed" && kinds[index - 1] === "added").toBe(false);
        }
      }),
    );
  });
});
