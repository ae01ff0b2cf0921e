import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { max_request_bytes as maxRequestBytesOption } from "../../gen/utilitytools/rpc/v1/rpc_pb.js";

/** The most octets that the message or the body of a request of a method may have. */
export type RequestLimit = (method: DescMethod) => number;

/** The limit of a server that has not been given another, in octets. */
export const DEFAULT_REQUEST_BYTES = 64 * 1024;

/** The limit of a server, or what a method says that it needs beyond that; each is worked out once. */
export function requestLimit(serverLimit: number): RequestLimit {
  const known = new Map<DescMethod, number>();
  return (method) => {
    const limit = known.get(method) ?? Math.max(serverLimit, getOption(method, maxRequestBytesOption));
    known.set(method, limit);
    return limit;
  };
}
