import type { DescField } from "@bufbuild/protobuf";
import {
  HotpCodeSchema,
  OtpCodesSchema,
  OtpService,
  VerifyHotpResponseSchema,
  VerifyOtpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import type { Command } from "commander";
import { type MessageInit, placeOf, readField } from "connect-transcoding/codec";
import type { ToolCommand } from "./commands.js";

const { otpCodes, digits, period } = VerifyOtpResponseSchema.field;

/** Whether a command computes the codes of a secret around the current time. */
export function hasCodes({ method }: ToolCommand): boolean {
  return method === OtpService.method.verifyOtp;
}

/** Whether a command computes codes that can be checked: those of time steps, or of counters. */
export function checksCodes(command: ToolCommand): boolean {
  return hasCodes(command) || command.method === OtpService.method.verifyHotp;
}

/** The command `otp code`, which prints the current code alone. */
export function codeCommand(verify: ToolCommand): ToolCommand {
  return { ...verify, name: "otp code", value: [otpCodes, OtpCodesSchema.field.current] };
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

/** Returns what is wrong with the form of a code; undefined if it is digits, or letters of Steam, with or without spaces. */
export function codeProblem(given: string): string | undefined {
  return /^ *(\d[\d ]*|([\dA-Z] *){5})$/i.test(given)
    ? undefined
    : "--code must be a code of digits, or of Steam's five letters";
}

/** Compares the codes of a secret with one that a user gave. Spaces in it are ignored. */
export function checkCode({ method }: ToolCommand, given: string, response: MessageInit): CheckResult {
  const code = given.replaceAll(" ", "").toUpperCase();
  return method === OtpService.method.verifyHotp
    ? checkHotpCode(code, response)
    : checkTotpCode(code, response);
}

function checkTotpCode(code: string, response: MessageInit): CheckResult {
  const length = Number(fieldValue(digits, response));
  if (code.length !== length) {
    return wrongLength(length);
  }
  const codes = (fieldValue(otpCodes, response) ?? {}) as MessageInit;
  const names = stepNames(Number(fieldValue(period, response)));
  const index = OtpCodesSchema.fields.findIndex((field) => fieldValue(field, codes) === code);
  const step = names[index];
  return step === undefined
    ? notValid(`the code is not valid in the time steps ${names.join(", ")}`)
    : {
        isValid: true,
        text: `valid: time step ${step}`,
        json: JSON.stringify({ valid: true, time_step: step }),
      };
}

/** The time steps of a response in the order of its fields. Their names have the seconds of the period, unlike those of the fields. */
function stepNames(seconds: number): string[] {
  return [`+${seconds}s`, "current", `-${seconds}s`, `-${2 * seconds}s`];
}

function checkHotpCode(code: string, response: MessageInit): CheckResult {
  const fields = VerifyHotpResponseSchema.field;
  const length = Number(fieldValue(fields.digits, response));
  if (code.length !== length) {
    return wrongLength(length);
  }
  const codes = (fieldValue(fields.otpCodes, response) ?? []) as readonly MessageInit[];
  const found = codes.find((each) => fieldValue(HotpCodeSchema.field.code, each) === code);
  const counter = found && Number(fieldValue(HotpCodeSchema.field.counter, found));
  const first = Number(fieldValue(fields.counter, response));
  return counter === undefined
    ? notValid(`the code is not valid at the counters ${first} to ${first + codes.length - 1}`)
    : {
        isValid: true,
        text: `valid: counter ${counter}`,
        json: JSON.stringify({ valid: true, counter }),
      };
}

function wrongLength(length: number): CheckResult {
  return notValid(
    `--code must have ${length} ${length === 5 ? "letters" : "digits; --digits is the length of codes"}`,
  );
}

function notValid(text: string): CheckResult {
  return { isValid: false, text, json: JSON.stringify({ valid: false }) };
}

function fieldValue(field: DescField, message: MessageInit): unknown {
  return readField(placeOf(field), message);
}
