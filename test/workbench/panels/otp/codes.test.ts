import { create } from "@bufbuild/protobuf";
import { OtpCodesSchema } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  matchCode,
  narrowOffset,
  stepOfResponse,
  stepPosition,
} from "../../../../src/workbench/panels/otp/codes.js";

const CODES = create(OtpCodesSchema, {
  next: "000001",
  current: "012345",
  previous: "555555",
  secondPrevious: "999999",
});

test.each([
  ["012345", "current"],
  ["012 345", "current"],
  [" 0 1 2 3 4 5\t", "current"],
  ["000001", "next"],
  ["555555", "previous"],
  ["999999", "secondPrevious"],
  ["000000", "none"],
  ["12345", undefined],
  ["", undefined],
  ["0123456", "tooLong"],
  ["12ab", "malformed"],
  ["01234a", "malformed"],
  ["-", "malformed"],
])("matchCode finds %j as %s", (typed, name) => {
  expect(matchCode(CODES, typed)).toBe(name);
});

test("a typed text that is no code needs no codes", () => {
  expect(matchCode(undefined, "abc")).toBe("malformed");
  expect(matchCode(undefined, "012345")).toBe(undefined);
});

test("matchCode prefers the current code among equal ones", () => {
  expect(matchCode(create(OtpCodesSchema, { ...CODES, next: "012345" }), "012345")).toBe("current");
});

const DATE = "Wed, 18 Mar 2026 12:00:10 GMT";
const SERVER = Date.parse(DATE);

describe("narrowOffset", () => {
  test("limits the offset to a second plus the round trip", () => {
    expect(narrowOffset(undefined, { date: DATE, sentAt: 1000, receivedAt: 1080 })).toEqual({
      least: SERVER - 1080,
      most: SERVER + 1050 - 1000,
    });
  });

  test.each([[null], [""], ["yesterday"]])("ignores the date %j", (date) => {
    expect(narrowOffset(undefined, { date, sentAt: 0, receivedAt: 1 })).toBeUndefined();
    const known = { least: 1, most: 2 };
    expect(narrowOffset(known, { date, sentAt: 0, receivedAt: 1 })).toBe(known);
  });

  test("starts over when the clock of the service was set", () => {
    const before = narrowOffset(undefined, { date: DATE, sentAt: 0, receivedAt: 10 });
    const after = narrowOffset(before, {
      date: "Wed, 18 Mar 2026 11:00:00 GMT",
      sentAt: 500,
      receivedAt: 510,
    });
    expect(after).toEqual({ least: SERVER - 3_610_000 - 510, most: SERVER - 3_610_000 + 1050 - 500 });
  });

  test("always contains the true offset", () => {
    const responses = fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: 120_000 }),
        way: fc.nat(200),
        back: fc.nat(200),
        late: fc.nat(50),
      }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(responses, fc.integer({ min: 0, max: 2 ** 41 }), (all, offset) => {
        let known: ReturnType<typeof narrowOffset>;
        for (const { at, way, back, late } of all) {
          const second = Math.floor((at + way + offset - late) / 1000) * 1000;
          const date = new Date(second).toUTCString();
          known = narrowOffset(known, { date, sentAt: at, receivedAt: at + way + back });
          expect(known?.least).toBeLessThanOrEqual(offset);
          expect(known?.most).toBeGreaterThanOrEqual(offset);
        }
      }),
    );
  });
});

describe("stepPosition", () => {
  const exact = { least: 0, most: 0 };
  test.each([
    [0, 0, 30],
    [1, 0, 30],
    [999, 0, 30],
    [1000, 0, 29],
    [29_000, 0, 1],
    [29_999, 0, 1],
    [30_000, 1, 30],
    [59_999, 1, 1],
  ])("at %i ms is in step %i with %i s left", (now, step, secondsLeft) => {
    expect(stepPosition(exact, now, 30)).toEqual({ step, secondsLeft });
  });

  test("uses the middle of the known offset", () => {
    expect(stepPosition({ least: 29_000, most: 31_000 }, 0, 30)).toEqual({ step: 1, secondsLeft: 30 });
  });
});

test.each([
  [29_999, 0, 0],
  [30_000, 0, 1],
  [29_000, 1_000, 1],
  [30_500, -1_000, 0],
])("codes of a request at %i ms and an offset from %i ms are of step %i or later", (sentAt, least, step) => {
  expect(stepOfResponse({ least, most: least + 2_000 }, sentAt, 30)).toBe(step);
});
