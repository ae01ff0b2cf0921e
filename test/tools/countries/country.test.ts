import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCountryCode } from "../../../src/tools/countries/country.js";

describe("parseCountryCode", () => {
  it.each([
    ["FR", "FR"],
    ["fr", "FR"],
    ["Fr", "FR"],
    ["FRA", "FRA"],
    ["fra", "FRA"],
    ["xk", "XK"],
    ["zz", "ZZ"],
  ])("reads %s as %s", (text, code) => {
    expect(parseCountryCode(text)).toEqual({ ok: true, value: code });
  });

  it("requires a code", () => {
    expect(parseCountryCode("")).toEqual({
      ok: false,
      failure: {
        reason: "REQUIRED",
        description:
          "must not be empty: a 2- or 3-letter country code, for example FR or FRA; without the parameter, all countries are listed",
      },
    });
  });

  it.each(["F", "FRAN", "F1", "250", " FR", "FR ", "FR\n", "F R", "ÅX", "ſſ", "France", "\u0000\u0000", "İ"])(
    "rejects %j",
    (text) => {
      expect(parseCountryCode(text)).toEqual({
        ok: false,
        failure: {
          reason: "INVALID_COUNTRY_CODE",
          description: "must be a 2- or 3-letter country code, for example FR or FRA",
        },
      });
    },
  );

  it("never throws, and returns only capital letters", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: ANY_CHARACTER }), fc.string({ maxLength: 4 })), (text) => {
        const code = parseCountryCode(text);
        return (
          !code.ok || (/^[A-Z]{2,3}$/.test(code.value) && code.value.toLowerCase() === text.toLowerCase())
        );
      }),
      { numRuns: 1_000 },
    );
  });
});
