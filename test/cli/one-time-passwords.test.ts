import { describe, expect, test } from "vitest";
import { checkCode } from "../../src/cli/one-time-passwords.js";

const RESPONSE = {
  digits: 6,
  otpCodes: { next: "282760", current: "996554", previous: "602287", secondPrevious: "143627" },
};

describe("a code", () => {
  test.each([
    ["282760", "+30s"],
    ["996554", "current"],
    ["996 554", "current"],
    ["602287", "-30s"],
    ["143627", "-60s"],
  ])("%s is valid in the time step %s", (code, step) => {
    expect(checkCode(code, RESPONSE)).toEqual({
      isValid: true,
      text: `valid: time step ${step}`,
      json: `{"valid":true,"time_step":"${step}"}`,
    });
  });

  test.each([
    ["123456", "the code is not valid in the time steps +30s, current, -30s, -60s"],
    ["99655", "--code must have 6 digits; --digits is the length of codes"],
    ["99655a", "--code must have 6 digits; --digits is the length of codes"],
    ["", "--code must have 6 digits; --digits is the length of codes"],
  ])("'%s' is not valid", (code, text) => {
    expect(checkCode(code, RESPONSE)).toEqual({ isValid: false, text, json: '{"valid":false}' });
  });
});
