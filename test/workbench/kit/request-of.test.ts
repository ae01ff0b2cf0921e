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
  exampleRequest,
  exampleValues,
  requestOf,
} from "../../../src/workbench/kit/request-of.js";
import { METHODS } from "../snippet/sample-requests.js";

describe("a request of texts", () => {
  test("leaves out what is empty, also what has a default of its own then", () => {
    expect(requestOf(GenerateOtpRequestSchema, { label: "", digits: "", issuer: "x" })).toEqual({
      issuer: "x",
    });
  });
  test("has numbers, enums by what stands for them over HTTP, and lists by lines", () => {
    expect(requestOf(GenerateOtpRequestSchema, { digits: "8" })).toEqual({ digits: 8 });
    expect(requestOf(RenderBarcodeRequestSchema, { data: "x", format: "png" })).toEqual({
      data: "x",
      format: BarcodeFormat.PNG,
    });
    expect(requestOf(BatchLookupIpsRequestSchema, { ipAddresses: " 8.8.8.8 \n\n::1\n" })).toEqual({
      ipAddresses: ["8.8.8.8", "::1"],
    });
  });
  test("leaves texts as they are", () => {
    expect(requestOf(VerifyOtpRequestSchema, { secret: " a b " })).toEqual({ secret: " a b " });
  });
});

test("examples and defaults are those of the schema", () => {
  expect(exampleValues(GenerateOtpRequestSchema)).toEqual({
    label: "jane@example.com",
    issuer: "Example",
    digits: "6",
  });
  expect(defaultValues(RenderBarcodeRequestSchema)).toEqual({ format: "svg" });
});

test.each(METHODS.map((method) => [method.name, method] as const))(
  "%s has examples that make a request",
  (_, { input }) => {
    const message = create(input, exampleRequest(input));
    for (const field of input.fields) {
      expect(Reflect.get(message, field.localName)).not.toBeUndefined();
      expect(Reflect.get(message, field.localName)).not.toEqual(field.fieldKind === "list" ? [] : "");
    }
  },
);
