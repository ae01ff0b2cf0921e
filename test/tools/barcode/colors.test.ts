import { describe, expect, it, test } from "vitest";
import {
  BLACK,
  type Color,
  checkContrast,
  over,
  parseColor,
  WHITE,
} from "../../../src/tools/barcode/colors.js";

describe("parseColor", () => {
  it.each([
    ["", BLACK],
    ["1a4d8f", [0x1a, 0x4d, 0x8f, 255]],
    ["#1A4D8F", [0x1a, 0x4d, 0x8f, 255]],
    ["1a4d8f80", [0x1a, 0x4d, 0x8f, 0x80]],
    ["fa0", [0xff, 0xaa, 0, 255]],
    ["#fa08", [0xff, 0xaa, 0, 0x88]],
  ])("reads %j", (text, value) => {
    expect(parseColor(text, BLACK)).toEqual({ ok: true, value });
  });

  it.each(["#", "1", "12", "12345", "1234567", "123456789", "red", "##fff", "fff ", "rgb(0,0,0)", "ggg"])(
    "rejects %j",
    (text) => {
      const description = "must be 3, 4, 6 or 8 hexadecimal digits, for example 1a4d8f";
      expect(parseColor(text, BLACK)).toEqual({
        ok: false,
        failure: { reason: "INVALID_COLOR", description },
      });
    },
  );
});

describe("checkContrast", () => {
  const check = (foreground: string, background: string) => {
    const [one, other] = [parseColor(foreground, BLACK), parseColor(background, WHITE)];
    if (!one.ok || !other.ok) {
      throw new Error("not a color");
    }
    const result = checkContrast({ foreground: one.value, background: other.value });
    return result.ok ? "ok" : `${result.failure.reason}: ${result.failure.description}`;
  };
  const tooLow = (ratio: string) =>
    `CONTRAST_TOO_LOW: must have a contrast of at least 4:1 with the background, has ${ratio}:1`;
  const REVERSED = "LIGHT_ON_DARK: must be darker than the background, because many scanners require it";

  // #7f7f7f has a contrast of 4.004:1 to white, #808080 one of 3.95:1, and #ff0000 one of 3.998:1.
  it.each([
    ["000", "fff", "ok"],
    ["7f7f7f", "fff", "ok"],
    ["808080", "fff", tooLow("3.94")],
    ["f00", "fff", tooLow("3.99")],
    ["fff", "fff", tooLow("1")],
    ["000", "000", tooLow("1")],
    ["fff", "000", REVERSED],
    ["ff0", "00f", REVERSED],
    ["00f", "ff0", "ok"],
    ["000", "ffffff00", "ok"],
    ["000", "00000000", "ok"],
    ["000", "000000ff", tooLow("1")],
    ["00000000", "fff", tooLow("1")],
    ["00000080", "fff", "ok"],
  ])("of %s on %s: %s", (foreground, background, outcome) => {
    expect(check(foreground, background)).toBe(outcome);
  });
});

test.each<[string, Color, Color, Color]>([
  ["an opaque color", BLACK, WHITE, BLACK],
  ["a transparent color", [9, 9, 9, 0], WHITE, WHITE],
  ["half of a color", [0, 0, 0, 128], WHITE, [127, 127, 127, 255]],
  ["half of a color on nothing", [10, 20, 30, 128], [255, 255, 255, 0], [10, 20, 30, 128]],
  ["nothing on nothing", [10, 20, 30, 0], [255, 255, 255, 0], [0, 0, 0, 0]],
])("composes %s", (_, color, below, expected) => {
  expect(over(color, below)).toEqual(expected);
});
