import { type IpAddress, networkOf } from "../../ip-address.js";
import { type Failure, fail, ok, type Result } from "../../result.js";
import { type GeoIpDatabases, lookupByFamily } from "./geoip-databases.js";
import { type Location, NOWHERE } from "./location.js";
import { findSpecialPurpose } from "./special-purpose.js";

/** What is known of an address; what is not known is empty, false or zero. */
export interface IpAnswer extends Location {
  /** The address, in canonical form. */
  readonly ip: string;
  /** The number of the autonomous system. */
  readonly asn: number;
  /** Its name. */
  readonly asnName: string;
  /** The widest network around the address for all of which this answer holds, in CIDR notation. */
  readonly subnet: string;
}

/** Why there is no response; the metadata of `RESERVED_ADDRESS` are the `range`, the `block` and the `reference`. */
export type LookupFailure = Failure<"RESERVED_ADDRESS" | "ADDRESS_NOT_FOUND">;

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
    const { name: range, block: cidr, reference } = block;
    return fail(
      "RESERVED_ADDRESS",
      `${address.text} is a special-purpose address: ${range} (${cidr}, ${reference}).`,
      { range, block: cidr, reference },
    );
  }
  const { record: place, prefixLength: cityLength } = lookupByFamily(databases.city, address);
  const { record: asn, prefixLength: asnLength } = lookupByFamily(databases.asn, address);
  if (place === undefined && asn === undefined) {
    return fail("ADDRESS_NOT_FOUND", `Nothing is known of ${address.text}.`);
  }
  const { location, coords } = place ?? NOWHERE;
  return ok({
    ip: address.text,
    location,
    asn: asn?.number ?? 0,
    asnName: asn?.name ?? "",
    coords,
    subnet: networkOf(address, Math.max(cityLength, asnLength, prefixLength)),
  });
}
