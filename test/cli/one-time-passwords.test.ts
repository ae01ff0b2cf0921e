import assert from "node:assert";
import { SERVICES } from "@utility-tools/protos/services.js";
import { describe, expect, test } from "vitest";
import { deriveCommands, type ToolCommand } from "../../src/cli/commands.js";
import { checkCode, isCode } from "../../src/cli/one-time-passwords.js";

function commandNamed(name: string): ToolCommand {
  const command = deriveCommands([SERVICES.otp]).find((each) => each.name === name);
  assert(command !== undefined);
  return command;
}

const TOTP = commandNamed("otp verify");
const HOTP = commandNamed("hotp verify");

const RESPONSE = {
  digits: 6,
  period: 30,
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
    expect(checkCode(TOTP, code, RESPONSE)).toEqual({
      isValid: true,
      text: `valid: time step ${step}`,
      json: `{"valid":true,"time_step":"${step}"}`,
    });
  });

  test.each([
    ["123456", "the code is not valid in the time steps +30s, current, -30s, -60s"],
    ["99655", "--code must have 6 digits; --digits is the length of codes"],
  ])("'%s' is not valid", (code, text) => {
    expect(checkCode(TOTP, code, RESPONSE)).toEqual({ isValid: false, text, json: '{"valid":false}' });
  });

  test("has the seconds of another period", () => {
    const response = { ...RESPONSE, period: 45 };
    expect(checkCode(TOTP, "143627", response).text).toBe("valid: time step -90s");
    expect(checkCode(TOTP, "000000", response).text).toBe(
      "the code is not valid in the time steps +45s, current, -45s, -90s",
    );
  });

  test("is valid at a counter", () => {
    const codes = ["162583", "399871"];
    const response = {
      digits: 6,
      counter: 7,
      otpCodes: codes.map((code, index) => ({ counter: 7 + index, code })),
    };
    expect(checkCode(HOTP, "399 871", response)).toEqual({
      isValid: true,
      text: "valid: counter 8",
      json: '{"valid":true,"counter":8}',
    });
    expect(checkCode(HOTP, "000000", response)).toEqual({
      isValid: false,
      text: "the code is not valid at the counters 7 to 8",
      json: '{"valid":false}',
    });
    expect(checkCode(HOTP, "0", response).text).toMatch(/^--code must have 6 digits/);
  });

  test.each(["99655a", "", " ", "12-34", "１２３４５６", "123456\n"])("%j is no code", (given) => {
    expect(isCode(given)).toBe(false);
  });

  test.each(["123456", " 123 456 ", "1"])("%j is digits", (given) => {
    expect(isCode(given)).toBe(true);
  });
});
