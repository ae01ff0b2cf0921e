import { type Failure, fail, ok, type Result } from "../../result.js";
import { readAsnRecord } from "./asn-record.js";
import { readCityRecord } from "./city-record.js";
import { isInEuropeanUnion } from "./eu-territories.js";
import { type GeoIpDatabases, lookupByFamily } from "./geoip-databases.js";
import { type IpAddress, networkOf } from "./ip-address.js";
import { findSpecialPurpose } from "./special-purpose.js";

/** What is known of an address; what is not known is empty, false or zero. */
export interface IpAnswer {
  /** The address, in canonical form. */
  readonly ip: string;
  /** ISO 3166-1 alpha-2 code, or `XK`. */
  readonly country: string;
  /** Whether the country is in the European Union. */
  readonly eu: boolean;
  /** The number of the autonomous system. */
  readonly asn: number;
  /** Its name. */
  readonly asnName: string;
  /** Degrees, north positive, with at most four decimals. */
  readonly latitude: number;
  /** Degrees, east positive, with at most four decimals. */
  readonly longitude: number;
  /** The widest network around the address for all of which this answer holds, in CIDR notation. */
  readonly subnet: string;
}

/** The address is in a block that is not for hosts on the public Internet. */
interface ReservedAddressFailure extends Failure<"RESERVED_ADDRESS"> {
  /** The name of the block in the IANA registry. */
  readonly range: string;
  /** The block, in CIDR notation. */
  readonly block: string;
}

/** Why there is no answer. */
export type LookupFailure = ReservedAddressFailure | Failure<"ADDRESS_NOT_FOUND">;

/**
 * Looks an address up. Special-purpose addresses are refused before any database is asked, for the databases
 * do have records for some of them. One of location and autonomous system is enough for an answer.
 *
 * The subnet's prefix is the longest of three: those for all of which the city database, the ASN database and
 * the table of special-purpose blocks give the same answer. "Nothing here" is an answer too.
 */
export function lookupIp(address: IpAddress, databases: GeoIpDatabases): Result<IpAnswer, LookupFailure> {
  const { block, prefixLength } = findSpecialPurpose(address);
  if (block !== undefined) {
    const description = `${address.text} is a special-purpose address: ${block.name} (${block.block}, ${block.reference}).`;
    return {
      ok: false,
      failure: { reason: "RESERVED_ADDRESS", description, range: block.name, block: block.block },
    };
  }
  const cityAnswer = lookupByFamily(databases.city, address);
  const asnAnswer = lookupByFamily(databases.asn, address);
  const city = readCityRecord(cityAnswer.record);
  const asn = readAsnRecord(asnAnswer.record);
  if (city === undefined && asn === undefined) {
    return fail("ADDRESS_NOT_FOUND", `Nothing is known of ${address.text}.`);
  }
  const country = city?.country ?? "";
  return ok({
    ip: address.text,
    country,
    eu: city?.isInEuropeanUnion ?? isInEuropeanUnion(country),
    asn: asn?.number ?? 0,
    asnName: asn?.name ?? "",
    latitude: fourDecimals(city?.latitude ?? 0),
    longitude: fourDecimals(city?.longitude ?? 0),
    subnet: networkOf(address, Math.max(cityAnswer.prefixLength, asnAnswer.prefixLength, prefixLength)),
  });
}

/** About 11 m at most; sources of 32-bit floats give digits that mean nothing behind these. Never -0. */
function fourDecimals(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000 + 0;
}
