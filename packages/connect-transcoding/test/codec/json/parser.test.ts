import fc from "fast-check";
import { expect, test } from "vitest";
import { countColons, countMembers, duplicateMember } from "../../../src/codec/json/parser.js";

test.each([
  ["{}", undefined],
  ["[]", undefined],
  ['"a"', undefined],
  ['["a","a"]', undefined],
  ['[{"a":1,"a":2}]', "a"],
  ['[{"a":1},{"a":2}]', undefined],
  ['{"a":[{"b":1}],"b":2}', undefined],
  ['{"a":[{"b":1,"c":["b"],"b":2}]}', "b"],
  ['{"a":{},"a":{}}', "a"],
  ['{"a":1,"b":2}', undefined],
  ['{"a":1,"a":1}', "a"],
  ['{"a":1,"b":{"a":2},"c":["a","a"]}', undefined],
  ['{"a":"b","b":"a"}', undefined],
  ['{"a":{"x":1,"x":2}}', "x"],
  ['{"a":[1,2],"b":3,"a":4}', "a"],
  ['{"\\u0061":1,"a":2}', "a"],
  ['{"a\\"":1,"a\\"":2}', 'a"'],
  ['{"{":"}","[":"]","{":1}', "{"],
  [' { "a" : "," , "b" : "a" , "a" : null } ', "a"],
  ['{"":1,"":2}', ""],
  ['{"a\\\\":1,"a\\\\":2}', "a\\"],
  ['{"a":"\\\\","b":"\\\\\\"","a":1}', "a"],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
])("finds in %s the duplicate member %j", (json, name) => {
  expect(duplicateMember(json)).toBe(name);
});

test("finds no duplicate in the output of JSON.stringify", () => {
  fc.assert(fc.property(fc.json(), (json) => duplicateMember(json) === undefined));
});

/** Whether the fast check finds no duplicate member. */
function hasOneMemberPerColon(json: string): boolean {
  return countMembers(JSON.parse(json)) === countColons(json);
}

test.each([
  ["{}", true],
  ["1", true],
  ['":"', false],
  ['{"a":1}', true],
  ['{"a":1,"a":2}', false],
  ['{"a":{"b":[{"c":1},{"c":2}]}}', true],
  ['{"a":{"b":[{"c":1},{"c":2,"c":3}]}}', false],
  ['{"a":"b:c"}', false],
  ['{"a:":1,"b":2}', false],
  ['{"a":"\\u003a"}', true],
  ['{"__proto__":{"a":1}}', true],
  ['{"__proto__":1,"__proto__":{"a":1}}', false],
  ['{"a":9007199254740991}', true],
  ['{"a":9007199254740992}', false],
  ['{"a":[-9007199254740993]}', false],
  ['{"a":1.5e300}', false],
  [`${"[".repeat(5000)}${"]".repeat(5000)}`, false],
])("%s has one colon per member: %s", (json, expected) => {
  expect(hasOneMemberPerColon(json)).toBe(expected);
});

/** JSON text with duplicate members, and with colons in strings. */
const anyJson = fc.letrec<{ value: string }>((tie) => {
  const text = fc.constantFrom("a", "b", ":", "\\u0061", '\\"', "").map((each) => `"${each}"`);
  const members = fc.array(fc.tuple(text, tie("value")), { maxLength: 3 });
  return {
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom("1", "null"),
      text,
      fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(" , ")}]`),
      members.map((each) => `{${each.map(([name, value]) => `${name} : ${value}`).join(",")}}`),
    ),
  };
}).value;

test("JSON with one colon per member has no duplicate member", () => {
  fc.assert(
    fc.property(anyJson, (json) => {
      expect(hasOneMemberPerColon(json) && duplicateMember(json) !== undefined).toBe(false);
    }),
    { numRuns: 2000 },
  );
});
