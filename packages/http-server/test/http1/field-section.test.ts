import { describe, expect, test } from "vitest";
import { FieldSection, parseSection } from "../../src/http1/field-section.js";

const LIMITS = { maxHeaderBytes: 1_000, maxHeaderFields: 10 };

/** Parses a section without its last, empty line. */
function parse(text: string, limits = LIMITS, size = 0) {
  const before = "before\r\n";
  const bytes = Buffer.from(`${before}${text}\r\nafter`, "latin1");
  return parseSection(bytes, before.length, before.length + text.length, size, limits);
}

function sectionOf(text: string): FieldSection {
  const section = parse(text);
  if (!(section instanceof FieldSection)) {
    throw new Error(section.message);
  }
  return section;
}

test("the list has names in lower case, and values without white space around them", () => {
  const section = sectionOf("Host:a\r\nX-Y: \t b c \t\r\nx-y:\r\nZ: \xe9\r\n");
  expect(section.list).toEqual(["host", "a", "x-y", "b c", "x-y", "", "z", "\xe9"]);
  expect(section.list).toBe(section.list);
  expect([section.size, section.length]).toEqual([4, 34]);
});

test("an empty section", () => {
  const section = sectionOf("");
  expect([section.list, section.size, section.get("a")]).toEqual([[], 0, undefined]);
});

describe("get", () => {
  const section = sectionOf(
    "Accept: a\r\nCOOKIE: a=1\r\naccept: b, c\r\nempty: \r\ncookie: b=2\r\n!#$%&'*+-.^_`|~9: token\r\n",
  );

  test.each([
    ["accept", "a, b, c"],
    ["cookie", "a=1; b=2"],
    ["empty", ""],
    ["!#$%&'*+-.^_`|~9", "token"],
    ["a", undefined],
    ["accep", undefined],
    ["accept2", undefined],
    // Names of the same length that differ by the bit of case only.
    ["empt\x59", undefined],
    ["emp\x54y", undefined],
  ])("%j is %j", (name, value) => {
    expect(section.get(name)).toBe(value);
  });

  test("bytes that differ by the bit of case are different unless they are letters", () => {
    // `^` and `~` differ in that bit.
    expect(sectionOf("a^: 1\r\na~: 2\r\n").get("a~")).toBe("2");
  });
});

describe("rejected", () => {
  test.each<readonly [title: string, text: string, message: string]>([
    ["no colon", "X\r\n", "a header line has no valid name and colon"],
    ["no name", ": 1\r\n", "a header line has no valid name and colon"],
    ["a name that is not a token", "X(): 1\r\n", "a header line has no valid name and colon"],
    ["a space before the colon", "X : 1\r\n", "a header has a space before its colon"],
    ["a tab before the colon", "X\t: 1\r\n", "a header has a space before its colon"],
    ["obs-fold", "X: 1\r\n 2\r\n", "a header line begins with a space: line folding is not supported"],
    [
      "obs-fold of the first line",
      "\t2\r\n",
      "a header line begins with a space: line folding is not supported",
    ],
    ...["\0", "\x01", "\x0b", "\x1f", "\x7f", "\n", "\r", "\r\r"].map(
      (control) =>
        [
          `${JSON.stringify(control)} in a value`,
          `X: a${control}b\r\n`,
          "a header value has a control character, or a line does not end with CRLF",
        ] as const,
    ),
  ])("%s", (_title, text, message) => {
    expect(parse(text)).toEqual({ reason: "MALFORMED_REQUEST", status: 400, message });
    expect(parse(`a: b\r\n${text}`)).toEqual({ reason: "MALFORMED_REQUEST", status: 400, message });
  });
});

describe("limits", () => {
  const limits = { maxHeaderBytes: 200, maxHeaderFields: 5 };
  test.each<readonly [title: string, text: string, size: number, status: number | undefined]>([
    ["as many fields as are allowed", "a:\r\n".repeat(5), 0, undefined],
    ["a field more", "a:\r\n".repeat(6), 0, 431],
    ["as many bytes as are allowed", `a: ${"x".repeat(167)}\r\n`, 0, undefined],
    ["a byte more", `a: ${"x".repeat(168)}\r\n`, 0, 431],
    ["a byte more in a name", `${"a".repeat(169)}:\r\n`, 0, 431],
    ["32 bytes for each field", `a:\r\nb: ${"x".repeat(134)}\r\n`, 0, undefined],
    ["33 bytes with its name", `a:\r\nb: ${"x".repeat(135)}\r\n`, 0, 431],
    ["with what precedes the section", `a: ${"x".repeat(157)}\r\n`, 10, undefined],
    ["a byte more with what precedes the section", `a: ${"x".repeat(157)}\r\n`, 11, 431],
    ["without white space around values", `a: ${" ".repeat(300)}\r\n`, 0, undefined],
  ])("%s", (_title, text, size, status) => {
    const section = parse(text, limits, size);
    expect("status" in section ? section.status : undefined).toBe(status);
  });
});
