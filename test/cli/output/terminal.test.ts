import { describe, expect, test } from "vitest";
import {
  createStyle,
  cutToWidth,
  displayText,
  displayWidth,
  drawQrCode,
  padToWidth,
  usesColors,
  wrapToWidth,
} from "../../../src/cli/output/terminal.js";
import { qrCode } from "../../../src/tools/barcode/qr-code.js";

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

  test.each<[string, number, string[]]>([
    ["", 5, [""]],
    ["abc", 3, ["abc"]],
    ["Bonaire, Sint Eustatius and Saba", 14, ["Bonaire, Sint", "Eustatius and", "Saba"]],
    ["2001:db8::1 is long", 6, ["2001:d", "b8::1", "is", "long"]],
    ["日本語", 5, ["日本", "語"]],
    ["a  ", 2, ["a"]],
  ])("%j is wrapped to %i columns", (given, width, lines) => {
    expect(wrapToWidth(given, width)).toEqual(lines);
  });
});

test("a QR code has a margin of two modules, and is black on white with colors", () => {
  const code = qrCode("hi");
  const lines = code.ok ? drawQrCode(code.value, false) : [];
  expect(lines.slice(0, 2)).toEqual(["█".repeat(25), expect.stringMatching(/^██ ▄{5} .* ▄{5} ██$/)]);
  const colored = code.ok ? drawQrCode(code.value, true) : [];
  expect(colored).toEqual(lines.map((line) => `\u001b[97;40m${line}\u001b[0m`));
});
