import { expect, it } from "vitest";
import { deepFreeze } from "../../../src/tools/countries/deep-freeze.js";

it("freezes objects and arrays at every depth, and gives the same object back", () => {
  const value = { list: [{ name: "a" }], nothing: null, text: "b", inner: { number: 1 } };
  expect(deepFreeze(value)).toBe(value);
  for (const part of [value, value.list, value.list[0], value.inner]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

it.each([undefined, null, "text", 1])("leaves %j as it is", (value) => {
  expect(deepFreeze(value)).toBe(value);
});
