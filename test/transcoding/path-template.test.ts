import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePathTemplate, type TemplateSegment } from "../../src/transcoding/path-template.js";

const literal = (value: string): TemplateSegment => ({ kind: "literal", value });
const wildcard: TemplateSegment = { kind: "wildcard" };
const rest: TemplateSegment = { kind: "rest" };

/** fieldPath, start, end, spansRest, multiSegment */
type Variable = readonly [string, number, number, boolean, boolean];
const one = (name: string, start: number): Variable => [name, start, start + 1, false, false];

// From the grammar in the comment of google/api/http.proto.
const valid: [string, TemplateSegment[], Variable[]?, string?][] = [
  ["/v1", [literal("v1")]],
  ["/v1/geoIp", [literal("v1"), literal("geoIp")]],
  ["/*", [wildcard]],
  ["/**", [rest]],
  ["/v1/*/books", [literal("v1"), wildcard, literal("books")]],
  ["/v1/**", [literal("v1"), rest]],
  ["/v1/*/**", [literal("v1"), wildcard, rest]],
  ["/a-b.c_d~e", [literal("a-b.c_d~e")]],
  ["/$batch,(1)", [literal("$batch,(1)")]],
  ["/caf%C3%A9", [literal("café")]],
  ["/a%2Fb", [literal("a/b")]],
  ["/v1/{name}", [literal("v1"), wildcard], [one("name", 1)]],
  ["/{a}/{b}", [wildcard, wildcard], [one("a", 0), one("b", 1)]],
  ["/{a.b.c}", [wildcard], [one("a.b.c", 0)]],
  ["/{snake_case1}", [wildcard], [one("snake_case1", 0)]],
  ["/{name=*}", [wildcard], [one("name", 0)]],
  ["/{name=fixed}", [literal("fixed")], [one("name", 0)]],
  ["/{name=**}", [rest], [["name", 0, 1, true, true]]],
  ["/v1/{name=shelves/*}", [literal("v1"), literal("shelves"), wildcard], [["name", 1, 3, false, true]]],
  [
    "/v1/{name=shelves/*/books/**}",
    [literal("v1"), literal("shelves"), wildcard, literal("books"), rest],
    [["name", 1, 5, true, true]],
  ],
  [
    "/v1/{a=x/*}/y/{b}",
    [literal("v1"), literal("x"), wildcard, literal("y"), wildcard],
    [
      ["a", 1, 3, false, true],
      ["b", 4, 5, false, false],
    ],
  ],
  ["/v1/books:search", [literal("v1"), literal("books")], [], "search"],
  ["/v1/{name}:archive", [literal("v1"), wildcard], [one("name", 1)], "archive"],
  ["/v1/{name=**}:undo", [literal("v1"), rest], [["name", 1, 2, true, true]], "undo"],
];

test.each(valid)("parses %s", (source, segments, variables = [], verb = "") => {
  expect(parsePathTemplate(source)).toEqual({
    source,
    segments,
    variables: variables.map(([fieldPath, start, end, spansRest, multiSegment]) => ({
      fieldPath,
      start,
      end,
      spansRest,
      multiSegment,
    })),
    verb,
  });
});

const invalid: [string, number, string][] = [
  ["", 1, "expected '/', found the end"],
  ["v1", 1, "expected '/', found 'v'"],
  ["/", 2, "expected a literal, '*', '**' or '{', found the end"],
  ["//v1", 2, "expected a literal, '*', '**' or '{', found '/'"],
  ["/v1/", 5, "expected a literal, '*', '**' or '{', found the end"],
  ["/v1//x", 5, "expected a literal, '*', '**' or '{', found '/'"],
  ["/v1 x", 4, "expected '/', ':' or the end, found ' '"],
  ["/v1?x=1", 4, "expected '/', ':' or the end, found '?'"],
  ["/é", 2, "expected a literal, '*', '**' or '{', found 'é'"],
  ["/a%", 3, "expected '/', ':' or the end, found '%'"],
  ["/a%4", 3, "expected '/', ':' or the end, found '%'"],
  ["/a%FF", 2, "the percent-encoding is not UTF-8"],
  ["/***", 4, "expected '/', ':' or the end, found '*'"],
  ["/a*", 3, "expected '/', ':' or the end, found '*'"],
  ["/*a", 3, "expected '/', ':' or the end, found 'a'"],
  ["/**/a", 5, "'**' must be the last segment"],
  ["/{name=**}/a", 12, "'**' must be the last segment"],
  ["/{name=**/a}", 11, "'**' must be the last segment"],
  ["/{", 3, "expected a field name, found the end"],
  ["/{}", 3, "expected a field name, found '}'"],
  ["/{1a}", 3, "expected a field name, found '1'"],
  ["/{a.}", 4, "expected '}', found '.'"],
  ["/{a", 4, "expected '}', found the end"],
  ["/{a=}", 5, "expected a literal, '*', '**' or '{', found '}'"],
  ["/{a={b}}", 5, "a variable cannot stand inside another"],
  ["/{a}/{a}", 7, "the field 'a' is bound twice"],
  ["/{a}b", 5, "expected '/', ':' or the end, found 'b'"],
  ["/v1:", 5, "expected a literal, '*', '**' or '{', found the end"],
  ["/v1:a/b", 6, "expected the end, found '/'"],
  ["/v1:a:b", 6, "expected the end, found ':'"],
  ["/a}", 3, "expected '/', ':' or the end, found '}'"],
];

test.each(invalid)("refuses %j at column %i", (source, column, problem) => {
  expect(() => parsePathTemplate(source)).toThrow(
    new Error(`path template "${source}", column ${column}: ${problem}`),
  );
});

describe("any text", () => {
  test("parses, or fails with a column inside it or right behind it", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."/*{}=:.ab%2F_é ") }), (source) => {
        try {
          expect(parsePathTemplate(source).source).toBe(source);
        } catch (error) {
          const column = Number(
            /^path template ".*", column (\d+): /su.exec(String((error as Error).message))?.[1],
          );
          expect(column).toBeGreaterThanOrEqual(1);
          expect(column).toBeLessThanOrEqual(source.length + 1);
        }
      }),
      { numRuns: 5000 },
    );
  });
});
