import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { addressAfter, type IpAddress, networkOf } from "../../text/ip-address.js";
import { findReservedAsn } from "./databases/asn-numbers.js";
import { DamagedData } from "./databases/block-source.js";
import type { GeoIpDatabases } from "./lookup-ip.js";
import { segmentsOf } from "./segments.js";

/** What the databases have about an autonomous system. */
export interface AsnSummary {
  readonly asn: number;
  /** Its name; empty if unknown. */
  readonly asnName: string;
  readonly ipv4Networks: number;
  readonly ipv4Addresses: number;
  readonly ipv6Networks: number;
  /** The countries of its addresses: those with the most IPv4 addresses first, then those with the most networks. */
  readonly countries: AsnCountry[];
  /** The largest networks of each family in CIDR notation. Among equal ones, that with the lowest address is first. */
  readonly largestIpv4: string[];
  readonly largestIpv6: string[];
}

/** What a system has in a country. */
interface AsnCountry {
  /** ISO 3166-1 alpha-2 code, or `XK`; empty if unknown. */
  readonly country: string;
  /** The networks whose first address is in the country. */
  readonly networks: number;
  readonly ipv4Addresses: number;
}

/** Why there is no summary. `RESERVED_ASN` has metadata: `range` and `reference`. */
export type AsnFailure = Failure<"RESERVED_ASN" | "ASN_NOT_FOUND" | "DATA_CORRUPTED">;

/** The segments between two looks at the clock, which take less than a millisecond. */
const SEGMENTS_PER_STEP = 128;

/**
 * Summarizes the networks of an autonomous system in steps, which read the whole ASN database: an index would take memory and time at startup. Addresses for which
 * lookups have no data do not count. The databases must not be replaced between steps.
 */
export function* summarizeAsn(
  number: number,
  databases: GeoIpDatabases,
  limit: number,
): Generator<void, Result<AsnSummary, AsnFailure>> {
  const reserved = findReservedAsn(number);
  if (reserved !== undefined) {
    const { range, reference } = reserved;
    const description = `AS${number} is not the number of a network: ${range} (${reference})`;
    return fail("RESERVED_ASN", description, { range, reference });
  }
  const countries = new Map<string, AsnCountry>();
  const [ipv4, ipv6] = [familyOf(limit), familyOf(limit)];
  let asnName = "";
  try {
    for (const family of [4, 6] as const) {
      for (const network of networksOf(number, databases.asn[family], family)) {
        if (network === undefined) {
          yield;
          continue;
        }
        const isCounted = yield* addCountries(network, databases, countries);
        if (isCounted) {
          asnName ||= network.name;
          (family === 4 ? ipv4 : ipv6).add(network);
        }
      }
    }
  } catch (error) {
    if (error instanceof DamagedData) {
      return fail("DATA_CORRUPTED", "the geolocation data of autonomous systems is damaged");
    }
    throw error;
  }
  if (countries.size === 0) {
    return fail("ASN_NOT_FOUND", `no networks of AS${number}`);
  }
  const sorted = [...countries.values()].sort(byCountry);
  return ok({
    asn: number,
    asnName,
    ipv4Networks: ipv4.count(),
    ipv4Addresses: sorted.reduce((sum, country) => sum + country.ipv4Addresses, 0),
    ipv6Networks: ipv6.count(),
    countries: sorted,
    largestIpv4: ipv4.largest(),
    largestIpv6: ipv6.largest(),
  });
}

function byCountry(one: AsnCountry, other: AsnCountry): number {
  return (
    other.ipv4Addresses - one.ipv4Addresses ||
    other.networks - one.networks ||
    (one.country < other.country ? -1 : 1)
  );
}

/** A network of a system. */
interface Network {
  readonly first: IpAddress;
  readonly prefixLength: number;
  readonly name: string;
}

/** Returns the networks of a system in the order of addresses, and undefined after each step. Two halves of a network are one. */
function* networksOf(
  number: number,
  reader: GeoIpDatabases["asn"][4],
  family: 4 | 6,
): Generator<Network | undefined> {
  /** Networks without gaps between them, of which the last ones may be a half. */
  let open: Network[] = [];
  for (const addresses of reader?.networksWith(number, family) ?? []) {
    for (const first of addresses) {
      const { record, prefixLength, damage } = reader?.lookup(first) ?? {};
      if (damage !== undefined) {
        throw new DamagedData(damage);
      }
      if (record?.number !== number || prefixLength === undefined || first.family !== family) {
        continue;
      }
      const last = open.at(-1);
      if (last !== undefined && addressAfter(last.first, last.prefixLength)?.text !== first.text) {
        yield* open;
        open = [];
      }
      open.push({ first, prefixLength, name: record.name ?? "" });
      joinHalves(open);
    }
    yield undefined;
  }
  yield* open;
}

function joinHalves(networks: Network[]): void {
  for (;;) {
    const [one, other] = networks.slice(-2);
    if (one === undefined || other === undefined || one.prefixLength !== other.prefixLength) {
      return;
    }
    const prefixLength = one.prefixLength - 1;
    if (networkOf(one.first, prefixLength) !== networkOf(other.first, prefixLength)) {
      return;
    }
    networks.splice(-2, 2, { ...one, prefixLength });
  }
}

/**
 * Adds a network to the countries of its addresses. Returns false if lookups have no data for any. An IPv6 network can have a million
 * locations, so only the first one counts.
 */
function* addCountries(
  { first, prefixLength: length }: Network,
  databases: GeoIpDatabases,
  countries: Map<string, AsnCountry>,
): Generator<void, boolean> {
  let isCounted = false;
  let count = 0;
  for (const { isReserved, place, prefixLength } of segmentsOf(databases, first, length)) {
    if (!isReserved) {
      const country = place?.location.country ?? "";
      const { networks, ipv4Addresses } = countries.get(country) ?? { networks: 0, ipv4Addresses: 0 };
      countries.set(country, {
        country,
        networks: isCounted ? networks : networks + 1,
        ipv4Addresses: ipv4Addresses + (first.family === 4 ? 2 ** (32 - prefixLength) : 0),
      });
      isCounted = true;
      if (first.family === 6) {
        break;
      }
    }
    count++;
    if (count % SEGMENTS_PER_STEP === 0) {
      yield;
    }
  }
  return isCounted;
}

/** Counts networks of one family, and keeps the largest ones. */
function familyOf(limit: number) {
  let kept: Network[] = [];
  let count = 0;
  const sorted = () => kept.sort((one, other) => one.prefixLength - other.prefixLength).slice(0, limit);
  return {
    add(network: Network): void {
      count++;
      kept.push(network);
      if (kept.length > 2 * limit) {
        kept = sorted();
      }
    },
    count: () => count,
    largest: () => sorted().map(({ first, prefixLength }) => networkOf(first, prefixLength)),
  };
}
