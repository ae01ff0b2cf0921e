import type { DescMethod } from "@bufbuild/protobuf";

/** One request, whichever door it came through, without its message. */
export interface Call {
  /** The method that is called. */
  readonly method: DescMethod;
  /** How the caller reaches this service, for absolute URLs in answers: scheme and authority, no final slash. */
  readonly baseUrl: string;
  /** The address at the other end of the connection; empty when it has gone already. */
  readonly callerAddress: string;
  /** Milliseconds that the caller gave the call, from its start on; undefined where it set no limit. */
  readonly timeoutMs: number | undefined;
  /** Aborted when the caller has gone or its time is up; its reason is the RpcError that says which. */
  readonly signal: AbortSignal;
  /** The value of a request header (or gRPC metadata key) by its lower-case name; several are joined by a comma. */
  header(name: string): string | undefined;
  /** All request headers, names in lower case. Values of `-bin` keys are in base64, as they came. */
  headers(): Iterable<readonly [name: string, value: string]>;
  /** Adds a header to the answer, which must not have been begun. The value of a `-bin` key is base64. */
  addHeader(name: string, value: string): void;
  /** Adds a trailer to the answer: metadata behind the last message. JSON over HTTP has no place for it. */
  addTrailer(name: string, value: string): void;
}
