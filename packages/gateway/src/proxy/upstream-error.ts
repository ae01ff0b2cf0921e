import { fromBinary, type Registry, toJson } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { copyMetadata } from "./metadata.js";

/** An error that an upstream has sent, as opposed to one of the connection to it. */
function isSent({ metadata }: ConnectError): boolean {
  return metadata.has("grpc-status") || metadata.has("content-type");
}

/** Codes that the transport derives from a broken connection. */
const BROKEN: ReadonlySet<Code> = new Set([Code.Aborted, Code.Canceled, Code.Internal]);

/** Errors of a system call or of node:http2 that say that there is no connection, or no longer. */
const CONNECTION_ERROR =
  /^(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|PIPE|HOSTUNREACH|NETUNREACH|TIMEDOUT|AI_AGAIN)|ENOTFOUND|ERR_(?:HTTP2|SOCKET|STREAM|TLS|SSL)_\w+)$/;

/**
 * Returns the error for the client. The transport reports a connection that breaks during a call as `CANCELED`, `ABORTED` or `INTERNAL`;
 * to a client, the upstream is unavailable.
 *
 * @param signal that of the call: if it is aborted, the client or the deadline has ended the call
 */
export function toClientError(thrown: unknown, signal: AbortSignal, registry: Registry): ConnectError {
  const error = ConnectError.from(thrown, Code.Unavailable);
  if (isSent(error)) {
    return relayed(error, registry);
  }
  if (!signal.aborted && isOfConnection(error)) {
    return new ConnectError(
      "the upstream server is unavailable",
      Code.Unavailable,
      undefined,
      undefined,
      error,
    );
  }
  return error;
}

function isOfConnection(error: ConnectError): boolean {
  const { code = "" } = (error.cause ?? {}) as { code?: unknown };
  return (
    error.code === Code.Unavailable ||
    (typeof code === "string" && CONNECTION_ERROR.test(code)) ||
    (BROKEN.has(error.code) &&
      /http\/2 stream closed|protocol error: missing|connection/.test(error.rawMessage))
  );
}

function relayed(error: ConnectError, registry: Registry): ConnectError {
  const copy = new ConnectError(error.rawMessage, error.code);
  copyMetadata(error.metadata, copy.metadata);
  copy.details = error.details.flatMap((detail) => decoded(detail, registry));
  return copy;
}

/**
 * A detail with its type, so that it becomes JSON over REST. One of an unknown type stays as it is; one that is malformed is left out, as it
 * cannot be written.
 */
function decoded(detail: ConnectError["details"][number], registry: Registry): ConnectError["details"] {
  const desc = "desc" in detail ? undefined : registry.getMessage(detail.type);
  if (desc === undefined || "desc" in detail) {
    return [detail];
  }
  try {
    const message = fromBinary(desc, detail.value);
    try {
      // The writer of errors knows no types within a google.protobuf.Any.
      toJson(desc, message);
      return [{ desc, value: message }] as ConnectError["details"];
    } catch {
      return [detail];
    }
  } catch {
    return [];
  }
}
