import type { DescField } from "@bufbuild/protobuf";
import { type OtpCodes, OtpCodesSchema } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";

const { current, next, previous, secondPrevious } = OtpCodesSchema.field;

/** The field whose code somebody has typed, with spaces wherever they like; undefined for none of them. */
export function matchCode(codes: OtpCodes, typed: string): DescField | undefined {
  const code = typed.replaceAll(/\s/g, "");
  const fields: readonly (readonly [DescField, string])[] = [
    [current, codes.current],
    [previous, codes.previous],
    [next, codes.next],
    [secondPrevious, codes.secondPrevious],
  ];
  return fields.find(([, each]) => each === code)?.[0];
}
