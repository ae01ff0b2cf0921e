import type { JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  BASE64,
  bound,
  type Content,
  GET,
  INT64,
  json,
  notForm,
  POST,
  violations,
} from "../../support/messages/specimens.js";

/** Requests from which an inexact reader would lose data, or read other data. */
const corners: [
  line: string,
  content: Content,
  outcome: { message: JsonValue } | { violations: string[] },
][] = [
  // An unescaped plus sign in a query is a space. A base64 reader that ignores spaces would silently change the bytes.
  [`${GET}?bytes_value=ab+c`, undefined, { violations: [`bytes_value ${BASE64}`] }],
  [POST, json({ bytesValue: "A A A A" }), { violations: [`bytesValue ${BASE64}`] }],
  // Padding is complete or absent (RFC 4648, section 3.2).
  [`${GET}?bytes_value==`, undefined, { violations: [`bytes_value ${BASE64}`] }],
  [POST, json({ bytesValue: "AA=" }), { violations: [`bytesValue ${BASE64}`] }],
  [POST, json({ bytesValue: "AA===" }), { violations: [`bytesValue ${BASE64}`] }],
  [POST, json({ bytesValue: "AA==AA==" }), { violations: [`bytesValue ${BASE64}`] }],
  // The second value would silently win.
  [
    `${GET}?chosenNumber=1&chosen_publisher.name=a`,
    undefined,
    { violations: ["chosen_publisher.name CONFLICTING_VALUES cannot be given together with chosenNumber"] },
  ],
  [
    `${GET}?nested.chosen_text=1&nested.chosenPublisher.parent.name=a`,
    undefined,
    {
      violations: [
        "nested.chosenPublisher.parent.name CONFLICTING_VALUES cannot be given together with chosenText",
      ],
    },
  ],
  // ProtoJSON accepts exponents with and without quotes; a fraction of zero is an integer.
  [`${GET}?int32_value=1e2`, undefined, { message: { int32Value: 100 } }],
  [`${GET}?int64_value=12E3`, undefined, { message: { int64Value: "12000" } }],
  [POST, json({ int32Value: "1e2" }), { message: { int32Value: 100 } }],
  [POST, json({ uint64Value: "1.0" }), { message: { uint64Value: "1" } }],
  [POST, json({ int64Value: "1e99999999" }), { violations: [`int64Value ${INT64}`] }],
  // C++, Go and Java print the largest float as a decimal that rounds to it.
  [`${GET}?float_value=3.4028235e38`, undefined, { message: { floatValue: 3.4028234663852886e38 } }],
  [POST, json({ floatValue: -3.4028235e38 }), { message: { floatValue: -3.4028234663852886e38 } }],
  // A float holds 24 bits; over gRPC the same value arrives rounded.
  [`${GET}?float_value=0.1`, undefined, { message: { floatValue: Math.fround(0.1) } }],
  [POST, json({ floatBox: 0.1 }), { message: { floatBox: Math.fround(0.1) } }],
  // proto3 enums are open: a number without a name is a value.
  [`${GET}?genre=99`, undefined, { message: { genre: 99 } }],
  [POST, json({ genres: [99, -1] }), { message: { genres: [99, -1] } }],
  // The date does not exist.
  [`${GET}?timestamp=2026-02-30T00:00:00Z`, undefined, { violations: [`timestamp ${notForm("Timestamp")}`] }],
  [`${GET}?timestamp=2025-02-29T00:00:00Z`, undefined, { violations: [`timestamp ${notForm("Timestamp")}`] }],
  // The fields of types with a form of their own are not parameters.
  ...["timestamp.seconds", "duration.nanos", "int32_box.value", "value.number_value"].map(
    (name): (typeof corners)[number] => [
      `${GET}?${name}=-1`,
      undefined,
      { violations: [`${name} UNKNOWN_PARAMETER`] },
    ],
  ),
  [`${GET}?field_mask.paths=a`, undefined, { violations: ["field_mask.paths UNKNOWN_PARAMETER"] }],
  [`${GET}?any.type_url=a`, undefined, { violations: ["any.type_url UNKNOWN_PARAMETER"] }],
];

test.each(corners)("%s with %j", (line, content, outcome) => {
  if ("message" in outcome) {
    expect(bound(line, content)).toEqual(outcome.message);
  } else {
    const found = violations(line, content).map((each) =>
      each.replace(/ is not a parameter here; allowed: .*/, ""),
    );
    expect(found).toEqual(outcome.violations);
  }
});
