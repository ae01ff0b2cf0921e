import { Code } from "@connectrpc/connect";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { cacheEncodings, clientAddressKey } from "connect-transcoding";
import { type AddressFailure, parseAddress } from "../../ip-address.js";
import { fail, ok, type Result } from "../../result.js";
import { inputError, singleAndBatch } from "../batch.js";
import { createTool, type Tool, type ToolState } from "../tool.js";
import { type GeoIpDatabases, type IpInfo, type LookupFailure, lookupIp } from "./lookup-ip.js";
import { keepRepeated } from "./repeat-cache.js";

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
    DATA_CORRUPTED: Code.Unavailable,
    DATA_UNAVAILABLE: Code.Unavailable,
  },
};

/** Creates the Geo IP tool. Responses are kept per databases, and garbage-collected with them. */
export function geoIpService({ databases: current, ...state }: GeoIpServiceDeps): Tool {
  const lookups = new WeakMap<GeoIpDatabases, (address: string) => Message>();

  function lookupWith(databases: GeoIpDatabases): (address: string) => Message {
    const known = lookups.get(databases);
    const lookUp = known ?? keepRepeated(respond);
    if (known === undefined) {
      lookups.set(databases, lookUp);
    }
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
    run: (address) => lookup(address, current()),
  });

  return createTool(
    GeoIpService,
    {
      lookupIp({ ipAddress }) {
        const databases = current();
        return databases === undefined ? single(ipAddress) : lookupWith(databases)(ipAddress);
      },

      lookupSelf(_request, { values }) {
        // The system adds the interface to a link-local address: fe80::1%eth0.
        const [address = ""] = values.get(clientAddressKey).split("%");
        return single(address);
      },

      batchLookupIps({ ipAddresses }, context) {
        if (current() === undefined) {
          throw inputError(UNAVAILABLE.failure, ERRORS);
        }
        return batch(ipAddresses, context);
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
