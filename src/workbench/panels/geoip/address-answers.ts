import type {
  BatchLookupIpsResponse,
  IpLookup,
  IpMetadata,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { Answer, Value } from "../../list/answers.js";
import type { GeoPoint } from "../../map/projection.js";
import { pointOf } from "./addresses.js";

/** The values of an address by the names of their columns in downloads; undefined if unknown. */
const VALUES = {
  country: ({ location }) => location?.country,
  country_name: ({ details }) => details?.countryName,
  region: ({ details }) => details?.region,
  city: ({ details }) => details?.city,
  postal_code: ({ details }) => details?.postalCode,
  latitude: (found) => pointOf(found)?.lat,
  longitude: (found) => pointOf(found)?.lon,
  time_zone: ({ details }) => details?.timeZone,
  eu: ({ location }) => location?.eu,
  // 0 means unknown.
  asn: ({ asn }) => asn || undefined,
  asn_name: ({ asnName }) => asnName,
  subnet: ({ subnet }) => subnet,
} as const satisfies Readonly<Record<string, (found: IpMetadata) => Value | undefined>>;

/** The name of a column. */
export type AddressColumn = keyof typeof VALUES;

const READERS: readonly ((found: IpMetadata) => Value | undefined)[] = Object.values(VALUES);

/** The names of the columns, in the order of the values of an answer. */
export const ADDRESS_COLUMNS: readonly string[] = Object.keys(VALUES);

const COUNTRY = ADDRESS_COLUMNS.indexOf("country");
const LATITUDE = ADDRESS_COLUMNS.indexOf("latitude");
const LONGITUDE = ADDRESS_COLUMNS.indexOf("longitude");

/** Returns the answers of a batch in order. Their kinds are `found`, `reserved`, `unknown` (no data) and `invalid`. */
export function addressAnswers({ results }: BatchLookupIpsResponse): Answer[] {
  return results.map(answerOf);
}

function answerOf({ outcome }: IpLookup): Answer {
  if (outcome.case === "error") {
    const { reason, message } = outcome.value;
    return { kind: KINDS[reason] ?? "invalid", values: [], error: message };
  }
  const found = outcome.value?.metadata;
  const values = READERS.map((read) => (found && read(found)) ?? "");
  return { kind: "found", values, error: "" };
}

const KINDS: Readonly<Record<string, string>> = {
  RESERVED_ADDRESS: "reserved",
  ADDRESS_NOT_FOUND: "unknown",
};

/** How many markers a map has at most. More take long to draw, and cover each other. */
const MAX_MARKERS = 2_000;

/**
 * Returns the countries of answers with their numbers of addresses, most frequent first, and the locations: each once, rounded
 * to a degree if there are many.
 */
export function mapOf(answers: readonly (Answer | undefined)[]) {
  const counts = new Map<string, number>();
  const points = new Map<string, GeoPoint>();
  const decimals = answers.length > MAX_MARKERS ? 0 : 2;
  for (const answer of answers) {
    const country = answer?.values[COUNTRY];
    const [lat, lon] = [answer?.values[LATITUDE], answer?.values[LONGITUDE]];
    if (typeof country === "string" && country !== "") {
      counts.set(country, (counts.get(country) ?? 0) + 1);
    }
    if (typeof lat === "number" && typeof lon === "number" && points.size < MAX_MARKERS) {
      points.set(`${lat.toFixed(decimals)},${lon.toFixed(decimals)}`, { lat, lon });
    }
  }
  return {
    counts: [...counts].sort(([, one], [, other]) => other - one),
    points: [...points.values()],
  };
}
