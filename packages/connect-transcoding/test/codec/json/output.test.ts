import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addNumber,
  addPrepared,
  addString,
  addText,
  jsonBody,
  jsonText,
  prepareText,
} from "../../../src/codec/json/output.js";

describe("addNumber", () => {
  test.each([0, -0, 0.0001, -0.0001, 0.00001, 1e-7, 214_748.3647, 214_748.3648, 2 ** 31 - 1, 2 ** 31, 1e21])(
    "writes %d as JSON.stringify does",
    (value) => {
      expect(jsonText(addNumber, value)).toBe(JSON.stringify(value));
    },
  );

  test("writes any number, and any decimal, as JSON.stringify does", () => {
    const decimals = fc
      .tuple(fc.integer(), fc.integer({ min: 0, max: 8 }))
      .map(([digits, places]) => digits / 10 ** places);
    fc.assert(
      fc.property(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), decimals), (value) => {
        expect(jsonText(addNumber, value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("addString", () => {
  test("writes any text as JSON.stringify does the UTF-8 of it, also beside ASCII and beyond the first block of memory", () => {
    const unit = fc.oneof(
      fc.constantFrom(...'ab"\\\n\u007fé€😀'),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    );
    fc.assert(
      fc.property(fc.array(fc.string({ unit, maxLength: 200 }), { maxLength: 100 }), (texts) => {
        const add = (out: Parameters<typeof addString>[0], values: readonly string[]): void => {
          for (const value of values) {
            addString(out, value);
          }
        };
        expect(jsonText(add, texts)).toBe(
          texts.map((text) => JSON.stringify(Buffer.from(text).toString())).join(""),
        );
      }),
    );
  });
});

test.each(["", "a", '"name":', "é", "a€", "😀", "a".repeat(5_000), "é".repeat(5_000)])(
  "addPrepared writes what addText writes: %j",
  (text) => {
    const prepared = prepareText(text);
    expect(jsonText(addPrepared, prepared)).toBe(text);
    expect(jsonText(addPrepared, prepared)).toBe(jsonText(addText, text));
  },
);

test("a call within another, or after one that has thrown, has an output of its own", () => {
  const nested = jsonText((out) => {
    addText(out, "a");
    addText(out, jsonText(addText, "é"));
    addText(out, "b");
  }, undefined);
  expect(nested).toBe("aéb");
  const failing = (): string =>
    jsonText((out) => {
      addText(out, "c");
      throw new Error("no value");
    }, undefined);
  expect(failing).toThrow("no value");
  expect(jsonText(addText, "d")).toBe("d");
});

test("a long body is bytes of its own", () => {
  expect(jsonBody(addText, "é")).toBe("é");
  const body = jsonBody(addText, "é".repeat(10_000));
  jsonBody(addText, "a".repeat(20_000));
  expect(body).toEqual(new Uint8Array(Buffer.from("é".repeat(10_000))));
});
