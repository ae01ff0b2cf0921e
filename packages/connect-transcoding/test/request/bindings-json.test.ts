import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  ARRAY,
  BASE64,
  BEYOND,
  BOOLEAN,
  bound,
  DOUBLE,
  FLOAT,
  GENRE,
  INT32,
  INT64,
  INTEGER,
  isNoField,
  json,
  NOT_NULL,
  NUMBER,
  notForm,
  OBJECT,
  POST,
  STRING,
  SURROGATE,
  TWICE,
  UINT64,
  violations,
} from "../support/specimens.js";

/** JSON bodies of `POST /v1/specimens`, and the expected messages. */
const bodies: Record<string, [body: unknown, message: JsonValue][]> = {
  "numbers and their text": [
    [
      { int32Value: 1, int64_value: 2, uint64Value: 3 },
      { int32Value: 1, int64Value: "2", uint64Value: "3" },
    ],
    [
      { int32Value: "1", int64_value: "2", doubleValue: "3" },
      { int32Value: 1, int64Value: "2", doubleValue: 3 },
    ],
    [
      '{"int32Value": 1e2, "uint32Value": 1.0, "int64Value": 12E0}',
      { int32Value: 100, uint32Value: 1, int64Value: "12" },
    ],
    ['{"int32Value": -0, "doubleValue": -0}', { doubleValue: -0 }],
    [{ int64Value: Number.MAX_SAFE_INTEGER }, { int64Value: "9007199254740991" }],
    [{ int64Value: "9223372036854775807" }, { int64Value: "9223372036854775807" }],
    [{ fixed64Value: "18446744073709551615" }, { fixed64Value: "18446744073709551615" }],
    [
      { floatValue: 1, doubleValue: 5e-324 },
      { floatValue: 1, doubleValue: 5e-324 },
    ],
    [
      { doubleValue: "NaN", floatValue: "-Infinity" },
      { doubleValue: "NaN", floatValue: "-Infinity" },
    ],
    [{ doubles: ["NaN", 1, "2.5"] }, { doubles: ["NaN", 1, 2.5] }],
  ],
  "booleans, text, bytes and enums": [
    [
      { boolValue: true, boolBox: false },
      { boolValue: true, boolBox: false },
    ],
    [{ boolValue: "true" }, { boolValue: true }],
    [{ stringValue: "a\u0000é😀" }, { stringValue: "a\u0000é😀" }],
    ['{"string\\u0056alue": "\\ud83d\\ude00"}', { stringValue: "😀" }],
    [
      { bytesValue: "_-8", optionalBytes: "" },
      { bytesValue: "/+8=", optionalBytes: "" },
    ],
    [{ bytesValue: "/+8=" }, { bytesValue: "/+8=" }],
    [{ genre: 1 }, { genre: "GENRE_NOVEL" }],
    [{ genre: "essay" }, { genre: "GENRE_ESSAY" }],
    [{ genres: ["GENRE_NOVEL", 2, "novel"] }, { genres: ["GENRE_NOVEL", "GENRE_ESSAY", "GENRE_NOVEL"] }],
  ],
  "messages, lists and maps": [
    [{}, {}],
    [{ nested: {} }, { nested: {} }],
    [{ nested: { nested: { string_value: "a" } } }, { nested: { nested: { stringValue: "a" } } }],
    [{ "shelf-mark": "a" }, { "shelf-mark": "a" }],
    [{ shelf_mark: "a" }, { "shelf-mark": "a" }],
    [{ strings: [] }, {}],
    [{ strings: ["", "a"] }, { strings: ["", "a"] }],
    [
      { publishers: [{ name: "a" }, {}, { city_name: "b" }] },
      { publishers: [{ name: "a" }, {}, { cityName: "b" }] },
    ],
    [
      { textByText: { "": "", a: "b", __proto__x: "c" } },
      { textByText: { "": "", a: "b", __proto__x: "c" } },
    ],
    [{ genreByInt32: { "-1": "novel", 2: 2 } }, { genreByInt32: { "-1": "GENRE_NOVEL", 2: "GENRE_ESSAY" } }],
    [
      { double_by_uint64: { "18446744073709551615": "NaN" } },
      { doubleByUint64: { "18446744073709551615": "NaN" } },
    ],
    [{ bytesByBool: { true: "AA", false: "" } }, { bytesByBool: { true: "AA==", false: "" } }],
    [{ publisherByText: { a: { name: "b" }, "": {} } }, { publisherByText: { a: { name: "b" }, "": {} } }],
    [
      { timestampBySint64: { "-9223372036854775808": "2026-01-02T03:04:05Z" } },
      { timestampBySint64: { "-9223372036854775808": "2026-01-02T03:04:05Z" } },
    ],
  ],
  "well-known types": [
    [
      { int64Box: 5, stringBox: "", boolBox: "false" },
      { int64Box: "5", stringBox: "", boolBox: false },
    ],
    [{ boxes: [1, "2"] }, { boxes: ["1", "2"] }],
    [
      { timestamp: "2026-01-02T03:04:05+01:00", duration: "1.5s", fieldMask: "a.bC,d" },
      { timestamp: "2026-01-02T02:04:05Z", duration: "1.500s", fieldMask: "a.bC,d" },
    ],
    [{ struct: { a: [1, null, { b: true }], c: "" } }, { struct: { a: [1, null, { b: true }], c: "" } }],
    [{ value: { a: 1 } }, { value: { a: 1 } }],
    [{ value: [1, "2", null] }, { value: [1, "2", null] }],
    [{ value: null }, { value: null }],
    [{ value: false }, { value: false }],
    [{ listValue: [1, [2], {}] }, { listValue: [1, [2], {}] }],
    [{ empty: {} }, { empty: {} }],
    [
      { any: { "@type": "type.googleapis.com/library.v1.Publisher", cityName: "a" } },
      { any: { "@type": "type.googleapis.com/library.v1.Publisher", cityName: "a" } },
    ],
    [
      { any: { "@type": "type.googleapis.com/google.protobuf.Duration", value: "1s" } },
      { any: { "@type": "type.googleapis.com/google.protobuf.Duration", value: "1s" } },
    ],
  ],
  null: [
    [
      {
        int32Value: null,
        stringValue: null,
        boolValue: null,
        genre: null,
        bytesValue: null,
        optionalInt32: null,
        nested: null,
        strings: null,
        textByText: null,
        chosenText: null,
        stringBox: null,
        timestamp: null,
        struct: null,
        listValue: null,
        any: null,
        empty: null,
      },
      {},
    ],
    [{ nested: { int32Value: null, nested: null } }, { nested: {} }],
    [{ chosenText: null, chosenNumber: 1 }, { chosenNumber: "1" }],
    [{ chosenNumber: 1, chosenText: null }, { chosenNumber: "1" }],
  ],
};

describe.each(Object.entries(bodies))("JSON: %s", (_, cases) => {
  test.each(cases)("%j", (body, message) => {
    expect(bound(POST, json(body))).toEqual(message);
  });
});

/** JSON bodies of `POST /v1/specimens`, and the expected violations. */
const wrongBodies: Record<string, [body: unknown, ...violations: string[]][]> = {
  scalars: [
    ['{"int64Value": 9007199254740992}', `int64Value ${BEYOND}`],
    ['{"int64_value": 9007199254740993}', `int64_value ${BEYOND}`],
    ['{"int64Value": -9007199254740992}', `int64Value ${BEYOND}`],
    ['{"uint64Value": 18446744073709551615}', `uint64Value ${UINT64}`],
    ['{"uint64Value": 1e19}', `uint64Value ${BEYOND}`],
    ['{"int64Value": 1e19}', `int64Value ${INT64}`],
    ['{"int64Box": 9007199254740993}', `int64Box ${BEYOND}`],
    ['{"int64s": [1, 9007199254740993]}', `int64s[1] ${BEYOND}`],
    [{ int32Value: 1.5 }, `int32Value ${INTEGER}`],
    [{ int32Value: 2147483648 }, `int32Value ${INT32}`],
    [{ int32Value: true }, `int32Value ${INTEGER}`],
    [{ int32Value: [] }, `int32Value ${INTEGER}`],
    [{ int32Value: [1] }, `int32Value ${INTEGER}`],
    [{ int32Value: {} }, `int32Value ${INTEGER}`],
    [{ int32Value: "" }, `int32Value ${INTEGER}`],
    [{ int32Value: " 1" }, `int32Value ${INTEGER}`],
    ['{"doubleValue": 1e400}', `doubleValue ${DOUBLE}`],
    [{ floatValue: 3.5e38 }, `floatValue ${FLOAT}`],
    [{ doubleValue: true }, `doubleValue ${NUMBER}`],
    [{ doubleValue: "" }, `doubleValue ${NUMBER}`],
    [{ boolValue: 1 }, `boolValue ${BOOLEAN}`],
    [{ boolValue: "" }, `boolValue ${BOOLEAN}`],
    [{ stringValue: 1 }, `stringValue ${STRING}`],
    [{ stringValue: false }, `stringValue ${STRING}`],
    [{ stringValue: ["a"] }, `stringValue ${STRING}`],
    ['{"stringValue": "\\ud800"}', `stringValue ${SURROGATE}`],
    ['{"strings": ["a", "\\udc00b"]}', `strings[1] ${SURROGATE}`],
    [{ bytesValue: 1 }, "bytesValue INVALID_TYPE must be a string in base64"],
    [{ bytesValue: "%" }, `bytesValue ${BASE64}`],
    [{ genre: true }, `genre ${GENRE}`],
    [{ genre: 1.5 }, `genre ${GENRE}`],
    [{ genre: "poem" }, `genre ${GENRE}`],
    [{ genre: 2147483648 }, `genre ${GENRE}`],
    [{ int64Value: "1.5" }, `int64Value ${INTEGER}`],
  ],
  lists: [
    [{ strings: "a" }, `strings ${ARRAY}`],
    [{ strings: { 0: "a" } }, `strings ${ARRAY}`],
    [{ strings: ["a", null] }, `strings[1] ${NOT_NULL}`],
    [{ strings: [["a"]] }, `strings[0] ${STRING}`],
    [{ strings: [1, "a", 2] }, `strings[0] ${STRING}`, `strings[2] ${STRING}`],
    [{ publishers: [null] }, `publishers[0] ${NOT_NULL}`],
    [{ publishers: [{}, "a"] }, `publishers[1] ${OBJECT}`],
    [{ publishers: [{}, { name: 1 }] }, `publishers[1].name ${STRING}`],
    [{ publishers: [{ parent: { nope: 1 } }] }, `publishers[0].parent.nope ${isNoField("Publisher")}`],
    [{ boxes: [1, null] }, `boxes[1] ${NOT_NULL}`],
    [{ genres: ["novel", "poem"] }, `genres[1] ${GENRE}`],
    [{ nested: { int64s: [1, "x"] } }, `nested.int64s[1] ${INTEGER}`],
  ],
  maps: [
    [{ textByText: [] }, `textByText ${OBJECT}`],
    [{ textByText: "a" }, `textByText ${OBJECT}`],
    [{ textByText: { a: null } }, `textByText[a] ${NOT_NULL}`],
    [{ text_by_text: { a: 1 } }, `text_by_text[a] ${STRING}`],
    [{ genreByInt32: { x: 1 } }, `genreByInt32[x] ${INTEGER}`],
    [{ genreByInt32: { 2147483648: 1 } }, `genreByInt32[2147483648] ${INT32}`],
    [{ genreByInt32: { 1: "poem" } }, `genreByInt32[1] ${GENRE}`],
    [{ bytesByBool: { yes: "" } }, `bytesByBool[yes] ${BOOLEAN}`],
    [{ doubleByUint64: { "-1": 1 } }, `doubleByUint64[-1] ${UINT64}`],
    [{ publisherByText: { a: { nope: 1 } } }, `publisherByText[a].nope ${isNoField("Publisher")}`],
  ],
  messages: [
    [{ nested: "a" }, `nested ${OBJECT}`],
    [{ nested: [] }, `nested ${OBJECT}`],
    [{ nested: true }, `nested ${OBJECT}`],
    [{ nested: { nested: { nope: 1 } } }, `nested.nested.nope ${isNoField("Specimen")}`],
    [{ nested: { "nested.string_value": "a" } }, `nested.nested.string_value ${isNoField("Specimen")}`],
    [{ nested: { nope: null } }, `nested.nope ${isNoField("Specimen")}`],
    [{ empty: { a: 1 } }, "empty.a UNKNOWN_PARAMETER is no field of google.protobuf.Empty"],
    [{ empty: null, timestamp: {} }, `timestamp ${notForm("Timestamp")}`],
    [{ timestamp: 0 }, `timestamp ${notForm("Timestamp")}`],
    [{ duration: 1 }, `duration ${notForm("Duration")}`],
    [{ fieldMask: ["a"] }, `fieldMask ${notForm("FieldMask")}`],
    [{ struct: [] }, `struct ${notForm("Struct")}`],
    [{ struct: "a" }, `struct ${notForm("Struct")}`],
    [{ listValue: {} }, `listValue ${notForm("ListValue")}`],
    [{ any: {}, nested: { any: { "@type": "x/nope.Nope" } } }, `nested.any ${notForm("Any")}`],
    [{ any: { "@type": "type.googleapis.com/library.v1.Publisher", nope: 1 } }, `any ${notForm("Any")}`],
  ],
  "members that contradict one another": [
    [{ stringValue: "a", string_value: "b" }, `string_value ${TWICE}`],
    [
      { nested: { stringValue: "a", string_value: "a" } },
      "nested.string_value CONFLICTING_VALUES is given under both of its names",
    ],
    [
      { chosenText: "a", chosen_number: 1 },
      "chosen_number CONFLICTING_VALUES cannot be given together with chosenText",
    ],
    [
      { nested: { chosenFlag: false, chosenPublisher: {} } },
      "nested.chosenPublisher CONFLICTING_VALUES cannot be given together with chosenFlag",
    ],
  ],
  "everything at once, in the order of the body": [
    [
      { nested: { int32Value: "x", nope: 1, strings: [1] }, boolValue: 2, publishers: [{ name: 1 }, 2] },
      `nested.int32Value ${INTEGER}`,
      `nested.nope ${isNoField("Specimen")}`,
      `nested.strings[0] ${STRING}`,
      `boolValue ${BOOLEAN}`,
      `publishers[0].name ${STRING}`,
      `publishers[1] ${OBJECT}`,
    ],
  ],
};

describe.each(Object.entries(wrongBodies))("invalid JSON: %s", (_, cases) => {
  test.each(cases)("%j", (body, ...expected) => {
    expect(violations(POST, json(body))).toEqual(expected);
  });
});
