import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  parsePathTemplate,
  type TemplateSegment,
  type TemplateVariable,
} from "../../src/routes/rules/path-template.js";

/** `*` and `**` as in a template; any other text, and a {@link literal}, is a literal. */
type Segment = string | TemplateSegment;

const literal = (value: string): TemplateSegment => ({ kind: "literal", value });

function segmentOf(segment: Segment): TemplateSegment {
  switch (segment) {
    case "*":
      return { kind: "wildcard" };
    case "**":
      return { kind: "rest" };
    default:
      return typeof segment === "string" ? literal(segment) : segment;
  }
}

/** A variable of the segments up to but excluding `end`. */
const many = (fieldPath: string, start: number, end: number): TemplateVariable => ({
  ...{ fieldPath, start, end },
  spansRest: false,
  followsRest: false,
  multiSegment: end > start + 1,
});

/** A variable of one segment. */
const one = (fieldPath: string, start: number): TemplateVariable => many(fieldPath, start, start + 1);

/** A variable with `**`, up to but excluding `end`. */
const rest = (fieldPath: string, start: number, end: number): TemplateVariable => ({
  ...many(fieldPath, start, end),
  spansRest: true,
  multiSegment: true,
});

/** A variable after `**`. */
const after = (variable: TemplateVariable): TemplateVariable => ({ ...variable, followsRest: true });

type ValidCase = [source: string, segments: Segment[], variables?: TemplateVariable[], verb?: string];

// From the grammar in the comment of google/api/http.proto.
const valid: Record<string, ValidCase[]> = {
  literals: [
    ["/007/8", ["007", "8"]],
    ["/a-b.c_d~e", ["a-b.c_d~e"]],
    ["/$batch,(1)", ["$batch,(1)"]],
    ["/a!b&c'd+e;f@g", ["a!b&c'd+e;f@g"]],
    ["/..", [".."]],
    ["/", [""]],
    ["/a=b", ["a=b"]],
    ["/a:b/{c}", ["a:b", "*"], [one("c", 1)]],
    ["/:/a", [":", "a"]],
    ["/__proto__/constructor", ["__proto__", "constructor"]],
  ],
  "percent-encoded literals": [
    ["/caf%c3%a9", ["café"]],
    ["/a%2Fb", ["a/b"]],
    ["/%2A%2A", [literal("**")]],
    ["/%2541", ["%41"]],
    ["/%00", ["\0"]],
  ],
  wildcards: [
    ["/**", ["**"]],
    ["/*/**", ["*", "**"]],
    ["/v1/*/books", ["v1", "*", "books"]],
  ],
  // vanguard-go, path_parser_test.go.
  "variables in variables": [
    ["/{a={b}}", ["*"], [one("a", 0), one("b", 0)]],
    ["/{id={author}/{isbn}/*}/x", ["*", "*", "*", "x"], [many("id", 0, 3), one("author", 0), one("isbn", 1)]],
    ["/{a}/{b=*/{c=**}}", ["*", "*", "**"], [one("a", 0), rest("b", 1, 3), rest("c", 2, 3)]],
    ["/{a={b=**}/{c}}", ["**", "*"], [rest("a", 0, 2), rest("b", 0, 1), after(one("c", 1))]],
  ],
  variables: [
    ["/{a}/x/{b}/y/{c}", ["*", "x", "*", "y", "*"], [one("a", 0), one("b", 2), one("c", 4)]],
    ["/{name=fixed}", ["fixed"], [one("name", 0)]],
    ["/{name=*/**}", ["*", "**"], [rest("name", 0, 2)]],
    ["/v1/{name=shelves/*}/books", ["v1", "shelves", "*", "books"], [many("name", 1, 3)]],
    ["/{a=*}/{b=*/c}/**", ["*", "*", "c", "**"], [one("a", 0), many("b", 1, 3)]],
    ["/{a=%7Bb%7D}", ["{b}"], [one("a", 0)]],
    ["/{a=b=c}", ["b=c"], [one("a", 0)]],
    ["/{a=:b}", [":b"], [one("a", 0)]],
    ["/{a=b:c}:d", ["b:c"], [one("a", 0)], "d"],
  ],
  // From firestore.proto, resources.proto of Cloud KMS, managed_schema_registry.proto and others of googleapis.
  "segments behind '**'": [
    ["/**/a", ["**", "a"]],
    ["/**/*", ["**", "*"]],
    ["/**/{a}", ["**", "*"], [after(one("a", 1))]],
    ["/{name=**}/a", ["**", "a"], [rest("name", 0, 1)]],
    ["/{name=**/a}", ["**", "a"], [rest("name", 0, 2)]],
    ["/{name=a/**}/{b}", ["a", "**", "*"], [rest("name", 0, 2), after(one("b", 2))]],
    ["/v1/{a=**}/b:c", ["v1", "**", "b"], [rest("a", 1, 2)], "c"],
    ["/v1/{a=x/**/y/*}", ["v1", "x", "**", "y", "*"], [rest("a", 1, 5)]],
    ["/{a=**}/{b=c/*}/d", ["**", "c", "*", "d"], [rest("a", 0, 1), after(many("b", 1, 3))]],
  ],
  "field paths": [
    ["/{_._}", ["*"], [one("_._", 0)]],
    ["/{A1.b2_C3}", ["*"], [one("A1.b2_C3", 0)]],
    ["/{__proto__}", ["*"], [one("__proto__", 0)]],
    ["/{a}/{A}", ["*", "*"], [one("a", 0), one("A", 1)]],
    ["/{a}/{a.b}/{b.a}", ["*", "*", "*"], [one("a", 0), one("a.b", 1), one("b.a", 2)]],
  ],
  verbs: [
    ["/**:a", ["**"], [], "a"],
    ["/v1/{name=**}:undo", ["v1", "**"], [rest("name", 1, 2)], "undo"],
    ["/v1:a-b.c_d~e", ["v1"], [], "a-b.c_d~e"],
    ["/v1:%C3%A9", ["v1"], [], "é"],
    ["/v1:a%3Ab", ["v1"], [], "a:b"],
    ["/a%3Ab:c", ["a:b"], [], "c"],
    ["/v1:a:b", ["v1:a"], [], "b"],
    ["/v1::a", ["v1:"], [], "a"],
    ["/v1:a/b:c", ["v1:a", "b"], [], "c"],
    ["/v1:a=b", ["v1"], [], "a=b"],
  ],
};

describe.each(Object.entries(valid))("%s", (_, cases) => {
  test.each(cases)("%s", (source, segments, variables = [], verb = "") => {
    expect(parsePathTemplate(source)).toEqual({ source, segments: segments.map(segmentOf), variables, verb });
  });
});

const SEGMENT = "a literal, '*', '**' or '{'";
const AFTER_SEGMENT = "'/', ':' or the end";

const invalid: Record<string, [source: string, column: number, problem: string][]> = {
  "a template that does not begin with a slash": [
    ["", 1, "expected '/', found the end"],
    ["v1", 1, "expected '/', found 'v'"],
    [" /a", 1, "expected '/', found ' '"],
  ],
  "an empty segment": [
    ["//v1", 2, `expected ${SEGMENT}, found '/'`],
    ["/v1/", 5, `expected ${SEGMENT}, found the end`],
    ["/*//*", 4, `expected ${SEGMENT}, found '/'`],
    ["/{a}/", 6, `expected ${SEGMENT}, found the end`],
    ["/:verb", 2, `expected ${SEGMENT}, found ':'`],
  ],
  "characters that are invalid in a literal": [
    ["/v1?x=1", 4, `expected ${AFTER_SEGMENT}, found '?'`],
    ["/v1#x", 4, `expected ${AFTER_SEGMENT}, found '#'`],
    ["/a\\b", 3, `expected ${AFTER_SEGMENT}, found '\\'`],
    ['/"a"', 2, `expected ${SEGMENT}, found '"'`],
    ["/é", 2, `expected ${SEGMENT}, found 'é'`],
    ["/a\nb", 3, `expected ${AFTER_SEGMENT}, found '\n'`],
    ["/}", 2, `expected ${SEGMENT}, found '}'`],
  ],
  "invalid percent-encoding": [
    ["/a%4", 3, `expected ${AFTER_SEGMENT}, found '%'`],
    ["/a%4g", 3, `expected ${AFTER_SEGMENT}, found '%'`],
    ["/%zz", 2, `expected ${SEGMENT}, found '%'`],
    ["/ab/cd%C3", 5, "the percent-encoding is not UTF-8"],
    ["/%C0%AF", 2, "the percent-encoding is not UTF-8"],
    ["/%ED%A0%80", 2, "the percent-encoding is not UTF-8"],
    ["/{a=x/%FF}", 7, "the percent-encoding is not UTF-8"],
    ["/a:%FF", 4, "the percent-encoding is not UTF-8"],
  ],
  "asterisks that are not a wildcard": [
    ["/***", 4, `expected ${AFTER_SEGMENT}, found '*'`],
    ["/a*", 3, `expected ${AFTER_SEGMENT}, found '*'`],
    ["/**a", 4, `expected ${AFTER_SEGMENT}, found 'a'`],
  ],
  "a second '**'": [
    ["/{a=**}/b/**", 11, "a template can have one '**'"],
    ["/{a=**/b/**}", 10, "a template can have one '**'"],
  ],
  "an empty segment behind '**'": [
    ["/**/", 5, `expected ${SEGMENT}, found the end`],
    ["/**//a", 5, `expected ${SEGMENT}, found '/'`],
  ],
  "variables that are cut short or malformed": [
    ["/{", 3, "expected a field name, found the end"],
    ["/{1a}", 3, "expected a field name, found '1'"],
    ["/{é}", 3, "expected a field name, found 'é'"],
    ["/{{a}}", 3, "expected a field name, found '{'"],
    ["/{a=}", 5, `expected ${SEGMENT}, found '}'`],
    ["/{a=b/}", 7, `expected ${SEGMENT}, found '}'`],
    ["/{a=***}", 7, "expected '/' or '}', found '*'"],
    ["/{a={b}", 8, "expected '/' or '}', found the end"],
    ["/{a={b=**}/**}", 12, "a template can have one '**'"],
    ["/{a}{b}", 5, `expected ${AFTER_SEGMENT}, found '{'`],
    ["/a{b}", 3, `expected ${AFTER_SEGMENT}, found '{'`],
    ["/{a}}", 5, `expected ${AFTER_SEGMENT}, found '}'`],
  ],
  "a field that is bound twice": [
    ["/{a.b}/x/{a.b}", 11, "the field 'a.b' is bound twice"],
    ["/{a=x/*}/{b}/{a=**}", 15, "the field 'a' is bound twice"],
  ],
  "invalid verbs": [
    ["/{a}:b/c", 7, "expected the end, found '/'"],
    ["/v1:a b", 6, "expected the end, found ' '"],
    ["/v1:a{b", 6, "expected the end, found '{'"],
    ["/v1:a{b}", 6, `expected ${AFTER_SEGMENT}, found '{'`],
    ["/v1:a%", 6, "expected the end, found '%'"],
  ],
  "what could continue otherwise": [
    // Only a literal can follow a colon.
    ["/v1:", 5, "expected a literal, found the end"],
    ["/v1:*", 5, "expected a literal, found '*'"],
    ["/v1:{a", 5, "expected a literal, found '{'"],
    ["/v1:{a}", 5, "expected '/', ':' or the end, found '{'"],
    // A field path can continue with a dot; the error is after it.
    ["/{a.}", 5, "expected a field name, found '}'"],
    ["/{a..b}", 5, "expected a field name, found '.'"],
    ["/{a.1}", 5, "expected a field name, found '1'"],
    ["/{a", 4, "expected '.', '=' or '}', found the end"],
    ["/{a/b}", 4, "expected '.', '=' or '}', found '/'"],
    ["/{a b}", 4, "expected '.', '=' or '}', found ' '"],
    ["/{a:b}", 4, "expected '.', '=' or '}', found ':'"],
    ["/{a-b}", 4, "expected '.', '=' or '}', found '-'"],
    // The segments of a variable can continue with a slash.
    ["/{a=b", 6, "expected '/' or '}', found the end"],
    ["/{a=*b}", 6, "expected '/' or '}', found 'b'"],
    // A lone surrogate is not a character.
    ["/😀", 2, "expected a literal, '*', '**' or '{', found '😀'"],
  ],
};

describe.each(Object.entries(invalid))("%s is rejected", (_, cases) => {
  test.each(cases)("%j at column %i", (source, column, problem) => {
    expect(() => parsePathTemplate(source)).toThrow(
      new Error(`path template "${source}", column ${column}: ${problem}`),
    );
  });
});

describe("any text", () => {
  test("parses, or fails with a column in the text or at its end", () => {
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

/** The text of a template, and the expected result of parsing it. */
const segmentText = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9\-._~!$&'()+,;@]{1,6}$/).map((text) => ({ text, segment: literal(text) })),
  fc.constant({ text: "*", segment: segmentOf("*") }),
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 4 })
    .filter((text) => !/\p{Surrogate}/u.test(text))
    .map((text) => ({ text: everyByteEscaped(text), segment: literal(text) })),
);

function everyByteEscaped(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`)
    .join("");
}

test("a template parses to its parts", () => {
  const part = fc.record({
    variable: fc.boolean(),
    segments: fc.array(segmentText, { minLength: 1, maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean(), (parts, verb) => {
      const segments: TemplateSegment[] = [];
      const variables: TemplateVariable[] = [];
      let source = "";
      for (const [index, { variable, segments: own }] of parts.entries()) {
        const text = own.map((each) => each.text).join("/");
        source += variable ? `/{f${index}=${text}}` : `/${text}`;
        if (variable) {
          const start = segments.length;
          const field = `f${index}`;
          variables.push(many(field, start, start + own.length));
        }
        segments.push(...own.map((each) => each.segment));
      }
      source += verb ? ":undo" : "";
      expect(parsePathTemplate(source)).toEqual({ source, segments, variables, verb: verb ? "undo" : "" });
    }),
  );
});
