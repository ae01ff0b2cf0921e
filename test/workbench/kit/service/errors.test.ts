import { expect, test } from "vitest";
import { isServiceWide } from "../../../../src/workbench/kit/service/errors.js";

test.each([
  ["UNAUTHENTICATED", "API_KEY_MISSING", true],
  ["UNAVAILABLE", "", true],
  ["UNAVAILABLE", "GEOIP_UNAVAILABLE", false],
  ["DEADLINE_EXCEEDED", "", true],
  ["RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", true],
  ["RESOURCE_EXHAUSTED", "", false],
  ["INVALID_ARGUMENT", "TOO_MANY_ITEMS", false],
  ["NOT_FOUND", "COUNTRY_NOT_FOUND", false],
  ["INTERNAL", "", false],
])("whether every call fails with %s %s: %s", (code, reason, expected) => {
  expect(isServiceWide({ code, reason })).toBe(expected);
});
