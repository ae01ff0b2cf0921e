import { Code } from "@connectrpc/connect";
import { GeoIpService } from "../../../gen/utilitytools/v1/geoip_pb.js";
import { KeptAnswer } from "../../rpc/kept-answer.js";
import { invalidArgument, notFound, RpcError } from "../../rpc/rpc-error.js";
import { implement, type ServiceImplementation } from "../../rpc/service.js";
import { type BoundedCache, boundedCache } from "./bounded-cache.js";
import type { GeoIpDatabases } from "./geoip-databases.js";
import { type IpAnswer, lookupIp } from "./lookup-ip.js";
import { parseAddress } from "./parse-address.js";

/** For how many addresses answers are kept: callers ask again and again for those of their own callers. */
const KEPT_ADDRESSES = 4096;

/** An answer that was given, and from the second time on with room for its encoded forms. */
interface Given {
  readonly message: ReturnType<typeof messageOf>;
  kept: KeptAnswer<ReturnType<typeof messageOf>> | undefined;
}

/** What the Geo IP service needs from the outside. */
export interface GeoIpServiceDeps {
  /** What to look addresses up in from now on; undefined as long as there is nothing. */
  readonly databases: () => GeoIpDatabases | undefined;
}

/**
 * Answers utilitytools.v1.GeoIpService from the databases of the moment. What was answered for an address is kept for a
 * while, with the databases that it came from: other databases begin with nothing, and those that are gone are let go.
 */
export function geoIpService({ databases: current }: GeoIpServiceDeps): ServiceImplementation {
  const answersFrom = new WeakMap<GeoIpDatabases, BoundedCache<string, Given>>();

  function answersOf(databases: GeoIpDatabases): BoundedCache<string, Given> {
    const known = answersFrom.get(databases);
    if (known !== undefined) {
      return known;
    }
    const answers = boundedCache<string, Given>(KEPT_ADDRESSES);
    answersFrom.set(databases, answers);
    return answers;
  }

  function answer(ipAddress: string, databases: GeoIpDatabases | undefined) {
    const address = parseAddress(ipAddress);
    if (!address.ok) {
      throw invalidArgument([{ field: "ip_address", ...address.failure }]);
    }
    if (databases === undefined) {
      throw unavailable();
    }
    const found = lookupIp(address.value, databases);
    if (!found.ok) {
      const { failure } = found;
      throw failure.reason === "RESERVED_ADDRESS"
        ? notFound(failure, { range: failure.range, block: failure.block })
        : notFound(failure);
    }
    return messageOf(found.value);
  }

  return implement(GeoIpService, {
    lookupIp({ ipAddress }) {
      const databases = current();
      const answers = databases && answersOf(databases);
      const given = answers?.get(ipAddress);
      if (given !== undefined) {
        given.kept ??= new KeptAnswer(given.message);
        return given.kept;
      }
      // A text of its own, for one that was cut out of a request would keep all of that in memory.
      const text = Buffer.from(ipAddress).toString();
      const message = answer(text, databases);
      answers?.set(text, { message, kept: undefined });
      return message;
    },
  });
}

/** There is no data to answer from; what is wrong with it is for the operator to know. */
function unavailable(): RpcError {
  return new RpcError({
    code: Code.Unavailable,
    reason: "DATA_UNAVAILABLE",
    message: "there is no usable geolocation data at the moment; the service answers as soon as there is",
  });
}

/** The message of an answer. It may be kept, so that nobody may change it. */
function messageOf({ ip, location, asn, asnName, coords, subnet }: IpAnswer) {
  return Object.freeze({ ip, metadata: Object.freeze({ location, asn, asnName, coords, ip, subnet }) });
}
