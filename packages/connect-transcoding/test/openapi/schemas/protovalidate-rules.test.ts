import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import type { JsonForm } from "../../../src/codec/json/form.js";
import type { Schema } from "../../../src/openapi/open-api.js";
import { documentOf, expectValid } from "../describe.js";
import { documentedService, type FieldDefinition } from "../documented-service.js";

/** A value of a message in the binary format. */
type Value =
  | string
  | number
  | boolean
  | { readonly double: number }
  | { readonly sint: number }
  | { readonly packed: number[] }
  | Members;
type Members = Map<number, Value | readonly Value[]>;

const members = (...entries: [number, Value | readonly Value[]][]): Members => new Map(entries);

function encode(message: Members): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, values] of message) {
    for (const value of Array.isArray(values) ? (values as readonly Value[]) : [values as Value]) {
      if (typeof value === "string") {
        writer.tag(number, 2).string(value);
      } else if (typeof value === "number" || typeof value === "boolean") {
        writer.tag(number, 0).int64(Number(value));
      } else if (value instanceof Map) {
        writer.tag(number, 2).bytes(encode(value));
      } else if ("double" in value) {
        writer.tag(number, 1).double(value.double);
      } else if ("packed" in value) {
        writer.tag(number, 2).fork();
        for (const each of value.packed) {
          writer.int32(each);
        }
        writer.join();
      } else {
        writer.tag(number, 0).sint32(value.sint);
      }
    }
  }
  return writer.finish();
}

// Numbers in buf.validate.FieldRules.
const [DOUBLE, INT32, INT64, SINT32, BOOL, STRING, ENUM, REPEATED] = [2, 3, 4, 7, 13, 14, 16, 18];
const [REQUIRED, IGNORE] = [25, 27];

function describeField(definition: FieldDefinition, rules: Members, json: JsonForm = {}) {
  const document = documentOf(
    documentedService(
      { Thing: { field: { ...definition, rules: encode(rules) } } },
      { Make: { input: "Thing", output: "Thing", rule: "POST /v1/things" } },
    ),
    {},
    { json },
  );
  const { ThingInput, Thing } = document.components.schemas;
  return {
    document,
    required: ThingInput?.required?.includes("field") ?? false,
    schema: ThingInput?.properties?.field,
    inResponse: Thing?.properties?.field,
  };
}

const TEXT: FieldDefinition = { type: Type.STRING };
const OPTIONAL: FieldDefinition = { ...TEXT, label: "optional" };
const TEXTS: FieldDefinition = { ...TEXT, repeated: true };
const CODE: FieldDefinition = { type: Type.ENUM, enumName: "google.rpc.Code" };
const INT32_TYPE: FieldDefinition = { type: Type.INT32 };
const INT64_TYPE: FieldDefinition = { type: Type.INT64 };
const DOUBLE_TYPE: FieldDefinition = { type: Type.DOUBLE };
const INTEGER: Schema = { type: "integer", format: "int32" };
const rulesOf =
  (type: number) =>
  (...entries: [number, Value | readonly Value[]][]) =>
    members([type, members(...entries)]);
const text = rulesOf(STRING);
const int = rulesOf(INT32);
const long = rulesOf(INT64);
const double = rulesOf(DOUBLE);
const code = rulesOf(ENUM);

describe("rules of protovalidate", () => {
  test.each<[string, FieldDefinition, Members, Schema, boolean]>([
    ["required", TEXT, members([REQUIRED, true]), { type: "string", minLength: 1 }, true],
    ["required, with presence", OPTIONAL, members([REQUIRED, true]), { type: "string" }, true],
    ["min_len", TEXT, text([2, 3]), { type: "string", minLength: 3 }, true],
    ["min_len, with presence", OPTIONAL, text([2, 3]), { type: "string", minLength: 3 }, false],
    [
      "min_len, unless it is empty",
      TEXT,
      members([STRING, members([2, 3])], [IGNORE, 1]),
      { type: "string", minLength: 3 },
      false,
    ],
    [
      "rules that are ignored",
      TEXT,
      members([STRING, members([2, 3])], [IGNORE, 3]),
      { type: "string" },
      false,
    ],
    ["max_len", TEXT, text([3, 9]), { type: "string", maxLength: 9 }, false],
    ["len", TEXT, text([19, 4]), { type: "string", minLength: 4, maxLength: 4 }, true],
    ["pattern", TEXT, text([6, "^a+$"]), { type: "string", pattern: "^a+$" }, true],
    ["pattern, also of empty texts", TEXT, text([6, "^a*$"]), { type: "string", pattern: "^a*$" }, false],
    ["pattern of RE2 alone", TEXT, members([STRING, members([6, "(?i)a"])]), { type: "string" }, false],
    ["prefix", TEXT, text([7, "a/b."]), { type: "string", pattern: "^a\\/b\\." }, true],
    ["suffix", TEXT, text([8, ".jpg"]), { type: "string", pattern: "\\.jpg$" }, true],
    ["contains", TEXT, text([9, "+"]), { type: "string", pattern: "\\+" }, true],
    ["const", TEXT, text([1, "a"]), { type: "string", enum: ["a"] }, true],
    ["in", TEXT, text([10, ["a", ""]]), { type: "string", enum: ["a", ""] }, false],
    ["email", TEXT, text([12, true]), { type: "string", format: "email" }, true],
    ["uri", OPTIONAL, text([17, true]), { type: "string", format: "uri" }, false],
    ["uri_ref", TEXT, text([18, true]), { type: "string", format: "uri-reference" }, false],
    ["uuid", TEXT, text([22, true]), { type: "string", format: "uuid" }, true],
    ["email that is off", TEXT, text([12, false]), { type: "string" }, false],
    [
      "ip",
      TEXT,
      text([14, true]),
      { type: "string", anyOf: ["ipv4", "ipv6"].map((format) => ({ type: "string", format })) },
      true,
    ],
    ["gte and lte", INT32_TYPE, int([5, -5], [3, 5]), { ...INTEGER, minimum: -5, maximum: 5 }, false],
    [
      "gt and lt",
      INT32_TYPE,
      int([4, 0], [2, 5]),
      { ...INTEGER, exclusiveMinimum: 0, exclusiveMaximum: 5 },
      true,
    ],
    ["a range outside", INT32_TYPE, int([4, 9], [2, 5]), INTEGER, false],
    ["sint32", { type: Type.SINT32 }, rulesOf(SINT32)([5, { sint: -7 }]), { ...INTEGER, minimum: -7 }, false],
    ["in of numbers", INT32_TYPE, int([6, [1, 2]]), { ...INTEGER, enum: [1, 2] }, true],
    [
      "a finite double",
      DOUBLE_TYPE,
      double([8, true], [5, { double: 0.5 }]),
      { type: "number", format: "double", minimum: 0.5 },
      true,
    ],
    [
      "limits of 64-bit integers, which are texts",
      INT64_TYPE,
      long([5, 1], [6, [7]]),
      { type: "string", format: "int64", pattern: "^-?[0-9]+$", enum: ["7"] },
      true,
    ],
    ["const of bool", { type: Type.BOOL }, rulesOf(BOOL)([1, true]), { type: "boolean", const: true }, true],
    ["in of an enum", CODE, code([3, [1, 5]]), { type: "string", enum: ["CANCELLED", "NOT_FOUND"] }, true],
    ["const of an enum", CODE, code([1, 0]), { type: "string", enum: ["OK"] }, false],
    [
      "required of an enum",
      CODE,
      members([REQUIRED, true], [ENUM, members([3, [0, 1]])]),
      { type: "string", enum: ["CANCELLED"] },
      true,
    ],
    [
      "min_items, max_items, unique and items",
      TEXTS,
      members([REPEATED, members([1, 2], [2, 4], [3, true], [4, text([2, 1])])]),
      { type: "array", items: { type: "string", minLength: 1 }, minItems: 2, maxItems: 4, uniqueItems: true },
      true,
    ],
    ["packed numbers", INT32_TYPE, int([6, { packed: [-1, 300] }]), { ...INTEGER, enum: [-1, 300] }, true],
    [
      "required of a list",
      TEXTS,
      members([REQUIRED, true]),
      { type: "array", items: { type: "string" }, minItems: 1 },
      true,
    ],
    ["rules that have no keyword", TEXT, text([20, 4]), { type: "string" }, false],
  ])("%s", async (_what, definition, rules, schema, required) => {
    const described = describeField(definition, rules);
    expect(described.schema).toEqual(schema);
    expect(described.required).toBe(required);
    await expectValid(described.document);
  });

  test("are for requests alone", () => {
    const rules = text([2, 3], [12, true]);
    expect(describeField(TEXT, rules).inResponse).toEqual({ type: "string" });
    const values = code([3, [1]]);
    expect(describeField(CODE, values).inResponse?.enum).toContain("OK");
  });

  test("follow the form of JSON", () => {
    const rules = long([5, 1], [6, [7]]);
    expect(describeField(INT64_TYPE, rules, { longs: "numbers" }).schema).toMatchObject({
      minimum: 1,
      enum: [7],
    });
    const values = code([4, [0]]);
    const { schema } = describeField(CODE, values, { enums: "numbers" });
    expect(schema?.enum).toHaveLength(16);
    expect(schema?.enum).not.toContain(0);
  });

  test.each<[string, FieldDefinition, Members, JsonForm, unknown]>([
    ["an example of a text", TEXT, text([2, 1], [34, ["a", "b"]]), {}, "a"],
    ["the first valid text", TEXT, text([10, ["c", "d"]]), {}, "c"],
    ["an example in a list", TEXTS, rulesOf(REPEATED)([4, text([34, "a"])]), {}, ["a"]],
    ["an example of a number", INT32_TYPE, int([8, 5]), {}, 5],
    ["an example of a double", DOUBLE_TYPE, double([9, { double: 0.5 }]), {}, 0.5],
    ["an example of a 64-bit integer", INT64_TYPE, long([9, 5]), {}, "5"],
    ["one that is a number", INT64_TYPE, long([9, 5]), { longs: "numbers" }, 5],
    ["the only flag", { type: Type.BOOL }, rulesOf(BOOL)([1, true]), {}, true],
  ])("have %s as the example of requests", (_what, definition, rules, json, field) => {
    const { paths } = describeField(definition, rules, json).document;
    const { requestBody } = paths["/v1/things"]?.post ?? {};
    expect(requestBody?.content["application/json"]?.examples).toEqual({ Make: { value: { field } } });
  });

  test("give way to http_field", () => {
    const rules = text([2, 3], [3, 9]);
    expect(describeField({ ...TEXT, docs: { maxLength: 5 } }, rules).schema).toEqual({
      type: "string",
      minLength: 3,
      maxLength: 5,
    });
  });
});
