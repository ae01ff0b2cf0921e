import type {
  BinaryReadOptions,
  BinaryWriteOptions,
  JsonReadOptions,
  JsonWriteOptions,
} from "@bufbuild/protobuf";
import type { ConnectRouterOptions, HandlerContext } from "@connectrpc/connect";
import { knownOptions, type OptionNames } from "@utility-tools/http-server/portable";

/**
 * Called when the headers of a request for a method have been read, before its body, in every protocol. Throws a ConnectError to reject the
 * request. Can set context values, headers and trailers.
 */
export type RequestGate = (context: HandlerContext) => void | Promise<void>;

/** Options of a router, a service or a method: those of the newest connect, whatever version is installed. */
export interface RouteOptions extends ConnectRouterOptions {
  /** Rejects requests before their body is read. Default: none. Of a service or a method: that of the router; undefined for none. */
  requestGate?: RequestGate;
}

/** The names of {@link RouteOptions}. */
export const ROUTE_OPTIONS: OptionNames<RouteOptions> = {
  acceptCompression: true,
  compressMinBytes: true,
  readMaxBytes: true,
  writeMaxBytes: true,
  jsonOptions: true,
  binaryOptions: true,
  maxTimeoutMs: true,
  shutdownSignal: true,
  requireConnectProtocolHeader: true,
  interceptors: true,
  requestGate: true,
  grpc: true,
  grpcWeb: true,
  connect: true,
};

const JSON_OPTIONS: OptionNames<JsonReadOptions & JsonWriteOptions> = {
  ignoreUnknownFields: true,
  registry: true,
  recursionLimit: true,
  alwaysEmitImplicit: true,
  enumAsInteger: true,
  useProtoFieldName: true,
};

const BINARY_OPTIONS: OptionNames<BinaryReadOptions & BinaryWriteOptions> = {
  readUnknownFields: true,
  recursionLimit: true,
  writeUnknownFields: true,
};

/** Returns a copy of options. Throws an UnknownOptionError, and a TypeError for a `requestGate` that is no function. */
export function readRouteOptions(where: string, given: RouteOptions): RouteOptions {
  const options = knownOptions(where, given, ROUTE_OPTIONS);
  const { jsonOptions, binaryOptions, requestGate } = options;
  if (requestGate !== undefined && typeof requestGate !== "function") {
    throw new TypeError(`${where}: requestGate must be a function`);
  }
  return {
    ...options,
    ...(jsonOptions && { jsonOptions: knownOptions(`jsonOptions of ${where}`, jsonOptions, JSON_OPTIONS) }),
    ...(binaryOptions && {
      binaryOptions: knownOptions(`binaryOptions of ${where}`, binaryOptions, BINARY_OPTIONS),
    }),
  };
}
