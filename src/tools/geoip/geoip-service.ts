import { GeoIpService } from "../../../gen/utilitytools/v1/geoip_pb.js";
import { invalidArgument, notFound } from "../../rpc/rpc-error.js";
import { implement, type ServiceImplementation } from "../../rpc/service.js";
import type { GeoIpDatabases } from "./geoip-databases.js";
import { lookupIp } from "./lookup-ip.js";
import { parseAddress } from "./parse-address.js";

/** Answers utilitytools.v1.GeoIpService from the given databases. */
export function geoIpService({ databases }: { readonly databases: GeoIpDatabases }): ServiceImplementation {
  return implement(GeoIpService, {
    lookupIp({ ipAddress }) {
      const address = parseAddress(ipAddress);
      if (!address.ok) {
        throw invalidArgument([{ field: "ip_address", ...address.failure }]);
      }
      const answer = lookupIp(address.value, databases);
      if (!answer.ok) {
        const { failure } = answer;
        throw failure.reason === "RESERVED_ADDRESS"
          ? notFound(failure, { range: failure.range, block: failure.block })
          : notFound(failure);
      }
      const { ip, location, asn, asnName, coords, subnet } = answer.value;
      return { ip, metadata: { location, asn, asnName, coords, ip, subnet } };
    },
  });
}
