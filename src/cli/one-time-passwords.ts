import type { VerifyHotpResponse, VerifyOtpResponse } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import type { Command } from "commander";
import { type MessageInit, resolveFieldPath } from "connect-transcoding/codec";
import { methodName } from "connect-transcoding/rules";
import type { ToolCommand } from "./commands.js";

/** Whether a command computes the codes of a secret around the current time. */
export function hasCodes({ method }: ToolCommand): boolean {
  return methodName(method) === "utilitytools.v1.OtpService.VerifyOtp";
}

/** Whether a command computes codes that can be checked: those of time steps, or of counters. */
export function checksCodes(command: ToolCommand): boolean {
  return hasCodes(command) || isHotp(command);
}

function isHotp({ method }: ToolCommand): boolean {
  return methodName(method) === "utilitytools.v1.OtpService.VerifyHotp";
}

/** The command `otp code`, which prints the current code alone. */
export function codeCommand(verify: ToolCommand): ToolCommand {
  const value = resolveFieldPath(verify.method.output, "otp_codes.current");
  return { ...verify, name: "otp code", ...(value && { value }) };
}

/** Adds the flag that makes a command check a code. */
export function addCodeFlag(command: Command): void {
  command.option(
    "--code <CODE>",
    "check this code, and print its time step or counter. The exit status is 1 if the code is not valid",
  );
}

/** Whether a response agrees with what the user gave. */
export interface CheckResult {
  readonly isValid: boolean;
  /** For people. */
  readonly text: string;
  readonly json: string;
}

/** Whether a text has the form of a code: digits, or letters of Steam, with or without spaces. */
export function isCode(given: string): boolean {
  return /^ *(\d[\d ]*|([\dA-Z] *){5})$/i.test(given);
}

/** Compares the codes of a secret with one that a user gave. Spaces in it are ignored. */
export function checkCode(command: ToolCommand, given: string, response: MessageInit): CheckResult {
  const code = given.replaceAll(" ", "").toUpperCase();
  const hasCounters = isHotp(command);
  const { digits: length = 0 } = response as Partial<VerifyOtpResponse>;
  const codes = hasCounters ? codesOfCounters(response) : codesOfSteps(response);
  const names = codes.map(([name]) => name);
  const name = names.find((_, index) => codes[index]?.[1] === code);
  if (code.length === length && name !== undefined) {
    return {
      isValid: true,
      text: `valid: ${hasCounters ? "counter" : "time step"} ${name}`,
      json: JSON.stringify({ valid: true, [hasCounters ? "counter" : "time_step"]: name }),
    };
  }
  const place = hasCounters
    ? `at the counters ${names[0]} to ${names.at(-1)}`
    : `in the time steps ${names.join(", ")}`;
  const text =
    code.length === length
      ? `the code is not valid ${place}`
      : `--code must have ${length} ${length === 5 ? "letters" : "digits; --digits is the length of codes"}`;
  return { isValid: false, text, json: JSON.stringify({ valid: false }) };
}

/** The codes of a response by time steps. The names have the seconds of the period, unlike those of the fields. */
function codesOfSteps(response: MessageInit): (readonly [string, string | undefined])[] {
  const { otpCodes, period = 0 } = response as Partial<VerifyOtpResponse>;
  return [
    [`+${period}s`, otpCodes?.next],
    ["current", otpCodes?.current],
    [`-${period}s`, otpCodes?.previous],
    [`-${2 * period}s`, otpCodes?.secondPrevious],
  ];
}

function codesOfCounters(response: MessageInit): (readonly [number, string])[] {
  const { otpCodes = [] } = response as Partial<VerifyHotpResponse>;
  return otpCodes.map(({ counter, code }) => [counter, code]);
}
