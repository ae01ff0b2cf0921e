import { create, fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { ListValueSchema, StructSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  jsonOfStruct,
  nestsDeeper,
  toListValue,
  toStruct,
  toValue,
  writeJson,
  writeListValue,
  writeStruct,
  writeValue,
} from "../../src/codec/struct-form.js";

/** JSON without the key that protobuf-es loses. */
const anyJson = fc
  .jsonValue({ maxDepth: 4 })
  .filter((value) => !JSON.stringify(value).includes("__proto__")) as fc.Arbitrary<JsonValue>;
const anyObject = fc.dictionary(
  fc.string().filter((key) => key !== "__proto__"),
  anyJson,
) as fc.Arbitrary<JsonObject>;

describe("equals protobuf-es", () => {
  test("for any Value", () => {
    fc.assert(
      fc.property(anyJson, (json) => {
        const value = fromJson(ValueSchema, json);
        expect(toValue(json)).toStrictEqual(value);
        expect(writeValue(value)).toBe(JSON.stringify(toJson(ValueSchema, value)));
      }),
    );
  });

  test("for any Struct", () => {
    fc.assert(
      fc.property(anyObject, (json) => {
        const struct = fromJson(StructSchema, json);
        expect(toStruct(json)).toStrictEqual(struct);
        expect(writeStruct(struct)).toBe(JSON.stringify(toJson(StructSchema, struct)));
        expect(jsonOfStruct(struct)).toStrictEqual(toJson(StructSchema, struct));
        expect(writeJson(json)).toBe(JSON.stringify(json));
      }),
    );
  });

  test("for any ListValue", () => {
    fc.assert(
      fc.property(fc.array(anyJson), (json) => {
        const list = fromJson(ListValueSchema, json);
        expect(toListValue(json)).toStrictEqual(list);
        expect(writeListValue(list)).toBe(JSON.stringify(toJson(ListValueSchema, list)));
      }),
    );
  });
});

test("keeps the key __proto__ as an own property", () => {
  const json = JSON.parse('{"__proto__":{"__proto__":[1]}}');
  const struct = toStruct(json);
  expect(Object.keys(struct.fields)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(struct.fields)).toBe(Object.prototype);
  expect(writeStruct(struct)).toBe('{"__proto__":{"__proto__":[1]}}');
  expect(JSON.stringify(jsonOfStruct(struct))).toBe('{"__proto__":{"__proto__":[1]}}');
  expect(writeJson(json)).toBe('{"__proto__":{"__proto__":[1]}}');
});

test("a Value without a kind is null in a field, and an error by itself", () => {
  const struct = create(StructSchema, { fields: { a: {} } });
  expect(jsonOfStruct(struct)).toEqual({ a: null });
  expect(() => writeStruct(struct)).toThrow("google.protobuf.Value must have a value");
});

test.each<[json: JsonValue, limit: number, expected: boolean]>([
  [1, 0, false],
  [[], 0, true],
  [[1], 1, false],
  [{ a: [] }, 1, true],
  [{ a: [] }, 2, false],
  [[{ a: 1 }, [[]]], 2, true],
])("%j nests deeper than %d: %s", (json, limit, expected) => {
  expect(nestsDeeper(json, limit)).toBe(expected);
});
