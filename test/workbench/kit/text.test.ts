import { CountrySummarySchema } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailRule, EmailRuleSchema } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { IpMetadataSchema, LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import {
  GenerateOtpResponseSchema,
  VerifyOtpRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { describe, expect, test } from "vitest";
import { drawsFlags, flagEmoji } from "../../../src/workbench/kit/answers/flags.js";
import { fieldLabel, sentenceOf, valueLabel } from "../../../src/workbench/kit/text.js";
import { loadCountries } from "../../data/load-countries.js";
import { messagesOf } from "../schema/describe-schema.js";

test.each([
  [LookupIpRequestSchema.field.ipAddress, "IP address"],
  [GenerateOtpResponseSchema.field.otpUrl, "OTP URL"],
  [GenerateOtpResponseSchema.field.qrcodeUrl, "QR code URL"],
  [VerifyOtpRequestSchema.field.secret, "Secret"],
  [CountrySummarySchema.field.code2, "Country code"],
  [IpMetadataSchema.field.coords, "Coordinates"],
])("the label of $0.name is %s", (field, label) => {
  expect(fieldLabel(field)).toBe(label);
});

test("labels have words in place of abbreviations", () => {
  const messages = messagesOf().filter(({ typeName }) => typeName.startsWith("utilitytools."));
  const labels = messages.flatMap(({ fields }) => fields.map(fieldLabel));
  expect(labels.length).toBeGreaterThan(100);
  const WORD = /^(API|AS|EU|IP(v[46])?|OTP|QR|URL|E-mail|3-letter|in|km|of|[-+]\d+s|[A-Z]?[a-z]{2,})$/;
  const ABBREVIATION = /^(asn|code\d|coords|lat|lon|num|otp|url)$/i;
  const strange = labels.filter((label) =>
    label
      .split(" ")
      .some((word) => !WORD.test(word) || (ABBREVIATION.test(word) && word !== word.toUpperCase())),
  );
  expect(
    [...new Set(strange)],
    "use words in src/text/labels.ts, or add a known abbreviation to WORD in this test",
  ).toEqual([]);
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

test.each([
  ["must have a domain", "Must have a domain."],
  ["there is no country XX", "There is no country XX."],
  ["is that right?", "Is that right?"],
  ["ip_address: must be an address", "ip_address: must be an address."],
  ["10.0.0.1 is reserved", "10.0.0.1 is reserved."],
  ["`data` is empty", "`data` is empty."],
  ["", ""],
])("sentenceOf(%j) is %j", (message, sentence) => {
  expect(sentenceOf(message)).toBe(sentence);
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
