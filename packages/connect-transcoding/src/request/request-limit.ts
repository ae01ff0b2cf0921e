import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { max_request_bytes as maxRequestBytesOption } from "../../gen/connecttranscoding/v1/options_pb.js";

/** The most octets that the message or the body of a request of a method may have. */
export type RequestLimit = (method: DescMethod) => number;

/** The most octets of a request as long as it is not known which of some methods it is for. */
export function longestRequest(methods: readonly DescMethod[], limitOf: RequestLimit): number {
  return Math.max(...methods.map(limitOf));
}

/** The limit of a server that has not been given another, in octets. */
export const DEFAULT_REQUEST_BYTES = 64 * 1024;

/** The limit of a server, or what a method says that it needs beyond that. It takes a moment: ask once a method. */
export function requestLimit(serverLimit: number): RequestLimit {
  return (method) => Math.max(serverLimit, getOption(method, maxRequestBytesOption));
}
