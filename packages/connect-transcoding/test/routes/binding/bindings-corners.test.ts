import type { JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  BASE64,
  bound,
  type Content,
  GET,
  INT64,
  INTEGER,
  json,
  MAP,
  notForm,
  POST,
  TWICE,
  violations,
} from "../../support/messages/specimens.js";

const noForm = (type: string) =>
  `INVALID_VALUE is not possible in the ProtoJSON form of google.protobuf.${type}`;

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
  // http.proto: each field of a message is a parameter, also of a type with a form of its own. So it is in Envoy, grpc-gateway and ASP.NET.
  [`${GET}?timestamp.seconds=-1`, undefined, { message: { timestamp: "1969-12-31T23:59:59Z" } }],
  [`${GET}?duration.nanos=-1000&duration.seconds=-2`, undefined, { message: { duration: "-2.000001s" } }],
  [`${GET}?int32_box.value=-1`, undefined, { message: { int32Box: -1 } }],
  [`${GET}?int32_box=1&int32Box.value=1`, undefined, { message: { int32Box: 1 } }],
  [`${GET}?value.number_value=-1`, undefined, { message: { value: -1 } }],
  [`${GET}?field_mask.paths=a&fieldMask.paths=b.c_d`, undefined, { message: { fieldMask: "a,b.cD" } }],
  ...(
    [
      ["int32_box.value=x", `int32_box.value ${INTEGER}`],
      ["int32_box=1&int32_box.value=2", `int32_box.value ${TWICE}`],
      ["timestamp=2026-01-01T00:00:00Z&timestamp.seconds=1", `timestamp.seconds ${TWICE}`],
      ["timestamp.seconds=1&timestamp=2026-01-01T00:00:00Z", `timestamp ${TWICE}`],
      ["timestamp.seconds=253402300800", `timestamp.seconds ${noForm("Timestamp")}`],
      ["timestamp.nanos=-1", `timestamp.nanos ${noForm("Timestamp")}`],
      ["duration.seconds=1&duration.nanos=-1", `duration.nanos ${noForm("Duration")}`],
      ["field_mask.paths=aB", `field_mask.paths ${noForm("FieldMask")}`],
      ["value.number_value=NaN", `value.number_value ${noForm("Value")}`],
      ["any.type_url=a", `any.type_url ${noForm("Any")}`],
      ["struct.fields=1", `struct.fields ${MAP}`],
      ["timestamp.minutes=1", "timestamp.minutes UNKNOWN_PARAMETER"],
      ["timestamp.seconds.value=1", "timestamp.seconds.value UNKNOWN_PARAMETER"],
    ] as const
  ).map(([query, violation]): (typeof corners)[number] => [
    `${GET}?${query}`,
    undefined,
    { violations: [violation] },
  ]),
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
