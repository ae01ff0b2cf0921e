import jsqr from "jsqr";
import { describe, expect, test } from "vitest";
import { fieldList, layOut, pathList, table } from "../../src/cli/tables.js";
import {
  createProgress,
  createStyle,
  cutToWidth,
  displayText,
  displayWidth,
  drawQrCode,
  padToWidth,
  usesColors,
} from "../../src/cli/terminal.js";
import { qrCode } from "../../src/tools/barcode/qr-code.js";

const PLAIN = createStyle(false);

describe("colors", () => {
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
    expect(usesColors(isTerminal, env)).toBe(expected);
  });

  test("are reset after the text, and do not apply to an empty text", () => {
    expect(createStyle(true).bold("a")).toBe("\u001b[1ma\u001b[22m");
    expect(createStyle(true).bold("")).toBe("");
    expect(PLAIN.bold("a")).toBe("a");
  });
});

describe("text on a terminal", () => {
  test("cannot control it", () => {
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

  test("leave out columns on the right that do not fit", () => {
    expect(layOut(HEADER, ROWS, 25)).toEqual({ shown: [0, 1], widths: [4, 19] });
    expect(layOut(HEADER, ROWS, 3)).toEqual({ shown: [0], widths: [3] });
  });

  test("without rows have a header only", () => {
    expect(table(HEADER, [], 80, PLAIN)).toEqual(["code  name  again  capital"]);
  });
});

describe("one response", () => {
  const RESPONSE = {
    ip: "8.8.8.8",
    metadata: { asn: 1, eu: false },
    tags: ["a", "b"],
    rows: [{ a: "x", b: "y" }],
    none: [],
  };

  test("for people is indented", () => {
    expect(fieldList(RESPONSE, 80, PLAIN)).toEqual([
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
    expect(pathList(RESPONSE)).toEqual([
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

/** Decodes the QR code of drawn lines, at four pixels per module. */
function decode(lines: readonly string[], isLightDrawn: boolean) {
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
])("the QR code of %s can be decoded from the terminal", (given) => {
  const code = qrCode(given);
  if (!code.ok) {
    throw new Error(code.failure.description);
  }
  expect(decode(drawQrCode(code.value, false), true)).toBe(given);
  const colored = drawQrCode(code.value, true);
  expect(colored.every((line) => line.startsWith("\u001b[97;40m") && line.endsWith("\u001b[0m"))).toBe(true);
});

function show(size: number | undefined, width = 80) {
  const clock = { time: 1_000 };
  let written = "";
  const progress = createProgress({
    write: (text) => {
      written += text;
    },
    now: () => clock.time,
    size,
    width,
    style: createStyle(false),
  });
  return {
    clock,
    progress,
    written: () => {
      const text = written;
      written = "";
      return text;
    },
  };
}

const ERASE = "\r\u001b[2K";

describe("progress", () => {
  test("is not shown for short work", () => {
    const { clock, progress, written } = show(100);
    clock.time += 499;
    progress.update(1000, 50);
    progress.clear();
    expect(written()).toBe("");
  });

  test("of a file has a bar and per cent", () => {
    const { clock, progress, written } = show(200);
    clock.time += 500;
    progress.update(50_000, 100);
    expect(written()).toBe(`${ERASE}${"█".repeat(12)}${"░".repeat(12)}  50 %  50,000 done, 100,000/s`);
    clock.time += 99;
    progress.update(60_000, 150);
    expect(written()).toBe("");
    clock.time += 401;
    progress.update(100_000, 300);
    expect(written()).toBe(`${ERASE}${"█".repeat(24)} 100 %  100,000 done, 100,000/s`);
    progress.clear();
    progress.clear();
    expect(written()).toBe(ERASE);
  });

  test("of other input has count and rate, cut to the terminal", () => {
    const { clock, progress, written } = show(undefined, 10);
    clock.time += 1_000;
    progress.update(1_234, 100);
    expect(written()).toBe(`${ERASE}1,234 don`);
  });
});
