import { expect, it } from "vitest";
import { correctAsnName } from "../../../../src/tools/geoip/databases/asn-names.js";

it.each([
  ["Telkom SA Ltd. - Telkom SA Ltd.", "Telkom SA Ltd."],
  ["CONCERGENT-LLC - CONCERGENT, LLC", "CONCERGENT, LLC"],
  ["A - B - A - B", "A - B"],
  ["BALLARAT &amp;amp; CLARENDON COLLEGE", "BALLARAT & CLARENDON COLLEGE"],
  ["Tom&#39;s &quot;Net&quot;", 'Tom\'s "Net"'],
])("corrects %s", (name, corrected) => {
  expect(correctAsnName(name)).toBe(corrected);
});

it.each([
  "Google LLC",
  "AT&T",
  "A &unknown; B",
  "LVLT-1 - Level 3",
  "Level 3 - Level 4",
  " - ",
  "- - -",
  "A-A",
  "",
  "!!! - ???",
])("leaves %j as it is", (name) => {
  expect(correctAsnName(name)).toBe(name);
});
