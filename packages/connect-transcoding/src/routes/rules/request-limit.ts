import type { DescMethod } from "@bufbuild/protobuf";
import { maxRequestBytesOf } from "../../proto-options.js";

/** Overrides the `max_request_bytes` of a method; undefined keeps that of its proto file. */
export type MaxRequestBytes = (method: DescMethod) => number | undefined;

/** The limit of a request of a method, in bytes: of a message in gRPC and Connect, of the body in REST. */
export type RequestLimit = (method: DescMethod) => number;

/** The default of `readMaxBytes`, as in gRPC. */
export const DEFAULT_REQUEST_BYTES = 4 * 1024 * 1024;

/**
 * Returns the limit of each method: `readMaxBytes`, or the `max_request_bytes` of the method where that is larger.
 * `maxRequestBytes` overrides the option of the proto file; undefined keeps it. Slow: call it once per method.
 */
export function requestLimit(
  readMaxBytes: number = DEFAULT_REQUEST_BYTES,
  maxRequestBytes?: MaxRequestBytes,
): RequestLimit {
  return (method) => Math.max(readMaxBytes, maxRequestBytes?.(method) ?? maxRequestBytesOf(method));
}
