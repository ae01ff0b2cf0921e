import { type Failure, fail, ok, type Result } from "../failures/result.js";

/** The largest number of an autonomous system. */
export const MAX_ASN = 0xffff_ffff;

/** Texts that are meant as the number of an autonomous system: `AS15169`, `asn:15169`. */
export const AS_NUMBER = /^ASN?[ :]*(\d{1,10})$/i;

/** Parses the number of an autonomous system, with or without `AS`, in any form of {@link AS_NUMBER}. */
export function parseAsn(text: string): Result<number, Failure<"REQUIRED" | "INVALID_ASN">> {
  if (text === "") {
    return fail("REQUIRED", "is required: the number of an autonomous system");
  }
  const digits = /^\d{1,10}$/.test(text) ? text : AS_NUMBER.exec(text)?.[1];
  const number = Number(digits);
  return number >= 1 && number <= MAX_ASN
    ? ok(number)
    : fail("INVALID_ASN", `must be 1 to ${MAX_ASN}, such as 15169 or AS15169`);
}
