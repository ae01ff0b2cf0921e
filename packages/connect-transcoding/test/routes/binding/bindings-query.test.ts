import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  BASE64,
  BOOLEAN,
  bound,
  DOUBLE,
  GENRE,
  GET,
  INTEGER,
  MAP,
  NUMBER,
  notForm,
  notText,
  TWICE,
  UINT32,
  violations,
} from "../../support/messages/specimens.js";

/** Queries of `GET /v1/specimens`, and the expected messages. */
const queries: Record<string, [query: string, message: JsonValue][]> = {
  values: [
    ["int32_value=-0", {}],
    ["optional_uint64=0", { optionalUint64: "0" }],
    ["double_value=-0", { doubleValue: -0 }],
    ["double_value=1E%2B2", { doubleValue: 100 }],
    ["double_value=1e-400", {}],
    ["optional_bool=false", { optionalBool: false }],
    ["string_value", {}],
    ["optional_string=", { optionalString: "" }],
    ["string_value=null", { stringValue: "null" }],
    ["string_value=a=b", { stringValue: "a=b" }],
    ["string_value=a+b%2Bc%26d", { stringValue: "a b+c&d" }],
    ["string_value=%F0%9F%98%80%00", { stringValue: "😀\0" }],
    ["bytes_value=%2F%2B8%3D", { bytesValue: "/+8=" }],
    ["optional_bytes=", { optionalBytes: "" }],
    ["string_box=", { stringBox: "" }],
    ["timestamp=2026-01-02T03:04:05%2B01:30", { timestamp: "2026-01-02T01:34:05Z" }],
    ["timestamp=0001-01-01T00:00:00Z", { timestamp: "0001-01-01T00:00:00Z" }],
    ["timestamp=9999-12-31T23:59:59.999999999Z", { timestamp: "9999-12-31T23:59:59.999999999Z" }],
    ["duration=-315576000000s", { duration: "-315576000000s" }],
    ["field_mask=", { fieldMask: "" }],
    ["field_mask=stringValue,nested.shelfMark", { fieldMask: "stringValue,nested.shelfMark" }],
    ["field_mask=string_value,nested.shelf_mark,d", { fieldMask: "stringValue,nested.shelfMark,d" }],
  ],
  enums: [
    ["genre=GENRE_NOVEL", { genre: "GENRE_NOVEL" }],
    ["genre=novel", { genre: "GENRE_NOVEL" }],
    ["genre=1", { genre: "GENRE_NOVEL" }],
    ["genre=0", {}],
    ["optional_genre=GENRE_UNSPECIFIED", { optionalGenre: "GENRE_UNSPECIFIED" }],
    ["optional_genre=0", { optionalGenre: "GENRE_UNSPECIFIED" }],
    ["genres=novel&genres=2&genres=GENRE_NOVEL", { genres: ["GENRE_NOVEL", "GENRE_ESSAY", "GENRE_NOVEL"] }],
  ],
  "names and paths": [
    ["stringValue=a", { stringValue: "a" }],
    ["nested.string_value=a", { nested: { stringValue: "a" } }],
    ["nested.nested.stringValue=a", { nested: { nested: { stringValue: "a" } } }],
    [
      "nested.nested.int32_value=1&nested.boolValue=true",
      { nested: { boolValue: true, nested: { int32Value: 1 } } },
    ],
    ["nested.int32_value=0", { nested: {} }],
    ["shelf_mark=a", { "shelf-mark": "a" }],
    ["shelf-mark=a", { "shelf-mark": "a" }],
    ["nested.shelf-mark=a", { nested: { "shelf-mark": "a" } }],
    ["nested%2Eshelf_mark=a", { nested: { "shelf-mark": "a" } }],
    ["chosenPublisher.parent.cityName=Lyon", { chosenPublisher: { parent: { cityName: "Lyon" } } }],
    ["&&string_value=a&", { stringValue: "a" }],
  ],
  "repeated fields": [
    ["strings=a", { strings: ["a"] }],
    ["strings=a&strings=a&strings=", { strings: ["a", "a", ""] }],
    ["strings=a,b", { strings: ["a,b"] }],
    ['strings=["a"]', { strings: ['["a"]'] }],
    ["int64s=1&int64s=-1&int64s=9223372036854775807", { int64s: ["1", "-1", "9223372036854775807"] }],
    ["doubles=1&doubles=NaN", { doubles: [1, "NaN"] }],
    ["bools=true&bools=false", { bools: [true, false] }],
    ["chunks=AA&chunks=_w", { chunks: ["AA==", "/w=="] }],
    ["nested.strings=a&nested.strings=b", { nested: { strings: ["a", "b"] } }],
    ["timestamps=2026-01-02T03:04:05Z", { timestamps: ["2026-01-02T03:04:05Z"] }],
    ["boxes=1&boxes=0", { boxes: ["1", "0"] }],
  ],
  "a parameter that comes twice, the same": [
    ["int32_value=1&int32_value=1", { int32Value: 1 }],
    ["int32_value=1&int32Value=1", { int32Value: 1 }],
    ["nested.string_value=a&nested.stringValue=a", { nested: { stringValue: "a" } }],
  ],
  oneofs: [
    ["chosen_text=a", { chosenText: "a" }],
    ["chosen_text=", { chosenText: "" }],
    ["chosen_number=0", { chosenNumber: "0" }],
    ["chosenFlag=false", { chosenFlag: false }],
    ["chosen_genre=0", { chosenGenre: "GENRE_UNSPECIFIED" }],
    ["chosen_duration=0s", { chosenDuration: "0s" }],
    [
      "chosen_publisher.name=a&chosen_publisher.city_name=b",
      { chosenPublisher: { name: "a", cityName: "b" } },
    ],
    ["chosen_text=a&nested.chosen_number=1", { chosenText: "a", nested: { chosenNumber: "1" } }],
  ],
};

describe.each(Object.entries(queries))("query: %s", (_, cases) => {
  test.each(cases)("%s", (query, message) => {
    expect(bound(`${GET}?${query}`, undefined)).toEqual(message);
  });
});

/** Queries of `GET /v1/specimens`, and the expected violations. */
const wrongQueries: Record<string, [query: string, ...violations: string[]][]> = {
  values: [
    ["int32_value=", `int32_value ${INTEGER}`],
    ["int32_value", `int32_value ${INTEGER}`],
    ["int32_value=%2B1", `int32_value ${INTEGER}`],
    ["int32_value=1+", `int32_value ${INTEGER}`],
    ["int32_value=%D9%A1", `int32_value ${INTEGER}`],
    ["double_value=", `double_value ${NUMBER}`],
    ["double_value=inf", `double_value ${NUMBER}`],
    ["double_value=nan", `double_value ${NUMBER}`],
    ["double_value=%2BInfinity", `double_value ${NUMBER}`],
    ["double_value=1.8e308", `double_value ${DOUBLE}`],
    ["bool_value=", `bool_value ${BOOLEAN}`],
    ["bool_value=True", `bool_value ${BOOLEAN}`],
    ["bytes_value=AA.A", `bytes_value ${BASE64}`],
    ["bytes_value=%C3%A9%C3%A9", `bytes_value ${BASE64}`],
    ["genre=", `genre ${GENRE}`],
    ["genre=genre_novel", `genre ${GENRE}`],
    ["boxes=1&boxes=x", `boxes ${INTEGER}`],
    ["field_mask=string_value,shelfMark", `field_mask ${notForm("FieldMask")}`],
    ["field_mask=string_value,", `field_mask ${notForm("FieldMask")}`],
  ],
  // RFC 3339, section 5.6: hours are 00 to 23, a leap second is no Timestamp, and "T" and "Z" are upper case in ProtoJSON.
  timestamps: [
    "",
    "0",
    "2026-01-02",
    "2026-13-02T03:04:05Z",
    "2020-01-01T24:00:00Z",
    "2020-01-01T24:00:00+01:00",
    "2020-01-01T25:04:05Z",
    "2016-12-31T23:59:60Z",
    "2020-01-01T00:60:00Z",
    "2020-01-01T00:00:00",
    "2020-01-01t00:00:00Z",
    "2020-01-01T00:00:00z",
    "2020-01-01T00:00:00%2B24:00",
    "2020-01-01T00:00:00%2B23:60",
    "2020-01-01T00:00:00%2B0100",
    "2020-01-01T00:00:00,5Z",
    "2020-01-01T00:00:00.Z",
    "2020-01-01 00:00:00Z",
    "0000-12-31T23:59:59Z",
    "9999-12-31T23:59:59-00:01",
    "2026-01-02T03:04:05.1234567890Z",
  ].map((value): [string, string] => [`timestamp=${value}`, `timestamp ${notForm("Timestamp")}`]),
  durations: [
    ...["", "1", "1m", "PT1S", "%2B5s", "1.s", ".5s", "-.5s", "1e3s", "1 s", "1S"],
    ...["315576000001s", "-315576000001s", "1.1234567890s"],
  ].map((value): [string, string] => [`duration=${value}`, `duration ${notForm("Duration")}`]),
  "what text cannot write": [
    ["nested=x", `nested ${notText("library.v1.Specimen")}`],
    ["nested=", `nested ${notText("library.v1.Specimen")}`],
    ["publishers=x", `publishers ${notText("library.v1.Publisher")}`],
    ["struct=%7B%7D", `struct ${notText("google.protobuf.Struct")}`],
    ["value=1", `value ${notText("google.protobuf.Value")}`],
    ["list_value=1", `list_value ${notText("google.protobuf.ListValue")}`],
    ["any=1", `any ${notText("google.protobuf.Any")}`],
    ["empty=%7B%7D", `empty ${notText("google.protobuf.Empty")}`],
    ["text_by_text=a", `text_by_text ${MAP}`],
    ["nested.genre_by_int32=1", `nested.genre_by_int32 ${MAP}`],
  ],
  "parameters that contradict one another": [
    ["int32_value=1&int32_value=2", `int32_value ${TWICE}`],
    ["int32_value=1&int32Value=2", `int32Value ${TWICE}`],
    ["nested.string_value=a&nested.stringValue=b", `nested.stringValue ${TWICE}`],
    ["timestamp=2026-01-02T03:04:05Z&timestamp=2027-01-02T03:04:05Z", `timestamp ${TWICE}`],
    [
      "chosen_text=a&chosen_number=1",
      "chosen_number CONFLICTING_VALUES cannot be given together with chosenText",
    ],
    [
      "chosen_publisher.name=a&chosenFlag=true",
      "chosenFlag CONFLICTING_VALUES cannot be given together with chosenPublisher",
    ],
    [
      "nested.chosen_text=a&nested.chosen_duration=1s",
      "nested.chosen_duration CONFLICTING_VALUES cannot be given together with chosenText",
    ],
  ],
  "paths that lead nowhere": [
    ["nope=1", "nope UNKNOWN_PARAMETER"],
    ["nested.nope=1", "nested.nope UNKNOWN_PARAMETER"],
    ["nested.=1", "nested. UNKNOWN_PARAMETER"],
    [".nested=1", ".nested UNKNOWN_PARAMETER"],
    ["nested..string_value=1", "nested..string_value UNKNOWN_PARAMETER"],
    ["=1", " UNKNOWN_PARAMETER"],
    ["string_value.length=1", "string_value.length UNKNOWN_PARAMETER"],
    ["publishers.name=1", "publishers.name UNKNOWN_PARAMETER"],
    ["publishers[0].name=1", "publishers[0].name UNKNOWN_PARAMETER"],
    ["strings[]=1", "strings[] UNKNOWN_PARAMETER"],
    ["text_by_text[a]=1", "text_by_text[a] UNKNOWN_PARAMETER"],
    ["text_by_text.a=1", "text_by_text.a UNKNOWN_PARAMETER"],
    ["choice=1", "choice UNKNOWN_PARAMETER"],
    ["String_Value=1", "String_Value UNKNOWN_PARAMETER"],
    ["__proto__=1", "__proto__ UNKNOWN_PARAMETER"],
    ["constructor.name=1", "constructor.name UNKNOWN_PARAMETER"],
  ],
  "everything at once, in the order of the query": [
    [
      "int32_value=x&nope=1&bool_value=2&nested.genre=poem&uint32_value=-1&strings=ok",
      "nope UNKNOWN_PARAMETER",
      `int32_value ${INTEGER}`,
      `bool_value ${BOOLEAN}`,
      `nested.genre ${GENRE}`,
      `uint32_value ${UINT32}`,
    ],
  ],
};

describe.each(Object.entries(wrongQueries))("invalid query: %s", (_, cases) => {
  test.each(cases)("%s", (query, ...expected) => {
    // Other tests cover the long list of allowed names.
    const found = violations(`${GET}?${query}`, undefined).map((each) =>
      each.replace(/ is not a parameter here; allowed: .*/, ""),
    );
    expect(found).toEqual(expected);
  });
});
