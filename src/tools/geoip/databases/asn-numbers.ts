import { MAX_ASN } from "../../../text/as-number.js";

/** Numbers that no autonomous system has. */
export interface ReservedAsns {
  readonly first: number;
  readonly last: number;
  /** What they are for. */
  readonly range: string;
  readonly reference: string;
}

/** https://www.iana.org/assignments/as-numbers and https://www.iana.org/assignments/iana-as-numbers-special-registry */
const RESERVED_ASNS: readonly ReservedAsns[] = [
  { first: 0, last: 0, range: "Reserved", reference: "RFC 7607" },
  { first: 23_456, last: 23_456, range: "AS_TRANS", reference: "RFC 6793" },
  { first: 64_496, last: 64_511, range: "Documentation", reference: "RFC 5398" },
  { first: 64_512, last: 65_534, range: "Private use", reference: "RFC 6996" },
  { first: 65_535, last: 65_535, range: "Reserved", reference: "RFC 7300" },
  { first: 65_536, last: 65_551, range: "Documentation", reference: "RFC 5398" },
  { first: 65_552, last: 131_071, range: "Reserved", reference: "IANA AS numbers" },
  { first: 4_200_000_000, last: 4_294_967_294, range: "Private use", reference: "RFC 6996" },
  { first: MAX_ASN, last: MAX_ASN, range: "Reserved", reference: "RFC 7300" },
];

/** Returns the range of a number that no autonomous system has; undefined for other numbers. */
export function findReservedAsn(number: number): ReservedAsns | undefined {
  return RESERVED_ASNS.find(({ first, last }) => number >= first && number <= last);
}

/** Reads a number in a record, also as text: `15169` or `AS15169`. */
export function readAsn(value: unknown): number | undefined {
  const digits = typeof value === "string" ? /^(?:AS)?(\d{1,10})$/i.exec(value)?.[1] : value;
  const number = typeof digits === "string" || typeof digits === "bigint" ? Number(digits) : digits;
  return typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= MAX_ASN
    ? number
    : undefined;
}
