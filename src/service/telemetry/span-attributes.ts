import { Code } from "@connectrpc/connect";
import type { Protocol, RequestRecord } from "connect-transcoding";
import { isFailure, knownHttpMethod, outcomeName } from "./outcome.js";

/** What a span says of a request. */
export interface SpanDescription {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  /** Whether the span's status is an error. */
  readonly isError: boolean;
}

/**
 * Codes that make the span of a server an error, the same for gRPC and Connect, of which streams have HTTP's 200 whatever
 * becomes of them. https://opentelemetry.io/docs/specs/semconv/rpc/grpc/, https://opentelemetry.io/docs/specs/semconv/rpc/connect-rpc/
 */
const SERVER_ERRORS: ReadonlySet<Code | undefined> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

/** The RPC system that a protocol speaks. */
const SYSTEMS: Readonly<Partial<Record<Protocol, string>>> = {
  grpc: "grpc",
  "grpc-web": "grpc",
  connect: "connect_rpc",
};

/** The longest text of a caller's, in UTF-16 code units. */
const MAX_TEXT = 128;

/**
 * Describes a request by OpenTelemetry's semantic conventions for servers of RPC and HTTP, without anything of its target
 * but the method that it led to.
 * https://opentelemetry.io/docs/specs/semconv/rpc/rpc-spans/, https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function describeSpan(record: RequestRecord): SpanDescription {
  const { method, protocol, code, status, clientAddress } = record;
  const system = SYSTEMS[protocol];
  const isError = system === undefined ? isFailure(record) && status >= 500 : SERVER_ERRORS.has(code);
  const httpMethod = knownHttpMethod(record.httpMethod);
  return {
    name:
      method === undefined
        ? httpMethod === "_OTHER"
          ? "HTTP"
          : httpMethod
        : `${method.parent.typeName}/${method.name}`,
    attributes: {
      "rpc.system": system,
      "rpc.service": method?.parent.typeName,
      "rpc.method": method?.name,
      "rpc.response.status_code": system === undefined ? undefined : outcomeName(record),
      "http.request.method": httpMethod,
      "http.response.status_code": status,
      "error.type": isError ? (code === undefined ? String(status) : outcomeName(record)) : undefined,
      "client.address": clientAddress === "" ? undefined : clientAddress,
      "user_agent.original": record.header("user-agent")?.slice(0, MAX_TEXT),
      "utility_tools.protocol": protocol,
      "utility_tools.principal": record.principal,
      "utility_tools.request_id": record.requestId.slice(0, MAX_TEXT),
    },
    isError,
  };
}
