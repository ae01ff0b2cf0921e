import type { RequestObserver, RequestRecord } from "connect-transcoding";
import { methodName } from "connect-transcoding/rules";
import type { Logger } from "pino";
import { requestKind } from "../request-kind.js";
import { isFailure, isOwnFailure, knownHttpMethod, MAX_CLIENT_TEXT, outcomeName } from "./outcome.js";
import { parseTraceparent } from "./spans.js";

export type LoggedRequests = "none" | "failed" | "all";

export interface RequestLog extends RequestObserver {
  /** Writes a line for malformed HTTP/1.1 input: the status of the response and the client's address. */
  unread(this: void, status: number, clientAddress: string): void;
}

/**
 * Creates the observer that writes one line per request; undefined if no requests are logged. A failure of the service
 * itself is an error, everything else is information: operators cannot fix errors of clients. A line contains nothing of a
 * request's target, message and headers except the fields of {@link lineOf}.
 *
 * @param hasAddresses whether lines have the addresses of clients
 */
export function createRequestLog(
  requests: LoggedRequests,
  logger: Logger,
  hasAddresses = true,
): RequestLog | undefined {
  if (requests === "none") {
    return undefined;
  }
  return {
    onEnd: (record) => {
      if (requests === "all" || isFailure(record)) {
        logger[isOwnFailure(record) ? "error" : "info"](lineOf(record, hasAddresses), "request");
      }
    },
    unread: (status, client) =>
      logger.info({ status, client: hasAddresses ? client : undefined }, "request rejected"),
  };
}

/** Returns the fields of a request's line. Fields that are undefined are left out. */
function lineOf(record: RequestRecord, hasAddresses: boolean) {
  const { method } = record;
  return {
    method: method === undefined ? undefined : methodName(method),
    kind: requestKind(record),
    protocol: record.protocol,
    code: outcomeName(record),
    status: record.status,
    httpMethod: knownHttpMethod(record.httpMethod),
    // In milliseconds, rounded to microseconds.
    duration: Math.round(record.duration * 1000) / 1000,
    client: hasAddresses ? record.clientAddress : undefined,
    principal: record.principal,
    requestId: record.requestId.slice(0, MAX_CLIENT_TEXT),
    traceId: parseTraceparent(record.header("traceparent"))?.traceId,
    userAgent: record.header("user-agent")?.slice(0, MAX_CLIENT_TEXT),
  };
}
