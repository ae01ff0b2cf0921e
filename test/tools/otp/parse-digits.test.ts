import { describe, expect, it } from "vitest";
import { parseDigits } from "../../../src/tools/otp/parse-digits.js";

describe("parseDigits", () => {
  it.each([
    [undefined, 6],
    [6, 6],
    [8, 8],
  ])("takes %s as %i", (digits, value) => {
    expect(parseDigits(digits)).toEqual({ ok: true, value });
  });

  it.each([0, 1, 5, 7, 9, 10, -6, 2 ** 31 - 1, -(2 ** 31)])("refuses %i", (digits) => {
    expect(parseDigits(digits)).toEqual({
      ok: false,
      failure: { reason: "INVALID_DIGITS", description: `must be 6 or 8, is ${digits}` },
    });
  });
});
