import type { JsonValue } from "@bufbuild/protobuf";
import { SpecimenSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import {
  ARRAY,
  BASE64,
  BOOLEAN,
  bound,
  type Content,
  errorOf,
  GENRE,
  GET,
  INT64,
  INTEGER,
  isNoField,
  json,
  lenient,
  NOT_NULL,
  NUMBER,
  notForm,
  notText,
  OBJECT,
  POST,
  PUT,
  STRING,
  TWICE,
  UINT32,
  violations,
} from "../../support/messages/specimens.js";

const bytes = new Uint8Array([0, 255, 10, 13]);
const DUMP = "POST /v1/dump";
const PATCH = "PATCH /v1/stores/a/5";
const raw = (type: string | undefined, body: string | Uint8Array) => ({ type, body });

/** Requests with path, query and body. */
const requests: Record<string, [line: string, content: Content, message: JsonValue][]> = {
  // grpc-gateway and vanguard-go accept the same variables.
  "wrappers, timestamps and nested variables in the path": [
    [
      "GET /v1/boxes/a%20b/2026-01-02T03:04:05Z",
      undefined,
      { stringBox: "a b", timestamp: "2026-01-02T03:04:05Z" },
    ],
    ["PATCH /v1/boxes/7", json({ name: "a" }), { name: "a", specimen: { int64Box: "7" } }],
    [
      "PATCH /v1/boxes/7",
      json({ specimen: { int64Box: "7", stringValue: "a" } }),
      { specimen: { int64Box: "7", stringValue: "a" } },
    ],
    ["GET /v1/split/a/b", undefined, { name: "a/b", specimen: { stringValue: "b" } }],
    // grpc-gateway separates the elements of a repeated field by commas as well.
    ["GET /v1/lists/1,2/a%2Cb/c", undefined, { int64s: ["1", "2"], strings: ["a", "b/c"] }],
  ],
  "the path": [
    [
      "GET /v1/novel/7/_-8/1.5/false/-9223372036854775808",
      undefined,
      {
        genre: "GENRE_NOVEL",
        uint32Value: 7,
        bytesValue: "/+8=",
        doubleValue: 1.5,
        chosenFlag: false,
        nested: { sint64Value: "-9223372036854775808" },
      },
    ],
    [
      "GET /v1/2/0/AA==/-Infinity/true/0",
      undefined,
      { genre: "GENRE_ESSAY", bytesValue: "AA==", doubleValue: "-Infinity", chosenFlag: true, nested: {} },
    ],
    [
      "GET /v1/stores/a?specimen.int32_value=1&dryRun=true",
      undefined,
      { name: "a", dryRun: true, specimen: { int32Value: 1 } },
    ],
    ["GET /v1/stores/a?name=a", undefined, { name: "a" }],
    ["GET /v1/stores/a%20b?name=a+b", undefined, { name: "a b" }],
  ],
  "body: one field": [
    [PUT, undefined, { name: "a" }],
    [PUT, json({}), { name: "a", specimen: {} }],
    [PUT, json({ int32Value: 1 }), { name: "a", specimen: { int32Value: 1 } }],
    [PUT, json("null"), { name: "a" }],
    [
      PUT,
      raw("application/merge-patch+json", '{"int32Value":1}'),
      { name: "a", specimen: { int32Value: 1 } },
    ],
    [
      `${PUT}?dry_run=true`,
      json({ strings: ["b"] }),
      { name: "a", dryRun: true, specimen: { strings: ["b"] } },
    ],
    [`${PUT}/lenders`, json([{ name: "b" }, {}]), { name: "a", lenders: [{ name: "b" }, {}] }],
    [`${PUT}/lenders`, json([]), { name: "a" }],
    [`${PUT}/dry_run`, json("true"), { name: "a", dryRun: true }],
    [
      `${PUT}/dry_run?specimen.string_value=b`,
      json("true"),
      { name: "a", dryRun: true, specimen: { stringValue: "b" } },
    ],
  ],
  'body: "*"': [
    [PATCH, undefined, { name: "a", specimen: { int64Value: "5" } }],
    [
      PATCH,
      json({ dry_run: true, specimen: { stringValue: "b" }, lenders: [{ name: "c" }] }),
      { name: "a", dryRun: true, specimen: { int64Value: "5", stringValue: "b" }, lenders: [{ name: "c" }] },
    ],
    [PATCH, json({ name: "a", specimen: { int64Value: "5" } }), { name: "a", specimen: { int64Value: "5" } }],
    [PATCH, json({ specimen: { int64_value: 5 } }), { name: "a", specimen: { int64Value: "5" } }],
    [
      PATCH,
      raw("Application/JSON-Patch+JSON; charset=utf-8", '{"dryRun":true}'),
      { name: "a", dryRun: true, specimen: { int64Value: "5" } },
    ],
    [PATCH, json({ specimen: null }), { name: "a", specimen: { int64Value: "5" } }],
    [
      "POST /v1/files/a",
      json({ file: { content_type: "a/b", data: "AP8=" } }),
      { name: "a", file: { contentType: "a/b", data: "AP8=" } },
    ],
  ],
  "google.api.HttpBody": [
    [DUMP, undefined, {}],
    [DUMP, raw("image/png", bytes), { contentType: "image/png", data: "AP8KDQ==" }],
    [DUMP, raw(undefined, bytes), { data: "AP8KDQ==" }],
    [DUMP, raw("application/json", "{"), { contentType: "application/json", data: "ew==" }],
    [
      DUMP,
      raw('Text/Plain; charset="latin1"', "a"),
      { contentType: 'Text/Plain; charset="latin1"', data: "YQ==" },
    ],
    [
      DUMP,
      raw("application/x-www-form-urlencoded", "data=%"),
      { contentType: "application/x-www-form-urlencoded", data: "ZGF0YT0l" },
    ],
    [
      "PUT /v1/files/a",
      raw("image/png", bytes),
      { name: "a", file: { contentType: "image/png", data: "AP8KDQ==" } },
    ],
    [
      "PUT /v1/files/a?comment=b",
      raw("application/byte-stream", bytes),
      { name: "a", comment: "b", file: { contentType: "application/byte-stream", data: "AP8KDQ==" } },
    ],
  ],
};

describe.each(Object.entries(requests))("%s", (_, cases) => {
  test.each(cases)("%s with %j", (line, content, message) => {
    expect(bound(line, content)).toEqual(message);
  });
});

const MISPLACED = "UNKNOWN_PARAMETER is not a query parameter";
const HERE = "UNKNOWN_PARAMETER is not a parameter here; allowed: ";

const wrongRequests: Record<string, [line: string, content: Content, ...violations: string[]][]> = {
  "wrappers and timestamps in the path": [
    ["GET /v1/boxes/a/b", undefined, `timestamp ${notForm("Timestamp")}`],
    ["PATCH /v1/boxes/x", json({}), `specimen.int64_box ${INTEGER}`],
    ["PATCH /v1/boxes/7", json({ specimen: { int64Box: "8" } }), `specimen.int64_box ${TWICE}`],
    ["GET /v1/lists/1,,x/a", undefined, `int64s ${INTEGER}`],
    ["GET /v1/split/a/b?specimen.stringValue=c", undefined, `specimen.string_value ${TWICE}`],
  ],
  "the path": [
    [
      "GET /v1/poem/-1/A/x/1/9223372036854775808",
      undefined,
      `genre ${GENRE}`,
      `uint32_value ${UINT32}`,
      `bytes_value ${BASE64}`,
      `double_value ${NUMBER}`,
      `chosen_flag ${BOOLEAN}`,
      `nested.sint64_value ${INT64}`,
    ],
    ["GET /v1/stores/a?name=b", undefined, `name ${TWICE}`],
    ["GET /v1/stores/a?nope=b", undefined, `nope ${HERE}specimen.*, dryRun`],
    ["GET /v1/stores/a?lenders.name=b", undefined, `lenders.name ${HERE}specimen.*, dryRun`],
    ["GET /v1/stores/a?lenders=b", undefined, `lenders ${notText("library.v1.Publisher")}`],
    ["PATCH /v1/stores/a/x", undefined, `specimen.int64_value ${INTEGER}`],
    [PATCH, json({ name: "b" }), `name ${TWICE}`],
    [PATCH, json({ specimen: { int64Value: 6 } }), `specimen.int64_value ${TWICE}`],
  ],
  "body: one field": [
    [PUT, json("[]"), `specimen ${OBJECT}`],
    [PUT, json('"a"'), `specimen ${OBJECT}`],
    [PUT, json({ nope: 1 }), `specimen.nope ${isNoField("Specimen")}`],
    [
      PUT,
      json({ nested: { publishers: [{ nope: 1 }] } }),
      `specimen.nested.publishers[0].nope ${isNoField("Publisher")}`,
    ],
    [
      `${PUT}?specimen.string_value=a`,
      json({}),
      `specimen.string_value ${MISPLACED}; it is the body of this method`,
    ],
    [`${PUT}?specimen=a`, undefined, `specimen ${MISPLACED}; it is the body of this method`],
    [`${PUT}?nope=a`, json({ int32Value: "x" }), `nope ${HERE}dryRun`, `specimen.int32Value ${INTEGER}`],
    [`${PUT}?name=b`, json({}), `name ${TWICE}`],
    [`${PUT}/lenders`, json({}), `lenders ${ARRAY}`],
    [`${PUT}/lenders`, json([{ city: "b" }]), `lenders[0].city ${isNoField("Publisher")}`],
    [`${PUT}/dry_run`, json("1"), `dryRun ${BOOLEAN}`],
    [`${PUT}/dry_run`, json('"true"'), `dryRun ${BOOLEAN}`],
  ],
  'body: "*"': [
    [
      `${PATCH}?dry_run=true`,
      json({}),
      `dry_run ${MISPLACED}; this method takes its parameters from the body`,
    ],
    [PATCH, json({ nope: 1 }), `nope ${HERE}specimen, dryRun, lenders`],
    [PATCH, json({ "specimen.string_value": "a" }), `specimen.string_value ${HERE}specimen, dryRun, lenders`],
    ["POST /v1/files/a", json({ file: { data: 1 } }), "file.data INVALID_TYPE must be a string in base64"],
  ],
  "the library's own methods": [
    [
      "POST /v1/shelves/1/books",
      json({ author_names: ["a", 1], authorNames: ["b"] }),
      `book.author_names[1] ${STRING}`,
      "book.authorNames CONFLICTING_VALUES is given under both names",
    ],
    ["POST /v1/shelves/1/books", json({ authorNames: ["a", 1] }), `book.authorNames[1] ${STRING}`],
    [
      "PATCH /v1/shelves/1/books/2",
      json({ book: { author_names: ["a", 1] } }),
      `book.author_names[1] ${STRING}`,
    ],
    [
      "PATCH /v1/shelves/1/books/2",
      json({ book: { publisher: { parent: { nope: 1 } } } }),
      `book.publisher.parent.nope ${isNoField("Publisher")}`,
    ],
    ["PATCH /v1/shelves/1/books/2", json({ book: { labels: { a: 1 } } }), `book.labels[a] ${STRING}`],
  ],
  "google.api.HttpBody": [
    [`${DUMP}?data=AA`, raw("a/b", bytes), `data ${MISPLACED}; the body is all that this method takes`],
    ["PUT /v1/files/a?file.data=AA", undefined, `file.data ${MISPLACED}; it is the body of this method`],
    ["PUT /v1/files/a?nope=b", raw("a/b", bytes), `nope ${HERE}comment`],
  ],
};

describe.each(Object.entries(wrongRequests))("invalid: %s", (_, cases) => {
  test.each(cases)("%s with %j", (line, content, ...expected) => {
    expect(violations(line, content)).toEqual(expected);
  });
});

describe("bodies that cannot be read", () => {
  test.each<[line: string, Content, status?: number]>([
    [POST, json("{")],
    [POST, json(" ")],
    [POST, json("[]")],
    [POST, json("1")],
    [POST, json('{"stringValue": "a", "stringValue": "a"}')],
    [POST, json("{'stringValue': 'a'}")],
    [POST, json('{"doubleValue": NaN}')],
    [POST, json('{"int32Value": 01}')],
    [POST, json('{"int32Value": 1,}')],
    [POST, raw("application/json", bytes)],
    [POST, raw("application/x-www-form-urlencoded", "stringValue=a"), 415],
    [PUT, raw("text/plain", "{}"), 415],
    [PUT, raw("application/json\xa0", "{}"), 415],
    [PUT, raw("application/\xe9+json", "{}"), 415],
    [PUT, raw("text/x+json", "{}"), 415],
    [PUT, raw("application/x+json+xml", "{}"), 415],
    [PUT, raw("application/+json", "{}"), 415],
    [PUT, raw("application/x+json; charset=latin1", "{}"), 415],
    [PUT, json("{}{}")],
  ])("%s with %j", (line, content, status = 400) => {
    const reason = status === 400 ? "MALFORMED_BODY" : "UNSUPPORTED_MEDIA_TYPE";
    expect(errorOf(line, content)).toMatchObject({ status, reason });
  });

  test("because a method takes none", () => {
    expect(errorOf(GET, json({}))).toMatchObject({ status: 400, reason: "BODY_NOT_ALLOWED" });
  });
});

describe("unknownParameters: ignore", () => {
  test.each<[string, Content, JsonValue]>([
    [`${GET}?nope=1&string_value=a`, undefined, { stringValue: "a" }],
    [`${GET}?nested.nope=1`, undefined, {}],
    [POST, json({ nope: 1, nested: { nope: {}, stringValue: "a" } }), { nested: { stringValue: "a" } }],
    [
      POST,
      json({ publishers: [{ nope: 1 }], publisherByText: { a: { nope: 1 } } }),
      { publishers: [{}], publisherByText: { a: {} } },
    ],
    [PUT, json({ nope: [1] }), { name: "a", specimen: {} }],
    [`${PUT}?nope=1`, undefined, { name: "a" }],
    // As sent by Google's generated REST clients.
    [`${POST}?%24alt=json%3Benum-encoding%3Dint`, json({ stringValue: "a" }), { stringValue: "a" }],
    [`${POST}?string_value=b`, json({ stringValue: "a" }), { stringValue: "a" }],
    [`${PUT}?specimen.string_value=b&dry_run=true`, json({}), { name: "a", dryRun: true, specimen: {} }],
    [`${DUMP}?nope=1`, raw("a/b", "a"), { contentType: "a/b", data: "YQ==" }],
    [PUT, json('""'), { name: "a" }],
    [GET, json('""'), {}],
    // https://protobuf.dev/programming-guides/json/#json-options: unknown names of enum values are unknown fields.
    [POST, json({ genre: "NOPE", int32Value: 1 }), { int32Value: 1 }],
    [POST, json({ genres: ["novel", "NOPE", "essay"] }), { genres: ["GENRE_NOVEL", "GENRE_ESSAY"] }],
    [POST, json({ genreByInt32: { 1: "NOPE", 2: "novel" } }), { genreByInt32: { 2: "GENRE_NOVEL" } }],
    [POST, json({ optionalGenre: "NOPE", chosenGenre: "NOPE" }), {}],
    [`${GET}?genre=NOPE&int32Value=1`, undefined, { int32Value: 1 }],
    [`${GET}?genres=novel&genres=NOPE`, undefined, { genres: ["GENRE_NOVEL"] }],
    [
      POST,
      json({ any: { "@type": "type.googleapis.com/library.v1.Publisher", name: "a", nope: 1 } }),
      { any: { "@type": "type.googleapis.com/library.v1.Publisher", name: "a" } },
    ],
  ])("%s with %j", (line, content, message) => {
    expect(bound(line, content, lenient)).toEqual(message);
  });

  test("still rejects bodies that are not empty", () => {
    expect(errorOf(GET, json('"a"'), lenient)).toMatchObject({ status: 400, reason: "BODY_NOT_ALLOWED" });
    expect(errorOf(POST, json('""'), lenient)).toMatchObject({ status: 400, reason: "MALFORMED_BODY" });
    expect(errorOf(GET, json('""'))).toMatchObject({ status: 400, reason: "BODY_NOT_ALLOWED" });
  });

  test("still rejects invalid values of known parameters", () => {
    expect(violations(POST, json({ nope: 1, nested: { int32Value: "x" } }), lenient)).toEqual([
      `nested.int32Value ${INTEGER}`,
    ]);
    expect(violations(POST, json({ genre: true, genres: [null] }), lenient)).toEqual([
      `genre ${GENRE}`,
      `genres[0] ${NOT_NULL}`,
    ]);
  });
});

describe("errors never repeat a value", () => {
  const SECRET = "hunter2hunter2!";
  /** All fields except those that accept any text. */
  const fields = SpecimenSchema.fields.filter(
    ({ name }) => !/string|text|shelf|^(value|field_mask)$/.test(name),
  );

  test("from a query, for any field", () => {
    for (const { name } of fields) {
      const error = errorOf(`${GET}?${name}=${SECRET}`, undefined);
      expect([error.message, JSON.stringify(error.violations)].join()).not.toContain("hunter2");
    }
  });

  test("from JSON, for any field and any kind of value", () => {
    for (const { name } of fields) {
      for (const value of [SECRET, [SECRET], { [name]: [[SECRET]] }]) {
        const error = errorOf(POST, json({ [name]: value, nested: { stringValue: [SECRET] } }));
        expect([error.message, JSON.stringify(error.violations)].join()).not.toContain("hunter2");
      }
    }
  });

  test("from a body that is not JSON", () => {
    expect(errorOf(POST, json(`{"stringValue": "${SECRET}`)).message).not.toContain("hunter2");
  });
});

describe("limits", () => {
  test("an error lists at most fifty violations", () => {
    const strings = Array.from({ length: 200 }, () => 1);
    expect(violations(POST, json({ strings }))).toHaveLength(50);
  });

  test("a long unknown name is abbreviated", () => {
    const [violation = ""] = violations(`${GET}?${"n".repeat(5000)}=1`, undefined);
    expect(violation.split(" ")[0]).toBe(`${"n".repeat(64)}…`);
    expect(violations(POST, json({ nested: { ["n".repeat(5000)]: 1 } }))).toEqual([
      `nested.${"n".repeat(64)}… ${isNoField("Specimen")}`,
    ]);
  });
});
