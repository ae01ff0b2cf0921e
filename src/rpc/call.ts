import type { DescMethod } from "@bufbuild/protobuf";

/** One request, whichever door it came through, without its message. */
export interface Call {
  /** The method that is called. */
  readonly method: DescMethod;
  /** How the caller reaches this service, for absolute URLs in answers: scheme and authority, no final slash. */
  readonly baseUrl: string;
  /** Aborted when the caller has gone or the deadline has passed. */
  readonly signal: AbortSignal;
  /** The value of a request header (or gRPC metadata key), by its lower-case name. */
  header(name: string): string | undefined;
}
