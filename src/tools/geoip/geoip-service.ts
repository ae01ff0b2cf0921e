import { Code } from "@connectrpc/connect";
import { GeoIpService, LookupView } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { cacheEncodings, clientAddressKey, invalidArgument, runInTurns } from "connect-transcoding";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { once } from "../../once.js";
import { parseAsn } from "../../text/as-number.js";
import { type AddressFailure, type IpAddress, parseAddress } from "../../text/ip-address.js";
import { inputError, singleAndBatch } from "../batch.js";
import { parseLimit } from "../parse-limit.js";
import { createTool, type Tool, type ToolState } from "../tool.js";
import { type AsnSummary, summarizeAsn } from "./asn-summary.js";
import type { CountrySource } from "./databases/records.js";
import type { CountryOfPlace, PlaceDetails } from "./details/place-details.js";
import type { ZoneTime } from "./details/zone-times.js";
import {
  damagedData,
  type GeoIpDatabases,
  type IpInfo,
  type LookupFailure,
  lookupByFamily,
  lookupIp,
  type ReadersByFamily,
} from "./lookup-ip.js";
import { keepRepeated } from "./repeat-cache.js";

/** The dependencies of {@link geoIpService}. */
export interface GeoIpServiceDeps extends ToolState {
  /** Returns the databases to use now; undefined while no usable ones are loaded. */
  readonly databases: () => GeoIpDatabases | undefined;
  /** Returns the country data for the full view. Called once. */
  readonly countries: () => Promise<Result<readonly CountryOfPlace[], Failure>>;
  /** Returns milliseconds since the Unix epoch. */
  readonly now: () => number;
}

const UNAVAILABLE = fail("DATA_UNAVAILABLE", "geolocation data is currently unavailable; retry later");

const ERRORS = {
  field: "ip_address",
  codes: {
    ADDRESS_NOT_FOUND: Code.NotFound,
    ASN_NOT_FOUND: Code.NotFound,
    RESERVED_ASN: Code.NotFound,
    RESERVED_ADDRESS: Code.NotFound,
    DATA_CORRUPTED: Code.Unavailable,
    DATA_UNAVAILABLE: Code.Unavailable,
  },
};

/** The limit of networks of each family in the summary of an autonomous system. */
const MAX_NETWORKS = 1_000;

/** The number of cached details per file, about 400 bytes each. */
const CACHED_DETAILS = 8_192;

/** The Geo IP tool. */
export interface GeoIpTool extends Tool {
  /** Loads what the full view needs, which the first call with it does otherwise. */
  readonly prepareDetails: () => Promise<unknown>;
}

/** Creates the Geo IP tool. Responses and details are kept per databases, and garbage-collected with them. */
export function geoIpService({ databases: current, countries, now, ...state }: GeoIpServiceDeps): GeoIpTool {
  const basic = createLookups(current, messageOf);
  let full: Lookups | undefined;
  const openFull = once(async (): Promise<Lookups> => {
    const [loaded, { placeDetailsReader }, times] = await Promise.all([
      countries(),
      import("./details/place-details.js"),
      import("./details/zone-times.js"),
    ]);
    if (!loaded.ok) {
      throw inputError(fail("DATA_UNAVAILABLE", loaded.failure.description).failure, ERRORS);
    }
    const detailsOf = detailsReader(placeDetailsReader(loaded.value), times.zoneTimes(), now);
    full = createLookups(
      current,
      (found, address, databases) => {
        const { ip, location, asn, asnName, coords, subnet } = found;
        const details = detailsOf(address, location.country, databases);
        return details && { ip, metadata: { location, asn, asnName, coords, ip, subnet, details } };
      },
      () => times.zonePeriod(now()),
    );
    return full;
  });

  /** Calls `use` with the lookups of a view, at once if they are open. */
  function withView<T>(view: LookupView, use: (lookups: Lookups) => T | Promise<T>): T | Promise<T> {
    switch (view) {
      case LookupView.UNSPECIFIED:
      case LookupView.BASIC:
        return use(basic);
      case LookupView.FULL:
        return full ? use(full) : openFull().then(use);
      default: {
        const description = `must be basic or full, is number ${view}`;
        throw invalidArgument([{ field: "view", reason: "INVALID_VALUE", description }]);
      }
    }
  }

  const tool = createTool(
    GeoIpService,
    {
      lookupIp: ({ ipAddress, view }) => withView(view, ({ cached }) => cached(ipAddress)),

      lookupSelf({ view }, { values }) {
        // The system adds the interface to a link-local address: fe80::1%eth0.
        const [address = ""] = values.get(clientAddressKey).split("%");
        return withView(view, ({ single }) => single(address));
      },

      batchLookupIps({ ipAddresses, view }, context) {
        return withView(view, ({ batch }) => {
          if (current() === undefined) {
            throw inputError(UNAVAILABLE.failure, ERRORS);
          }
          return batch(ipAddresses, context);
        });
      },

      lookupAsn({ asn, limit }, context) {
        const [number, networks] = [parseAsn(asn), parseLimit(limit, MAX_NETWORKS)];
        if (!number.ok || !networks.ok) {
          throw invalidArgument([
            ...(number.ok ? [] : [{ field: "asn", ...number.failure }]),
            ...(networks.ok ? [] : [{ field: "limit", ...networks.failure }]),
          ]);
        }
        return runInTurns(context, () => lookupAsn(number.value, networks.value, current));
      },
    },
    state,
  );
  return { ...tool, prepareDetails: openFull };
}

/** Returns a function that returns the details of an address. */
function detailsReader(
  readDetails: (record: unknown) => PlaceDetails | undefined,
  zoneTimeOf: ReturnType<typeof import("./details/zone-times.js").zoneTimes>,
  now: () => number,
) {
  const detailReaders = new WeakMap<GeoIpDatabases, ReadersByFamily<PlaceDetails>>();
  return (address: IpAddress, country: string, databases: GeoIpDatabases): Details | undefined => {
    let readers = detailReaders.get(databases);
    if (readers === undefined) {
      const { 4: ipv4, 6: ipv6 } = databases.city;
      const four = ipv4?.withRecords(readDetails, CACHED_DETAILS);
      readers = { 4: four, 6: ipv6 === ipv4 ? four : ipv6?.withRecords(readDetails, CACHED_DETAILS) };
      detailReaders.set(databases, readers);
    }
    const { record: details, damage } = lookupByFamily(readers, address);
    const sources = databases.countrySources?.lookup(address);
    if (damage !== undefined || sources?.damage !== undefined) {
      return undefined;
    }
    const others = sources?.record;
    return {
      ...details,
      callingCodes: details?.callingCodes ?? [],
      ...(details?.timeZone && zoneTimeOf(details.timeZone, now())),
      ...(others && { countrySources: [{ source: "DB-IP", country }, ...others] }),
    };
  };
}

/** The response for one address. */
interface Message {
  readonly ip: string;
  readonly metadata: Omit<IpInfo, "ip"> & { readonly ip: string; readonly details?: Details };
}

/** The details of a location, and its time. */
type Details = Partial<
  Omit<PlaceDetails, "callingCodes"> &
    ZoneTime & { readonly callingCodes: string[]; readonly countrySources: CountrySource[] }
>;

/** Creates the response from the result of a lookup. Returns undefined if data that it adds is damaged. */
type CreateMessage = (found: IpInfo, address: IpAddress, databases: GeoIpDatabases) => Message | undefined;

/**
 * The lookups of one view. `cached` is `single`, and keeps the response for an address that occurs again, as long as `period`
 * returns the same number.
 */
type Lookups = ReturnType<typeof createLookups>;

function createLookups(
  current: () => GeoIpDatabases | undefined,
  createMessage: CreateMessage,
  period: () => number = () => 0,
) {
  const lookups = new WeakMap<GeoIpDatabases, KeptLookup>();

  function lookupWith(databases: GeoIpDatabases): KeptLookup["lookUp"] {
    const known = lookups.get(databases);
    const start = period();
    if (known?.start === start) {
      return known.lookUp;
    }
    const lookUp = keepRepeated(respond);
    lookups.set(databases, { start, lookUp });
    return lookUp;
  }

  function respond(address: string, isKept: boolean): Message {
    const message = single(address);
    if (isKept) {
      Object.freeze(message.metadata);
      Object.freeze(cacheEncodings(message));
    }
    return message;
  }

  const { single, batch } = singleAndBatch({
    ...ERRORS,
    batchField: "ip_addresses",
    run: (address) => lookup(address, current(), createMessage),
  });

  function cached(address: string): Message {
    const databases = current();
    return databases === undefined ? single(address) : lookupWith(databases)(address);
  }

  return { single, batch, cached };
}

/** A lookup that keeps its responses, and the period in which it does. */
interface KeptLookup {
  readonly start: number;
  readonly lookUp: (address: string) => Message;
}

/** Returns the response for one address. */
function lookup(
  text: string,
  databases: GeoIpDatabases | undefined,
  createMessage: CreateMessage,
): Result<Message, AddressFailure | LookupFailure | (typeof UNAVAILABLE)["failure"]> {
  const address = parseAddress(text);
  if (!address.ok) {
    return address;
  }
  if (databases === undefined) {
    return UNAVAILABLE;
  }
  const found = lookupIp(address.value, databases);
  if (!found.ok) {
    return found;
  }
  const message = createMessage(found.value, address.value, databases);
  return message ? ok(message) : damagedData(address.value);
}

/** Summarizes an autonomous system, and starts again if the databases are replaced: those before can be overwritten. */
function* lookupAsn(
  number: number,
  limit: number,
  current: () => GeoIpDatabases | undefined,
): Generator<void, AsnSummary> {
  for (;;) {
    const databases = current();
    if (databases === undefined) {
      throw inputError(UNAVAILABLE.failure, ERRORS);
    }
    const steps = summarizeAsn(number, databases, limit);
    while (current() === databases) {
      const step = steps.next();
      if (step.done === true) {
        if (!step.value.ok) {
          throw inputError(step.value.failure, ERRORS);
        }
        return step.value.value;
      }
      yield;
    }
  }
}

function messageOf({ ip, location, asn, asnName, coords, subnet }: IpInfo) {
  return { ip, metadata: { location, asn, asnName, coords, ip, subnet } };
}
