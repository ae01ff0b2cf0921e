import { create } from "@bufbuild/protobuf";
import { OtpCodesSchema } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { expect, test } from "vitest";
import { matchCode } from "../../../../src/workbench/panels/otp/match-code.js";

const CODES = create(OtpCodesSchema, {
  next: "000001",
  current: "012345",
  previous: "555555",
  secondPrevious: "999999",
});

test.each([
  ["012345", "current"],
  ["012 345", "current"],
  [" 0 1 2 3 4 5\t", "current"],
  ["000001", "+30s"],
  ["555555", "-30s"],
  ["999999", "-60s"],
  ["12345", undefined],
  ["0123456", undefined],
  ["", undefined],
])("%j is %s", (typed, name) => {
  expect(matchCode(CODES, typed)?.jsonName).toBe(name);
});

test("of two that are the same, the one that is valid now counts", () => {
  expect(matchCode(create(OtpCodesSchema, { ...CODES, next: "012345" }), "012345")?.jsonName).toBe("current");
});
