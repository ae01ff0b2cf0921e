import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { Random } from "../random.js";
import { anyHttp1Bytes, anyHttp2Bytes } from "./bytes-request.js";
import type { AnyRequest, ProtocolRequest } from "./request.js";
import type { RestOperation } from "./rest-request.js";
import { anyRestRequest } from "./rest-request.js";
import { anyCall } from "./rpc-request.js";

/** What can be requested. */
export interface Surface {
  readonly operations: readonly [RestOperation, ...RestOperation[]];
  readonly methods: readonly [DescMethod, ...DescMethod[]];
  /** The host and port of the service. */
  readonly host: string;
}

/** The protocols, repeated by their relative frequency. */
const PROTOCOLS = [
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

/** One request in this many is raw bytes on its own connection. */
const BYTES = 16;

/** Returns the methods of services. Throws an Error if there are none. */
export function methodsOf(services: readonly DescService[]): Surface["methods"] {
  const [first, ...others] = services.flatMap(({ methods }) => methods);
  if (first === undefined) {
    throw new Error("there are no methods");
  }
  return [first, ...others];
}

/** Returns a random request over a random protocol. */
export function anyRequest(random: Random, surface: Surface): AnyRequest {
  if (random.oneIn(BYTES)) {
    return random.oneIn(2)
      ? anyHttp1Bytes(random, () => framedRequest(random, surface, 1))
      : anyHttp2Bytes(random, () => framedRequest(random, surface, 2));
  }
  return framedRequest(random, surface, random.oneIn(2) ? 1 : 2);
}

function framedRequest(random: Random, { operations, methods, host }: Surface, http: 1 | 2): ProtocolRequest {
  const protocol = random.pick(PROTOCOLS);
  return protocol === "REST"
    ? anyRestRequest(random, operations, http, host)
    : // Clients cannot read trailers over HTTP/1.1, which gRPC needs, so such requests are rare.
      anyCall(random, methods, protocol, protocol === "gRPC" && !random.oneIn(20) ? 2 : http, host);
}
