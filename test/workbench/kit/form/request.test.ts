import { create } from "@bufbuild/protobuf";
import {
  BarcodeFormat,
  RenderBarcodeRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { BatchLookupIpsRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import {
  GenerateOtpRequestSchema,
  VerifyOtpRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { describe, expect, test } from "vitest";
import {
  defaultValues,
  exampleValues,
  fieldValue,
  requestOf,
} from "../../../../src/workbench/kit/form/request.js";
import { fieldOf } from "../../../../src/workbench/schema/schema.js";
import { describeMessage } from "../../schema/describe-schema.js";
import { METHODS } from "../../snippet/sample-requests.js";

describe("requestOf", () => {
  test("omits empty texts, also of fields with a default", () => {
    expect(
      requestOf(describeMessage(GenerateOtpRequestSchema), { label: "", digits: "", issuer: "x" }),
    ).toEqual({
      issuer: "x",
    });
  });
  test("parses numbers, enum values by their HTTP names, and lists by lines", () => {
    expect(requestOf(describeMessage(GenerateOtpRequestSchema), { digits: "8" })).toEqual({ digits: 8 });
    expect(requestOf(describeMessage(RenderBarcodeRequestSchema), { data: "x", format: "png" })).toEqual({
      data: "x",
      format: BarcodeFormat.PNG,
    });
    expect(
      requestOf(describeMessage(BatchLookupIpsRequestSchema), { ipAddresses: " 8.8.8.8 \n\n::1\n" }),
    ).toEqual({
      ipAddresses: ["8.8.8.8", "::1"],
    });
  });
  test("keeps strings unchanged", () => {
    expect(requestOf(describeMessage(VerifyOtpRequestSchema), { secret: " a b " })).toEqual({
      secret: " a b ",
    });
  });
});

test("the choices of a field are its allowed values, or the values of its enum", () => {
  expect(fieldOf(describeMessage(VerifyOtpRequestSchema), "digits").choices?.map(({ text }) => text)).toEqual(
    ["6", "8"],
  );
  expect(fieldOf(describeMessage(RenderBarcodeRequestSchema), "format").choices).toEqual([
    { text: "svg", title: "SVG", number: BarcodeFormat.SVG },
    { text: "png", title: "PNG", number: BarcodeFormat.PNG },
    { text: "text", title: "TEXT", number: BarcodeFormat.TEXT },
  ]);
  expect(fieldOf(describeMessage(VerifyOtpRequestSchema), "secret").choices).toBeUndefined();
});

test("text that is not a number becomes NaN, so that the service rejects it", () => {
  expect(fieldValue(fieldOf(describeMessage(VerifyOtpRequestSchema), "digits"), "x")).toBeNaN();
});

test("examples and defaults come from the schema", () => {
  expect(exampleValues(describeMessage(GenerateOtpRequestSchema))).toEqual({
    label: "jane@example.com",
    issuer: "Example",
    digits: "6",
    algorithm: "SHA1",
    period: "30",
  });
  expect(defaultValues(describeMessage(RenderBarcodeRequestSchema))).toEqual({
    format: "svg",
    margin: "4",
    foreground: "000000",
    background: "ffffff",
  });
});

test.each(METHODS.map((method) => [method.name, method] as const))(
  "the examples of %s make a request",
  (_, { input }) => {
    const message = create(input, requestOf(describeMessage(input), exampleValues(describeMessage(input))));
    // A key URI is given in place of other fields.
    for (const field of input.fields.filter(({ name }) => name !== "key_uri")) {
      expect(Reflect.get(message, field.localName)).not.toBeUndefined();
      expect(Reflect.get(message, field.localName)).not.toEqual(field.fieldKind === "list" ? [] : "");
    }
  },
);
