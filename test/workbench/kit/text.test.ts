import { EmailRule, EmailRuleSchema } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import {
  GenerateOtpResponseSchema,
  VerifyOtpRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { describe, expect, test } from "vitest";
import { drawsFlags, fieldLabel, flagEmoji, valueLabel } from "../../../src/workbench/kit/text.js";
import { loadCountries } from "../../data/load-countries.js";

test.each([
  [LookupIpRequestSchema.field.ipAddress, "IP address"],
  [GenerateOtpResponseSchema.field.otpUrl, "OTP URL"],
  [GenerateOtpResponseSchema.field.qrcodeUrl, "QR code URL"],
  [VerifyOtpRequestSchema.field.secret, "Secret"],
])("the label of $0.name is %s", (field, label) => {
  expect(fieldLabel(field)).toBe(label);
});

describe("valueLabel", () => {
  test("returns the name of the value as words", () => {
    expect(valueLabel(EmailRuleSchema.value[EmailRule.REMOVE_SUFFIX])).toBe("Remove suffix");
    expect(valueLabel(EmailRuleSchema.value[EmailRule.TRIM])).toBe("Trim");
  });

  test("returns an empty text for an unknown value", () => {
    expect(valueLabel(undefined)).toBe("");
  });
});

test("flagEmoji returns the flag that the service has for each country", () => {
  for (const { code2, flag } of loadCountries()) {
    expect(flagEmoji(code2)).toBe(flag);
  }
});

describe("drawsFlags", () => {
  test("is true where two symbols are one flag", () => {
    expect(drawsFlags(() => 20)).toBe(true);
  });

  test("is false where they are two letters or boxes", () => {
    expect(drawsFlags((text) => [...text].length * 12)).toBe(false);
  });
});
