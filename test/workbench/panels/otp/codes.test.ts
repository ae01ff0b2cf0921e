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

test("codes fetched by these functions are current, with few calls", () => {
  const PERIOD = 30;
  const RETRY = 300;
  const way = fc.integer({ min: 1, max: 120 });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 41 }),
      way,
      way,
      fc.nat(50),
      (trueOffset, there, back, late) => {
        const trueStep = (at: number) => Math.floor((at + trueOffset) / 1000 / PERIOD);
        let known: ReturnType<typeof narrowOffset>;
        let fetched = -1;
        let shown = -1;
        let calls = 0;
        for (let now = 0; now < 65_000; ) {
          const isDue = known === undefined || stepPosition(known, now, PERIOD).step > fetched;
          if (!isDue) {
            now += 200;
            continue;
          }
          calls++;
          const receivedAt = now + there + back;
          const second = Math.floor((now + there + trueOffset - late) / 1000) * 1000;
          known = narrowOffset(known, { date: new Date(second).toUTCString(), sentAt: now, receivedAt });
          shown = trueStep(now + there);
          fetched = known === undefined ? -1 : stepOfResponse(known, now, PERIOD);
          now = Math.max(receivedAt, now + RETRY);
          // The codes of a step arrive at most a second after it starts.
          expect(shown).toBeGreaterThanOrEqual(trueStep(now - 1000 - there - back));
        }
        expect(shown).toBeGreaterThanOrEqual(trueStep(63_000));
        expect(calls).toBeLessThanOrEqual(20);
      },
    ),
    { numRuns: 300 },
  );
});
