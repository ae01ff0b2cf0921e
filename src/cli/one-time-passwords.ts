import type { DescField } from "@bufbuild/protobuf";
import {
  OtpCodesSchema,
  OtpService,
  VerifyOtpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import type { Command } from "commander";
import { type MessageInit, placeOf, readField } from "connect-transcoding/codec";
import type { ToolCommand } from "./commands.js";

const { otpCodes, digits } = VerifyOtpResponseSchema.field;

/** Whether a command computes the codes of a secret. */
export function hasCodes({ method }: ToolCommand): boolean {
  return method === OtpService.method.verifyOtp;
}

/** The command `otp code`, which prints the current code alone. */
export function codeCommand(verify: ToolCommand): ToolCommand {
  return { ...verify, name: "otp code", value: [otpCodes, OtpCodesSchema.field.current] };
}

/** Adds the flag that makes a command check a code. */
export function addCodeFlag(command: Command): void {
  command.option(
    "--code <CODE>",
    "check this code, and print its time step. The exit status is 1 if the code is not valid",
  );
}

/** Whether a response agrees with what the user gave. */
export interface CheckResult {
  readonly isValid: boolean;
  /** For people. */
  readonly text: string;
  readonly json: string;
}

/** Compares the codes of a secret with one that a user gave. Spaces in it are ignored. */
export function checkCode(given: string, response: MessageInit): CheckResult {
  const code = given.replaceAll(" ", "");
  const length = Number(fieldValue(digits, response));
  if (!/^\d+$/.test(code) || code.length !== length) {
    const text = `--code must have ${length} digits; --digits is the length of codes`;
    return { isValid: false, text, json: JSON.stringify({ valid: false }) };
  }
  const codes = (fieldValue(otpCodes, response) ?? {}) as MessageInit;
  const step = OtpCodesSchema.fields.find((field) => fieldValue(field, codes) === code);
  return step === undefined
    ? {
        isValid: false,
        text: `the code is not valid in the time steps ${stepNames().join(", ")}`,
        json: JSON.stringify({ valid: false }),
      }
    : {
        isValid: true,
        text: `valid: time step ${step.jsonName}`,
        json: JSON.stringify({ valid: true, time_step: step.jsonName }),
      };
}

function stepNames(): string[] {
  return OtpCodesSchema.fields.map(({ jsonName }) => jsonName);
}

function fieldValue(field: DescField, message: MessageInit): unknown {
  return readField(placeOf(field), message);
}
