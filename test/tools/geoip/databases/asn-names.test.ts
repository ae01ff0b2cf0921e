import { expect, it } from "vitest";
import { correctAsnName } from "../../../../src/tools/geoip/databases/asn-names.js";

it.each([
  [1, "Telkom SA Ltd. - Telkom SA Ltd.", "Telkom SA Ltd."],
  [1, "CONCERGENT-LLC - CONCERGENT, LLC", "CONCERGENT, LLC"],
  [1, "A - B - A - B", "A - B"],
  [1, "BALLARAT &amp;amp; CLARENDON COLLEGE", "BALLARAT & CLARENDON COLLEGE"],
  [1, "Tom&#39;s &quot;Net&quot;", 'Tom\'s "Net"'],
  // origin-asn of 2026-09-16
  [8151, "AS8151 - UNINET", "UNINET"],
  [122, "UPMC-AS122 - UPMC", "UPMC"],
  [2116, "GlobalConnect-AS2116 GLOBALCONNECT", "GLOBALCONNECT"],
  [13156, "AS13156 NOWO COMMUNICATIONS, S.A.", "NOWO COMMUNICATIONS, S.A."],
  [26584, "26584 - VERTAFORE, INC", "VERTAFORE, INC"],
  [4134, "No.31,Jin-rong Street", "Chinanet"],
  [132203, "Tencent Building, Kejizhongyi Avenue", "Shenzhen Tencent Computer Systems Company Limited"],
  [395527, "", "Virginia State University"],
] as const)("corrects the name of %i, %s", (number, name, corrected) => {
  expect(correctAsnName(number, name)).toBe(corrected);
});

it.each([
  "Google LLC",
  "No.31,Jin-rong Street",
  "AS2 - UNINET",
  "AS1",
  "AS1 - ",
  "1 GRID",
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
  expect(correctAsnName(1, name)).toBe(name);
});
