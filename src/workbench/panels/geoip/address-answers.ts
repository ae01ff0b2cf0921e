import type { ItemError } from "@utility-tools/protos/utilitytools/v1/item_error_pb.js";
import { pointOf } from "../../kit/answers/place-words.js";
import type { Answer, Value } from "../../list/work/answers.js";
import type { DotPoint } from "../../map/dots.js";
import type { CountryAmount } from "../countries/shades.js";

/** The parts of a result of `BatchLookupIps` in JSON that the list shows. Unknown values can be absent. */
export interface AddressResults {
  readonly results: readonly {
    readonly answer?: { readonly metadata: FoundAddress };
    readonly error?: Pick<ItemError, "reason" | "message">;
  }[];
}

/** What is known of an address, in JSON. */
export interface FoundAddress {
  readonly location?: { readonly country?: string; readonly eu?: boolean };
  readonly coords?: { readonly lat: number; readonly lon: number };
  readonly asn?: number;
  readonly asn_name?: string;
  readonly subnet?: string;
  readonly details?: {
    readonly country_name?: string;
    readonly region?: string;
    readonly city?: string;
    readonly postal_code?: string;
    readonly time_zone?: string;
  };
}

/** The values of an address by the names of their columns in downloads; undefined if unknown. */
const VALUES = {
  country: ({ location }) => location?.country,
  country_name: ({ details }) => details?.country_name,
  region: ({ details }) => details?.region,
  city: ({ details }) => details?.city,
  postal_code: ({ details }) => details?.postal_code,
  latitude: (found) => pointOf(found)?.lat,
  longitude: (found) => pointOf(found)?.lon,
  time_zone: ({ details }) => details?.time_zone,
  eu: ({ location }) => location?.eu,
  // 0 means unknown.
  asn: ({ asn }) => asn || undefined,
  asn_name: ({ asn_name }) => asn_name,
  subnet: ({ subnet }) => subnet,
} as const satisfies Readonly<Record<string, (found: FoundAddress) => Value | undefined>>;

/** The name of a column. */
export type AddressColumn = keyof typeof VALUES;

const READERS: readonly ((found: FoundAddress) => Value | undefined)[] = Object.values(VALUES);

/** The names of the columns, in the order of the values of an answer. */
export const ADDRESS_COLUMNS: readonly string[] = Object.keys(VALUES);

const COUNTRY = ADDRESS_COLUMNS.indexOf("country");
const LATITUDE = ADDRESS_COLUMNS.indexOf("latitude");
const LONGITUDE = ADDRESS_COLUMNS.indexOf("longitude");

/** Returns the answers of a batch in order. Their kinds are `found`, `reserved`, `unknown` (no data) and `invalid`. */
export function addressAnswers({ results }: AddressResults): Answer[] {
  return results.map(({ answer, error }) =>
    error === undefined
      ? {
          kind: "found",
          values: READERS.map((read) => (answer && read(answer.metadata)) ?? ""),
          error: "",
        }
      : { kind: KINDS[error.reason] ?? "invalid", values: [], error: error.message },
  );
}

const KINDS: Readonly<Record<string, string>> = {
  RESERVED_ADDRESS: "reserved",
  ADDRESS_NOT_FOUND: "unknown",
};

/** The countries and locations of a list. */
export interface ListMap {
  /** The countries with their numbers of rows, most frequent first. */
  readonly countries: readonly CountryAmount[];
  /** The locations with their numbers of rows. */
  readonly points: readonly DotPoint[];
}

/** How many markers a map has at most: those with the most rows. More take long to draw, and cover each other. */
const MAX_MARKERS = 2_000;

/** Returns the countries and the locations of answers. Of many answers, those within two degrees have one marker. */
export function mapOf(answers: readonly (Answer | undefined)[]): ListMap {
  const amounts = new Map<string, number>();
  const points = new Map<string, Required<DotPoint>>();
  const cell = answers.length > MAX_MARKERS ? 2 : 0.01;
  for (const answer of answers) {
    const country = answer?.values[COUNTRY];
    const [lat, lon] = [answer?.values[LATITUDE], answer?.values[LONGITUDE]];
    if (typeof country === "string" && country !== "") {
      amounts.set(country, (amounts.get(country) ?? 0) + 1);
    }
    if (typeof lat === "number" && typeof lon === "number") {
      const place = `${Math.round(lat / cell)},${Math.round(lon / cell)}`;
      const known = points.get(place) ?? { lat, lon, count: 0 };
      points.set(place, { ...known, count: known.count + 1 });
    }
  }
  return {
    countries: [...amounts]
      .map(([code, amount]) => ({ code, amount }))
      .sort((one, other) => other.amount - one.amount),
    points: [...points.values()].sort((one, other) => other.count - one.count).slice(0, MAX_MARKERS),
  };
}
