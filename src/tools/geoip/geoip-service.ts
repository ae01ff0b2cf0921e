import { Code } from "@connectrpc/connect";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { cacheEncodings, clientAddressKey } from "connect-transcoding";
import { type AddressFailure, parseAddress } from "../../ip-address.js";
import { fail, ok, type Result } from "../../result.js";
import { inputError, singleAndBatch } from "../batch.js";
import { createTool, type Tool, type ToolState } from "../tool.js";
import { type BoundedCache, boundedCache } from "./bounded-cache.js";
import { type GeoIpDatabases, type IpInfo, type LookupFailure, lookupIp } from "./lookup-ip.js";

/** The number of addresses whose responses are cached. */
const CACHED_ADDRESSES = 4096;

/** A cached response. Its encodings are cached from its second use on: most addresses occur once. */
interface CachedResponse {
  readonly message: Message;
  hasCachedEncodings: boolean;
}

/** The dependencies of {@link geoIpService}. */
export interface GeoIpServiceDeps extends ToolState {
  /** Returns the databases to use now; undefined while no usable ones are loaded. */
  readonly databases: () => GeoIpDatabases | undefined;
}

const UNAVAILABLE = fail(
  "DATA_UNAVAILABLE",
  "there is no usable geolocation data at the moment; the service answers as soon as there is",
);

const ERRORS = {
  field: "ip_address",
  codes: {
    ADDRESS_NOT_FOUND: Code.NotFound,
    RESERVED_ADDRESS: Code.NotFound,
    DATA_UNAVAILABLE: Code.Unavailable,
  },
};

/** Creates the Geo IP tool. Responses are cached per databases, and garbage-collected with them. */
export function geoIpService({ databases: current, ...state }: GeoIpServiceDeps): Tool {
  const caches = new WeakMap<GeoIpDatabases, BoundedCache<string, CachedResponse>>();

  function cacheOf(databases: GeoIpDatabases): BoundedCache<string, CachedResponse> {
    let cache = caches.get(databases);
    if (cache === undefined) {
      cache = boundedCache(CACHED_ADDRESSES);
      caches.set(databases, cache);
    }
    return cache;
  }

  const { single, batch } = singleAndBatch({
    ...ERRORS,
    batchField: "ip_addresses",
    run: (address) => lookup(address, current()),
  });

  return createTool(
    GeoIpService,
    {
      lookupIp({ ipAddress }) {
        const databases = current();
        const cache = databases && cacheOf(databases);
        const cached = cache?.get(ipAddress);
        if (cached !== undefined) {
          if (!cached.hasCachedEncodings) {
            cached.hasCachedEncodings = true;
            cacheEncodings(cached.message);
          }
          return cached.message;
        }
        // A copy, because a slice of the request would keep the whole request in memory.
        const address = Buffer.from(ipAddress).toString();
        const message = single(address);
        Object.freeze(message.metadata);
        Object.freeze(message);
        cache?.set(address, { message, hasCachedEncodings: false });
        return message;
      },

      lookupSelf(_request, { values }) {
        // The system adds the interface to a link-local address: fe80::1%eth0.
        const [address = ""] = values.get(clientAddressKey).split("%");
        return single(address);
      },

      batchLookupIps({ ipAddresses }) {
        if (current() === undefined) {
          throw inputError(UNAVAILABLE.failure, ERRORS);
        }
        return { results: batch(ipAddresses) };
      },
    },
    state,
  );
}

type Message = ReturnType<typeof messageOf>;

/** Returns the response for one address. */
function lookup(
  text: string,
  databases: GeoIpDatabases | undefined,
): Result<Message, AddressFailure | LookupFailure | (typeof UNAVAILABLE)["failure"]> {
  const address = parseAddress(text);
  if (!address.ok) {
    return address;
  }
  if (databases === undefined) {
    return UNAVAILABLE;
  }
  const found = lookupIp(address.value, databases);
  return found.ok ? ok(messageOf(found.value)) : found;
}

function messageOf({ ip, location, asn, asnName, coords, subnet }: IpInfo) {
  return { ip, metadata: { location, asn, asnName, coords, ip, subnet } };
}
