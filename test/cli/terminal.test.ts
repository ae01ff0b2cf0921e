import jsqr from "jsqr";
import { describe, expect, test } from "vitest";
import { cutToWidth, displayText, displayWidth, padToWidth } from "../../src/cli/display-text.js";
import { fieldList, pathList } from "../../src/cli/field-list.js";
import { createStyle, hasColours } from "../../src/cli/style.js";
import { layOut, table } from "../../src/cli/table.js";
import { terminalQrCode } from "../../src/cli/terminal-qr-code.js";
import { qrCode } from "../../src/tools/barcode/qr-code.js";

const PLAIN = createStyle(false);

describe("colours", () => {
  test.each<[boolean, Record<string, string>, boolean]>([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { TERM: "dumb" }, false],
    [true, { FORCE_COLOR: "0" }, false],
    [true, { FORCE_COLOR: "false" }, false],
    [false, { FORCE_COLOR: "1" }, true],
    [false, { FORCE_COLOR: "3", NO_COLOR: "1" }, true],
  ])("terminal %s with %j: %s", (isTerminal, env, expected) => {
    expect(hasColours(isTerminal, env)).toBe(expected);
  });

  test("are off and on again, and nothing is coloured that is empty", () => {
    expect(createStyle(true).bold("a")).toBe("\u001b[1ma\u001b[22m");
    expect(createStyle(true).bold("")).toBe("");
    expect(PLAIN.bold("a")).toBe("a");
  });
});

describe("text on a terminal", () => {
  test("cannot steer it", () => {
    expect(displayText("a\u001b[31mb\r\n\u202ec\u0085")).toBe("a\ufffd[31mb\ufffd\ufffd\ufffdc\ufffd");
  });

  test.each([
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["日本", 4],
    ["한국", 4],
    ["🇫🇷", 2],
    ["👩‍🔬", 2],
    ["Ⅷ", 1],
  ])("%s is %i columns wide", (given, width) => {
    expect(displayWidth(given)).toBe(width);
  });

  test("is cut and padded by columns", () => {
    expect(cutToWidth("abcdef", 6)).toBe("abcdef");
    expect(cutToWidth("abcdefg", 6)).toBe("abcde…");
    expect(cutToWidth("日本語", 5)).toBe("日本…");
    expect(cutToWidth("日本語", 4)).toBe("日…");
    expect(padToWidth("日", 4)).toBe("日  ");
  });
});

describe("tables", () => {
  const HEADER = ["code", "name", "again", "capital"];
  const ROWS = [
    ["FR", "France", "FR", "Paris"],
    ["BQ", "Bonaire, Sint Eustatius and Saba", "BQ", "Kralendijk"],
  ];

  test("are as wide as their texts, without columns that repeat others", () => {
    expect(table(HEADER, ROWS, 80, PLAIN)).toEqual([
      "code  name                              capital",
      "FR    France                            Paris",
      "BQ    Bonaire, Sint Eustatius and Saba  Kralendijk",
    ]);
  });

  test("cut their widest columns first", () => {
    expect(table(HEADER, ROWS, 40, PLAIN)).toEqual([
      "code  name                    capital",
      "FR    France                  Paris",
      "BQ    Bonaire, Sint Eustati…  Kralendijk",
    ]);
  });

  test("leave out what has no room", () => {
    expect(layOut(HEADER, ROWS, 25)).toEqual({ shown: [0, 1], widths: [4, 19] });
    expect(layOut(HEADER, ROWS, 3)).toEqual({ shown: [0], widths: [3] });
  });

  test("of nothing are a header", () => {
    expect(table(HEADER, [], 80, PLAIN)).toEqual(["code  name  again  capital"]);
  });
});

describe("one answer", () => {
  const ANSWER = {
    ip: "8.8.8.8",
    metadata: { asn: 1, eu: false },
    tags: ["a", "b"],
    rows: [{ a: "x", b: "y" }],
    none: [],
  };

  test("for people is indented", () => {
    expect(fieldList(ANSWER, 80, PLAIN)).toEqual([
      "ip        8.8.8.8",
      "metadata",
      "  asn  1",
      "  eu   false",
      "tags      a, b",
      "rows",
      "  a  b",
      "  x  y",
      "none",
    ]);
  });

  test("for programs has a path and a tab on each line", () => {
    expect(pathList(ANSWER)).toEqual([
      "ip\t8.8.8.8",
      "metadata.asn\t1",
      "metadata.eu\tfalse",
      "tags.0\ta",
      "tags.1\tb",
      "rows.0.a\tx",
      "rows.0.b\ty",
    ]);
  });
});

/** What a camera sees of the lines, at four pixels a module. */
function photograph(lines: readonly string[], isLightDrawn: boolean) {
  const scale = 4;
  const width = Math.max(...lines.map((line) => line.length));
  const pixels = new Uint8ClampedArray(width * scale * lines.length * 2 * scale * 4).fill(255);
  for (const [row, line] of lines.entries()) {
    for (const [column, character] of [...line].entries()) {
      const halves = [/[█▀]/.test(character), /[█▄]/.test(character)];
      for (const [half, isDrawn] of halves.entries()) {
        for (let pixel = 0; pixel < scale * scale && isDrawn !== isLightDrawn; pixel++) {
          const x = column * scale + (pixel % scale);
          const y = (row * 2 + half) * scale + Math.floor(pixel / scale);
          pixels.fill(0, (y * width * scale + x) * 4, (y * width * scale + x) * 4 + 3);
        }
      }
    }
  }
  return jsqr.default(pixels, width * scale, lines.length * 2 * scale)?.data;
}

test.each([
  "hi",
  "otpauth://totp/Example:jane?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Example",
  "é".repeat(200),
])("the QR code of %s is read from the terminal", (given) => {
  const code = qrCode(given);
  if (!code.ok) {
    throw new Error(code.failure.description);
  }
  expect(photograph(terminalQrCode(code.value, false), true)).toBe(given);
  const coloured = terminalQrCode(code.value, true);
  expect(coloured.every((line) => line.startsWith("\u001b[97;40m") && line.endsWith("\u001b[0m"))).toBe(true);
});
