import { ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createArraySplitter,
  createNdjsonSplitter,
  type JsonSplitter,
} from "../../../src/routes/binding/json-splitter.js";

const TOO_LONG = new ConnectError("too long");

/** The texts of a body that arrives in chunks of a size, and how much memory they took. */
function split(
  create: typeof createNdjsonSplitter,
  body: string,
  chunkSize: number,
  limit = 1000,
): { readonly texts: string[]; readonly allocated: number } {
  const splitter: JsonSplitter = create({ limit, tooLong: () => TOO_LONG });
  const bytes = Buffer.from(body);
  const texts: string[] = [];
  const readAll = (): void => {
    for (let text = splitter.next(); text !== undefined; text = splitter.next()) {
      texts.push(Buffer.from(text).toString());
    }
  };
  for (let at = 0; at < bytes.length; at += chunkSize) {
    splitter.push(bytes.subarray(at, at + chunkSize));
    readAll();
  }
  splitter.end();
  readAll();
  return { texts, allocated: splitter.length };
}

const SIZES = [1, 2, 3, 7, 1000];

describe("lines", () => {
  test.each([
    ["", []],
    ["1", ["1"]],
    ["1\n", ["1"]],
    ["1\n2", ["1", "2"]],
    ['{"a":"b"}\r\n{"a":"ü"}\r\n', ['{"a":"b"}\r', '{"a":"ü"}\r']],
    ["\n \r\n\t\n1\n\n", ["1"]],
    ['"\\n"\n', ['"\\n"']],
  ])("of %j", (body, texts) => {
    for (const size of SIZES) {
      expect(split(createNdjsonSplitter, body, size).texts).toEqual(texts);
    }
  });

  test.each(["x".repeat(11), `1\n${"x".repeat(11)}`, `${"x".repeat(11)}\n`])(
    "beyond the limit: %j",
    (body) => {
      for (const size of SIZES) {
        expect(() => split(createNdjsonSplitter, body, size, 10)).toThrow(TOO_LONG);
      }
    },
  );

  test("of the longest length are allowed", () => {
    const line = "x".repeat(10);
    for (const size of SIZES) {
      expect(split(createNdjsonSplitter, `${line}\n${line}`, size, 10).texts).toEqual([line, line]);
    }
  });

  test("take memory in proportion to the longest one", () => {
    const body = `${"x".repeat(5000)}\n`.repeat(20);
    expect(split(createNdjsonSplitter, body, 10, 6000).allocated).toBeLessThanOrEqual(8192);
    expect(split(createNdjsonSplitter, body, 100_020, 6000).allocated).toBe(0);
  });
});

describe("the elements of an array", () => {
  test.each([
    ["", []],
    [" ", []],
    ["[]", []],
    [" [ ] ", []],
    ["[1]", ["1"]],
    ["\n[1,\n 2 ]\n", ["1", "\n 2 "]],
    ['[{"a":[1,2]},[3,{}],"]"]', ['{"a":[1,2]}', "[3,{}]", '"]"']],
    ['["a,b","\\"],[","\\\\","ü"]', ['"a,b"', '"\\"],["', '"\\\\"', '"ü"']],
    // Elements that are not JSON, for the parser to reject.
    ["[,1]", ["", "1"]],
    ["[1,]", ["1", ""]],
    ["[1 2]", ["1 2"]],
    ["[{]]", ["{]"]],
  ])("of %j", (body, texts) => {
    for (const size of SIZES) {
      expect(split(createArraySplitter, body, size).texts).toEqual(texts);
    }
  });

  test.each([
    ["{}", "the body is not a JSON array"],
    ["1", "the body is not a JSON array"],
    ["[1]]", "the body is not a JSON array"],
    ["[1],[2]", "the body is not a JSON array"],
    ["[", "the JSON array in the body is incomplete"],
    ["[1", "the JSON array in the body is incomplete"],
    ["[1,", "the JSON array in the body is incomplete"],
    ['["]', "the JSON array in the body is incomplete"],
    ["[[1]", "the JSON array in the body is incomplete"],
  ])("of %j: %s", (body, message) => {
    for (const size of SIZES) {
      expect(() => split(createArraySplitter, body, size)).toThrow(message);
    }
  });

  test.each(["[12345678901", "[1,12345678901", "[12345678901]", `["${"[".repeat(20)}`, "[".repeat(20)])(
    "beyond the limit: %j",
    (body) => {
      for (const size of SIZES) {
        expect(() => split(createArraySplitter, body, size, 10)).toThrow(TOO_LONG);
      }
    },
  );
});

test("any values are split as JSON.parse does", () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue()),
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom(undefined, "\t"),
      (values, size, indent) => {
        const array = split(createArraySplitter, JSON.stringify(values, undefined, indent), size, 100_000);
        const lines = split(
          createNdjsonSplitter,
          values.map((value) => JSON.stringify(value)).join("\n"),
          size,
          100_000,
        );
        const expected = JSON.parse(JSON.stringify(values));
        expect(array.texts.map((text) => JSON.parse(text))).toEqual(expected);
        expect(lines.texts.map((text) => JSON.parse(text))).toEqual(expected);
      },
    ),
  );
});
