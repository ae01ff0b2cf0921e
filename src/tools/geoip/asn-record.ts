import { type FieldPath, readField } from "./record-field.js";

/** What an ASN database knows of a network; what it does not know is undefined. */
export interface AsnRecord {
  /** The number of the autonomous system, from 1 to 2^32-1. */
  readonly number: number;
  /** Its name. */
  readonly name: string | undefined;
}

/** MaxMind's shape, flat and inside an Enterprise record, then those of IPinfo's databases. */
const NUMBER: readonly FieldPath[] = [
  ["autonomous_system_number"],
  ["traits", "autonomous_system_number"],
  ["asn"],
];
const NAME: readonly FieldPath[] = [
  ["autonomous_system_organization"],
  ["traits", "autonomous_system_organization"],
  ["as_name"],
  ["name"],
];

const MAX_ASN = 0xffff_ffff;

/**
 * Reads a record of an ASN database, in MaxMind's shape (https://dev.maxmind.com/geoip/docs/databases/asn) or
 * with `asn` and `as_name` or `name`. A field that is not there or makes no sense reads as not known; a record
 * without a number reads as undefined.
 */
export function readAsnRecord(record: unknown): AsnRecord | undefined {
  const number = readField(record, NUMBER, readAsn);
  return number === undefined ? undefined : { number, name: readField(record, NAME, readName) };
}

/** A number, also as text: `15169` or `AS15169`. AS 0 means that there is none (RFC 7607). */
function readAsn(value: unknown): number | undefined {
  const digits = typeof value === "string" ? /^(?:AS)?(\d{1,10})$/i.exec(value)?.[1] : value;
  const number = typeof digits === "string" || typeof digits === "bigint" ? Number(digits) : digits;
  return typeof number === "number" && Number.isInteger(number) && number >= 1 && number <= MAX_ASN
    ? number
    : undefined;
}

function readName(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
