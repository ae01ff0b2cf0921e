import { Code } from "@connectrpc/connect";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import {
  type BoundedCache,
  boundedCache,
  implement,
  invalidFields,
  KeptAnswer,
  missing,
  orThrow,
  RpcError,
  type RpcErrorInit,
  type ServiceImplementation,
} from "connect-transcoding";
import { parseAddress } from "../../ip-address.js";
import { ok, type Result } from "../../result.js";
import { answerEach } from "../batch.js";
import type { GeoIpDatabases } from "./geoip-databases.js";
import { type IpAnswer, lookupIp } from "./lookup-ip.js";

/** For how many addresses answers are kept: callers ask again and again for those of their own callers. */
const KEPT_ADDRESSES = 4096;

/** An answer that was given, and from the second time on with room for its encoded forms. */
interface Given {
  readonly message: Message;
  kept: KeptAnswer<Message> | undefined;
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
      const message = frozen(orThrow(answer(text, databases)));
      answers?.set(text, { message, kept: undefined });
      return message;
    },

    lookupSelf(_request, { callerAddress }) {
      // The system says through which interface a link-local caller came, which is no part of its address.
      const [address = ""] = callerAddress.split("%");
      return orThrow(answer(address, current()));
    },

    batchLookupIps({ ipAddresses }) {
      const databases = current();
      if (databases === undefined) {
        throw new RpcError(UNAVAILABLE);
      }
      return { results: answerEach("ip_addresses", ipAddresses, (address) => answer(address, databases)) };
    },
  });
}

/** There is no data to answer from; what is wrong with it is for the operator to know. */
const UNAVAILABLE: RpcErrorInit = {
  code: Code.Unavailable,
  reason: "DATA_UNAVAILABLE",
  message: "there is no usable geolocation data at the moment; the service answers as soon as there is",
};

/** The message for one address, or what its call fails with. */
function answer(ipAddress: string, databases: GeoIpDatabases | undefined): Result<Message, RpcErrorInit> {
  const address = parseAddress(ipAddress);
  if (!address.ok) {
    return { ok: false, failure: invalidFields([{ field: "ip_address", ...address.failure }]) };
  }
  if (databases === undefined) {
    return { ok: false, failure: UNAVAILABLE };
  }
  const found = lookupIp(address.value, databases);
  if (found.ok) {
    return ok(messageOf(found.value));
  }
  const { failure } = found;
  if (failure.reason === "RESERVED_ADDRESS") {
    const { range, block, reference } = failure;
    return { ok: false, failure: missing(failure, { range, block, reference }) };
  }
  return { ok: false, failure: missing(failure) };
}

function messageOf({ ip, location, asn, asnName, coords, subnet }: IpAnswer) {
  return { ip, metadata: { location, asn, asnName, coords, ip, subnet } };
}

type Message = ReturnType<typeof messageOf>;

/** The message, which may be kept, so that nobody may change it. */
function frozen(message: Message): Message {
  Object.freeze(message.metadata);
  return Object.freeze(message);
}
