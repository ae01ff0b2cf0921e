import { describe, expect, it } from "vitest";
import { parseAlgorithm, parseCounter, parseDigits, parsePeriod } from "../../../src/text/otp/options.js";

describe("parseDigits", () => {
  it.each([
    [undefined, 6],
    [6, 6],
    [8, 8],
  ])("reads %s as %i", (digits, value) => {
    expect(parseDigits(digits)).toEqual({ ok: true, value });
  });

  it.each([0, 1, 5, 7, 9, 10, -6, 2 ** 31 - 1, -(2 ** 31)])("rejects %i", (digits) => {
    expect(parseDigits(digits)).toEqual({
      ok: false,
      failure: { reason: "INVALID_DIGITS", description: `must be 6 or 8, is ${digits}` },
    });
  });
});

describe("parseAlgorithm", () => {
  it.each(["SHA1", "SHA256", "SHA512"])("accepts %s", (name) => {
    expect(parseAlgorithm(name)).toEqual({ ok: true, value: name });
  });

  it("is SHA1 if it is not set", () => {
    expect(parseAlgorithm(undefined)).toEqual({ ok: true, value: "SHA1" });
  });

  it.each(["", "sha1", "MD5", "SHA224", "SHA-256"])("rejects %j", (name) => {
    expect(parseAlgorithm(name)).toEqual({
      ok: false,
      failure: { reason: "INVALID_ALGORITHM", description: "must be SHA1, SHA256 or SHA512" },
    });
  });
});

describe("parsePeriod", () => {
  it.each([
    [undefined, 30],
    [1, 1],
    [60, 60],
    [86_400, 86_400],
  ])("reads %s as %i", (period, value) => {
    expect(parsePeriod(period)).toEqual({ ok: true, value });
  });

  it.each([0, -30, 86_401, 1.5, Number.NaN])("rejects %s", (period) => {
    expect(parsePeriod(period)).toEqual({
      ok: false,
      failure: { reason: "INVALID_PERIOD", description: `must be from 1 to 86400, is ${period}` },
    });
  });
});

describe("parseCounter", () => {
  it.each([
    [undefined, 0],
    [0, 0],
    [2_147_483_647, 2_147_483_647],
  ])("reads %s as %i", (counter, value) => {
    expect(parseCounter(counter)).toEqual({ ok: true, value });
  });

  it.each([-1, 2_147_483_648, 0.5, Number.NaN])("rejects %s", (counter) => {
    expect(parseCounter(counter)).toEqual({
      ok: false,
      failure: { reason: "INVALID_COUNTER", description: `must be from 0 to 2147483647, is ${counter}` },
    });
  });
});
