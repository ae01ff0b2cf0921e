import { GeoIpService } from "../../../gen/utilitytools/v1/geoip_pb.js";
import { KeptAnswer } from "../../rpc/kept-answer.js";
import { invalidArgument, notFound } from "../../rpc/rpc-error.js";
import { implement, type ServiceImplementation } from "../../rpc/service.js";
import { boundedCache } from "./bounded-cache.js";
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

/**
 * Answers utilitytools.v1.GeoIpService from the given databases, which must not change: what was answered for an address is
 * kept for a while.
 */
export function geoIpService({ databases }: { readonly databases: GeoIpDatabases }): ServiceImplementation {
  const answers = boundedCache<string, Given>(KEPT_ADDRESSES);

  function answer(ipAddress: string) {
    const address = parseAddress(ipAddress);
    if (!address.ok) {
      throw invalidArgument([{ field: "ip_address", ...address.failure }]);
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
      const given = answers.get(ipAddress);
      if (given !== undefined) {
        given.kept ??= new KeptAnswer(given.message);
        return given.kept;
      }
      // A text of its own, for one that was cut out of a request would keep all of that in memory.
      const text = Buffer.from(ipAddress).toString();
      const message = answer(text);
      answers.set(text, { message, kept: undefined });
      return message;
    },
  });
}

/** The message of an answer. It may be kept, so that nobody may change it. */
function messageOf({ ip, location, asn, asnName, coords, subnet }: IpAnswer) {
  return Object.freeze({ ip, metadata: Object.freeze({ location, asn, asnName, coords, ip, subnet }) });
}
