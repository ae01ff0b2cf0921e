import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Level, MAX_DATA_LENGTH, type QrCode, qrCode } from "../../../src/tools/barcode/qr-code.js";

function codeOf(text: string, level?: Level): QrCode {
  const code = qrCode(text, level);
  if (!code.ok) {
    throw new Error(`no code: ${code.failure.reason}`);
  }
  return code.value;
}

/** Reads the error correction level from the format information near the top left finder (ISO/IEC 18004). */
function correctionLevel(code: QrCode): string | undefined {
  const bit = (x: number, mask: number) => (code.get(x, 8) ? 1 : 0) ^ mask;
  return ["M", "L", "H", "Q"][2 * bit(0, 1) + bit(1, 0)];
}

/** The number of modules per side of a version (ISO/IEC 18004). */
const sizeOf = (version: number) => 17 + 4 * version;

describe("qrCode", () => {
  it("has finder patterns in three corners and no dark modules outside its square", () => {
    const code = codeOf("a");
    const row = (y: number) =>
      Array.from({ length: 23 }, (_, x) => (code.get(x - 1, y) ? "#" : ".")).join("");
    expect(code.size).toBe(21);
    expect([row(0).slice(0, 9), row(0).slice(14), row(20).slice(0, 9)]).toEqual([
      ".#######.",
      ".#######.",
      ".#######.",
    ]);
    expect([row(-1), row(21)]).toEqual([".".repeat(23), ".".repeat(23)]);
  });

  // Capacities: ISO/IEC 18004, table 7.
  it.each([
    ["14 bytes, the most in 1-M", "a".repeat(14), 1, "M"],
    ["15 bytes, too many for 1-M", "a".repeat(15), 2, "Q"],
    ["34 digits, the most in 1-M", "1".repeat(34), 1, "M"],
    ["20 alphanumeric characters, the most in 1-M", "A".repeat(20), 1, "M"],
    ["1 byte, which leaves room for level H", "a", 1, "H"],
    ["2,048 bytes", "a".repeat(2048), 38, "M"],
    ["2,330 bytes of UTF-8, the most in 40-M with an ECI", "é".repeat(1165), 40, "M"],
    ["2,332 bytes of UTF-8, too many for any M", "é".repeat(1166), 36, "L"],
    ["2,952 bytes of UTF-8, the most in 40-L with an ECI", "é".repeat(1476), 40, "L"],
  ])("uses the smallest version, with M if possible: %s", (_, text, version, level) => {
    const code = codeOf(text);
    expect(code.size).toBe(sizeOf(version));
    expect(correctionLevel(code)).toBe(level);
  });

  it.each([
    ["low", 1, "H"],
    ["medium", 1, "H"],
    ["quartile", 1, "H"],
    ["high", 1, "H"],
  ] as const)("has a higher level than %s if that takes no more space", (level, version, actual) => {
    const code = codeOf("a", level);
    expect([code.size, correctionLevel(code)]).toEqual([sizeOf(version), actual]);
  });

  // Capacities of versions 1 and 40 in bytes: ISO/IEC 18004, table 7. Two bytes of the text are an "é"; the ECI takes another.
  it.each([
    ["low", "a".repeat(17), 1, "L", 2952, "2,952", "2,330 with medium, 1,662 with quartile, 1,272 with high"],
    ["medium", "a".repeat(14), 1, "M", 2330, "2,330", "2,952 with low, 1,662 with quartile, 1,272 with high"],
    ["quartile", "a".repeat(11), 1, "Q", 1662, "1,662", "2,952 with low, 2,330 with medium, 1,272 with high"],
    ["high", "a".repeat(7), 1, "H", 1272, "1,272", "2,952 with low, 2,330 with medium, 1,662 with quartile"],
  ] as const)("has at least the level %s", (level, text, version, actual, maxBytes, shown, others) => {
    const code = codeOf(text, level);
    expect([code.size, correctionLevel(code)]).toEqual([sizeOf(version), actual]);
    expect(codeOf("é".repeat(maxBytes / 2), level).size).toBe(sizeOf(40));
    expect(qrCode("é".repeat(maxBytes / 2 + 1), level)).toEqual({
      ok: false,
      failure: {
        reason: "DATA_DOES_NOT_FIT",
        description:
          `must fit in one QR code with error correction ${level}, which holds ${shown} bytes of UTF-8 (${others}; more ` +
          `where much of the text is digits or capital letters), has ${(maxBytes + 2).toLocaleString("en-US")}`,
      },
    });
  });

  it.each([
    ["no text", "", "REQUIRED", "must be given: the text to encode"],
    [
      "7,090 digits",
      "1".repeat(7090),
      "DATA_TOO_LONG",
      "must fit in one QR code, which holds 7,089 digits (5,596 with medium, 3,993 with quartile, 3,057 with high), has 7,090",
    ],
    [
      "7,090 astral characters",
      "😀".repeat(7090),
      "DATA_TOO_LONG",
      "must fit in one QR code, which holds 2,952 bytes of UTF-8 (2,330 with medium, 1,662 with quartile, 1,272 with " +
        "high; more where much of the text is digits or capital letters), has 28,360",
    ],
    [
      "a megabyte",
      "a".repeat(1 << 20),
      "DATA_TOO_LONG",
      "must fit in one QR code, which holds 2,953 bytes of UTF-8 (2,331 with medium, 1,663 with quartile, 1,273 with " +
        "high; more where much of the text is digits or capital letters), has 1,048,576",
    ],
    [
      "4,297 capital letters",
      "A".repeat(4297),
      "DATA_DOES_NOT_FIT",
      "must fit in one QR code, which holds 4,296 digits and capital letters (3,391 with medium, 2,420 with quartile, " +
        "1,852 with high; more where many of them are digits), has 4,297",
    ],
    [
      "2,954 bytes of ASCII",
      "a".repeat(2954),
      "DATA_DOES_NOT_FIT",
      "must fit in one QR code, which holds 2,953 bytes of UTF-8 (2,331 with medium, 1,663 with quartile, 1,273 with " +
        "high; more where much of the text is digits or capital letters), has 2,954",
    ],
    [
      "half of a surrogate pair",
      "a\ud83d",
      "LONE_SURROGATE",
      "must be well-formed Unicode, contains half of a surrogate pair",
    ],
    [
      "2,954 bytes of UTF-8",
      "é".repeat(1477),
      "DATA_DOES_NOT_FIT",
      "must fit in one QR code, which holds 2,952 bytes of UTF-8 (2,330 with medium, 1,662 with quartile, 1,272 with " +
        "high; more where much of the text is digits or capital letters), has 2,954",
    ],
    [
      "2,048 astral characters",
      "😀".repeat(2048),
      "DATA_DOES_NOT_FIT",
      "must fit in one QR code, which holds 2,952 bytes of UTF-8 (2,330 with medium, 1,662 with quartile, 1,272 with " +
        "high; more where much of the text is digits or capital letters), has 8,192",
    ],
  ])("rejects %s", (_, text, reason, description) => {
    expect(qrCode(text)).toEqual({ ok: false, failure: { reason, description } });
  });

  it("accepts more than 2,952 bytes if digits take less than eight bits each", () => {
    const text = "1".repeat(1400) + "😀".repeat(580);
    expect(Buffer.byteLength(text)).toBe(3720);
    expect(codeOf(text).size).toBe(sizeOf(40));
  });

  // ISO/IEC 18004, table 7, version 40.
  it.each([
    ["low", "L", [7089, 4296, 2953]],
    ["medium", "M", [5596, 3391, 2331]],
    ["quartile", "Q", [3993, 2420, 1663]],
    ["high", "H", [3057, 1852, 1273]],
  ] as const)(
    "holds as much as the standard allows with the level %s, and no more",
    (level, actual, counts) => {
      for (const [index, character] of ["7", "Z", "z"].entries()) {
        const count = counts[index] ?? 0;
        const code = codeOf(character.repeat(count), level);
        expect([code.size, correctionLevel(code)]).toEqual([sizeOf(40), actual]);
        expect(qrCode(character.repeat(count + 1), level)).toMatchObject({ ok: false });
      }
      expect(MAX_DATA_LENGTH).toBe(7089);
    },
  );

  it("returns a code or a failure for any string, well-formed or not", () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 300 }), (text) => {
        const code = qrCode(text);
        const expected = text === "" ? "REQUIRED" : /\p{Cs}/u.test(text) ? "LONE_SURROGATE" : undefined;
        expect(code.ok ? undefined : code.failure.reason).toBe(expected);
      }),
    );
  });
});
