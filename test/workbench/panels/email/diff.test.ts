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

  test("contains both texts, alternates kinds, has no empty parts, and puts removed before added text", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const parts = diffText(before, after);
        const without = (kind: DiffPart["kind"]) =>
          parts.reduce((all, part) => all + (part.kind === kind ? "" : part.text), "");
        expect(without("added")).toBe(before);
        expect(without("removed")).toBe(after);
        for (const [index, part] of parts.entries()) {
          expect(part.text).not.toBe("");
          expect(part.kind).not.toBe(parts[index + 1]?.kind);
          expect(part.kind === "removed" && parts[index - 1]?.kind === "added").toBe(false);
        }
      }),
    );
  });
});
