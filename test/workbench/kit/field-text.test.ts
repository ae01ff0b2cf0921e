import { RenderBarcodeRequestSchema } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import {
  GenerateOtpResponseSchema,
  VerifyOtpRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { expect, test } from "vitest";
import { fieldChoices, fieldLabel, fieldValue } from "../../../src/workbench/kit/field-text.js";

test.each([
  [LookupIpRequestSchema.field.ipAddress, "IP address"],
  [GenerateOtpResponseSchema.field.otpUrl, "OTP URL"],
  [GenerateOtpResponseSchema.field.qrcodeUrl, "QR code URL"],
  [VerifyOtpRequestSchema.field.secret, "Secret"],
])("$0.name is labelled %s", (field, label) => {
  expect(fieldLabel(field)).toBe(label);
});

test("choices are what the schema allows, or what an enum has", () => {
  expect(fieldChoices(VerifyOtpRequestSchema.field.digits).map(({ text }) => text)).toEqual(["6", "8"]);
  expect(fieldChoices(RenderBarcodeRequestSchema.field.format)).toEqual([
    { text: "svg", title: "SVG" },
    { text: "png", title: "PNG" },
  ]);
  expect(fieldChoices(VerifyOtpRequestSchema.field.secret)).toEqual([]);
});

test("what is no number stays none, so that the service says so", () => {
  expect(fieldValue(VerifyOtpRequestSchema.field.digits, "x")).toBeNaN();
});
