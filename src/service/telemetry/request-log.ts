import type { RequestObserver, RequestRecord } from "connect-transcoding";
import { methodName } from "connect-transcoding/rules";
import type { Logger } from "pino";
import { requestKind } from "../request-kind.js";
import { isFailure, isOwnFailure, knownHttpMethod, outcomeName } from "./outcome.js";
import { parseTraceparent } from "./traceparent.js";

/** Which requests are written down. */
export type LoggedRequests = "none" | "failed" | "all";

/** What a request log is made of. */
export interface RequestLogOptions {
  readonly requests: LoggedRequests;
  readonly logger: Logger;
}

/** The longest text of a caller's in a line, in UTF-16 code units. */
const MAX_TEXT = 128;

/** What writes requests down. */
export interface RequestLog extends RequestObserver {
  /** Writes a line of what came in the place of a request: the status of its answer, and whose it was. */
  unread(this: void, status: number, caller: string): void;
}

/**
 * Makes the observer that writes one line a request; undefined when none are to be written. A failure of the service's own
 * is an error, all else information: what callers do wrong is no trouble of the operator's. A line has nothing of a
 * request's target, message and headers but what {@link lineOf} names.
 */
export function createRequestLog({ requests, logger }: RequestLogOptions): RequestLog | undefined {
  if (requests === "none") {
    return undefined;
  }
  return {
    onEnd: (record) => {
      if (requests === "failed" && !isFailure(record)) {
        return;
      }
      if (isOwnFailure(record)) {
        logger.error(lineOf(record), "request");
      } else {
        logger.info(lineOf(record), "request");
      }
    },
    unread: (status, caller) => logger.info({ status, caller }, "no request"),
  };
}

/** What a line says of a request. What is undefined is left out. */
function lineOf(record: RequestRecord) {
  const { method } = record;
  return {
    method: method === undefined ? undefined : methodName(method),
    area: requestKind(record),
    protocol: record.protocol,
    code: outcomeName(record),
    status: record.status,
    httpMethod: knownHttpMethod(record.httpMethod),
    // Milliseconds.
    duration: Math.round(record.duration * 1000) / 1000,
    caller: record.clientAddress,
    principal: record.principal,
    requestId: record.requestId.slice(0, MAX_TEXT),
    traceId: parseTraceparent(record.header("traceparent"))?.traceId,
    userAgent: record.header("user-agent")?.slice(0, MAX_TEXT),
  };
}
