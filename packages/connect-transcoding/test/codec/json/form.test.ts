import { create, createRegistry, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { Int64ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  BookSchema,
  file_library_v1_library,
  type Specimen,
  SpecimenSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonForm } from "../../../src/codec/json/form.js";
import {
  createJsonMessageWriter,
  createJsonResponseWriter,
  createJsonWriters,
} from "../../../src/codec/json/writer.js";
import { anyMessage } from "../../support/messages/arbitrary-message.js";

const registry = createRegistry(file_library_v1_library);

function write(form: JsonForm, init: MessageInitShape<typeof SpecimenSchema>): unknown {
  return JSON.parse(
    createJsonWriters(registry, form).ofMessage(SpecimenSchema)(create(SpecimenSchema, init)),
  );
}

describe("equals the output of protobuf-es, with its names and numbers", () => {
  const specimens = anyMessage(SpecimenSchema, () => true);

  test.each<[JsonForm, object]>([
    [{ fieldNames: "proto" }, { useProtoFieldName: true, alwaysEmitImplicit: true }],
    [{ enums: "numbers" }, { enumAsInteger: true, alwaysEmitImplicit: true }],
    [{ defaults: "omit" }, {}],
    [
      { fieldNames: "proto", enums: "numbers", defaults: "omit" },
      { useProtoFieldName: true, enumAsInteger: true },
    ],
  ])("%j", (form, options) => {
    const writer = createJsonWriters(registry, form).ofMessage(SpecimenSchema);
    // protobuf-es writes a float with the digits of a double.
    const rounded = (text: string) =>
      JSON.parse(text, (_name, value) => (typeof value === "number" ? Math.fround(value) : value));
    fc.assert(
      fc.property(specimens, (message) => {
        const expected = JSON.stringify(
          toJson(SpecimenSchema, message as Specimen, { registry, ...options }),
        );
        expect(rounded(writer(message))).toEqual(rounded(expected));
      }),
      { numRuns: 300 },
    );
  });
});

describe("64-bit integers as numbers", () => {
  const form = { longs: "numbers", defaults: "omit" } as const;

  test.each<[bigint, number | string]>([
    [1n, 1],
    [-5n, -5],
    [2n ** 53n - 1n, 2 ** 53 - 1],
    [-(2n ** 53n) + 1n, -(2 ** 53) + 1],
    [2n ** 53n, "9007199254740992"],
    [2n ** 63n - 1n, "9223372036854775807"],
    [-(2n ** 63n), "-9223372036854775808"],
  ])("%s", (value, expected) => {
    expect(write(form, { int64Value: value })).toEqual({ int64Value: expected });
  });

  test("in a wrapper", () => {
    expect(createJsonMessageWriter(Int64ValueSchema, registry)({ value: 7n })).toBe('"7"');
    expect(createJsonWriters(registry, form).ofMessage(Int64ValueSchema)({ value: 7n })).toBe("7");
  });

  test("at their default", () => {
    expect(write({ longs: "numbers" }, {})).toMatchObject({ int64Value: 0 });
  });
});

test("a response body that is an absent list is empty, also without defaults", () => {
  const [field] = BookSchema.fields.filter(({ fieldKind }) => fieldKind === "list");
  expect(createJsonResponseWriter(BookSchema, field, registry, { defaults: "omit" })({})).toBe("[]");
});
