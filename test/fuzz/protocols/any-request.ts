import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { Random } from "../random.js";
import { anyHttp1Octets, anyHttp2Octets } from "./bytes-request.js";
import type { AnyRequest, DoorRequest } from "./request.js";
import type { RestOperation } from "./rest-request.js";
import { anyRestRequest } from "./rest-request.js";
import { anyCall } from "./rpc-request.js";

/** What can be asked for. */
export interface Surface {
  readonly operations: readonly [RestOperation, ...RestOperation[]];
  readonly methods: readonly [DescMethod, ...DescMethod[]];
  /** The host and port of the service. */
  readonly host: string;
}

/** Doors, each as often as it is to be gone through. */
const DOORS = [
  "REST",
  "REST",
  "REST",
  "REST",
  "REST",
  "REST",
  "REST",
  "gRPC",
  "gRPC",
  "gRPC",
  "gRPC",
  "gRPC-Web",
  "gRPC-Web",
  "gRPC-Web",
  "Connect",
  "Connect",
  "Connect",
  "Connect",
  "Connect",
] as const;

/** One request in so many is octets on a connection of their own. */
const OCTETS = 16;

/** The methods of services. Throws an Error where there are none. */
export function methodsOf(services: readonly DescService[]): Surface["methods"] {
  const [first, ...others] = services.flatMap(({ methods }) => methods);
  if (first === undefined) {
    throw new Error("there are no methods");
  }
  return [first, ...others];
}

/** Some request over any of the doors. */
export function anyRequest(random: Random, surface: Surface): AnyRequest {
  if (random.oneIn(OCTETS)) {
    return random.oneIn(2)
      ? anyHttp1Octets(random, () => framedRequest(random, surface, 1))
      : anyHttp2Octets(random, () => framedRequest(random, surface, 2));
  }
  return framedRequest(random, surface, random.oneIn(2) ? 1 : 2);
}

function framedRequest(random: Random, { operations, methods, host }: Surface, http: 1 | 2): DoorRequest {
  const door = random.pick(DOORS);
  return door === "REST"
    ? anyRestRequest(random, operations, http, host)
    : // gRPC needs trailers, which HTTP/1.1 has none of that anybody reads: a few ask nevertheless.
      anyCall(random, methods, door, door === "gRPC" && !random.oneIn(20) ? 2 : http, host);
}
