import type { DescMessage } from "@bufbuild/protobuf";
import {
  BarcodeFormat,
  RenderBarcodeRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { BatchLookupIpsRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import {
  GenerateOtpRequestSchema,
  VerifyOtpRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { expect, test } from "vitest";
import {
  defaultValues,
  exampleValues,
  fieldValue,
  requestOf,
} from "../../../../src/workbench/kit/form/request.js";
import { fieldOf, type Message } from "../../../../src/workbench/schema/schema.js";
import { describeMessage } from "../../schema/describe-schema.js";

const GENERATE = describeMessage(GenerateOtpRequestSchema);
const RENDER = describeMessage(RenderBarcodeRequestSchema);
const VERIFY = describeMessage(VerifyOtpRequestSchema);
const LOOKUP = describeMessage(BatchLookupIpsRequestSchema);

test.each([
  [
    "omits empty texts, also of fields with a default",
    GENERATE,
    { label: "", digits: "", issuer: "x" },
    { issuer: "x" },
  ],
  ["parses numbers", GENERATE, { digits: "8" }, { digits: 8 }],
  ["parses enum values by their HTTP names", RENDER, { format: "png" }, { format: BarcodeFormat.PNG }],
  [
    "parses lists by lines",
    LOOKUP,
    { ipAddresses: " 8.8.8.8 \n\n::1\n" },
    { ipAddresses: ["8.8.8.8", "::1"] },
  ],
  ["keeps strings unchanged", VERIFY, { secret: " a b " }, { secret: " a b " }],
] as [string, Message<DescMessage>, Record<string, string>, object][])(
  "requestOf %s",
  (_, message, texts, request) => {
    expect(requestOf(message, texts)).toEqual(request);
  },
);

test("the choices of a field are its allowed values, or the values of its enum", () => {
  expect(fieldOf(VERIFY, "digits").choices?.map(({ text }) => text)).toEqual(["6", "8"]);
  expect(fieldOf(RENDER, "format").choices).toEqual([
    { text: "svg", title: "SVG", number: BarcodeFormat.SVG },
    { text: "png", title: "PNG", number: BarcodeFormat.PNG },
    { text: "text", title: "TEXT", number: BarcodeFormat.TEXT },
  ]);
  expect(fieldOf(VERIFY, "secret").choices).toBeUndefined();
});

test("text that is not a number becomes NaN, so that the service rejects it", () => {
  expect(fieldValue(fieldOf(VERIFY, "digits"), "x")).toBeNaN();
});

test("examples and defaults come from the schema", () => {
  expect(exampleValues(GENERATE)).toEqual({
    label: "jane@example.com",
    issuer: "Example",
    digits: "6",
    algorithm: "SHA1",
    period: "30",
  });
  expect(defaultValues(RENDER)).toEqual({
    format: "svg",
    margin: "4",
    foreground: "000000",
    background: "ffffff",
  });
});
