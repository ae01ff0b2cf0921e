import fc from "fast-check";
import { expect, test } from "vitest";
import { duplicateMember } from "../../src/transcoding/json-members.js";

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
])("finds in %s the doubled member %j", (json, name) => {
  expect(duplicateMember(json)).toBe(name);
});

test("finds none in what JSON.stringify writes", () => {
  fc.assert(fc.property(fc.json(), (json) => duplicateMember(json) === undefined));
});
