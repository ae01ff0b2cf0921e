import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { max_request_bytes as maxRequestBytesOption } from "../../gen/connecttranscoding/v1/options_pb.js";

/** The maximum length of a request of a method in bytes, as a message or as an HTTP body. */
export type RequestLimit = (method: DescMethod) => number;

/** The default of `readMaxBytes`; that of gRPC. */
export const DEFAULT_REQUEST_BYTES = 4 * 1024 * 1024;

/** The limit of a server, or the `max_request_bytes` option of a method if that is greater. Slow; cache per method. */
export function requestLimit(readMaxBytes: number = DEFAULT_REQUEST_BYTES): RequestLimit {
  return (method) => Math.max(readMaxBytes, getOption(method, maxRequestBytesOption));
}

/** The limit of a request that may be for any of some methods. */
export function longestRequest(methods: readonly DescMethod[], limitOf: RequestLimit): number {
  return Math.max(...methods.map(limitOf));
}
