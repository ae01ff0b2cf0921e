import { Code } from "@connectrpc/connect";
import type { RequestRecord } from "connect-transcoding";
import { codeName } from "connect-transcoding";
import { requestKind } from "../request-kind.js";

/** What tells how a request ended. */
type Outcome = Pick<RequestRecord, "code" | "path" | "protocol" | "status">;

/** Failures that are the service's own; of a time limit or a method that is not there, callers are the cause. */
const OWN_FAILURES: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

/** Whether a request failed. */
export function isFailure(outcome: Outcome): boolean {
  return outcomeCode(outcome) !== undefined;
}

/** Whether a request failed for a reason of the service's own. */
export function isOwnFailure(outcome: Outcome): boolean {
  const { code, status } = outcome;
  return code === undefined ? isFailure(outcome) && status >= 500 : OWN_FAILURES.has(code);
}

/**
 * The canonical code of a request's outcome; undefined stands for OK. A failure that has none counts as unknown. To say that
 * a service is not ready is no failure over gRPC, where the answer is `NOT_SERVING`, and so it is none with HTTP's 503.
 */
export function outcomeCode({ code, status, ...request }: Outcome): Code | undefined {
  return code ?? (status >= 400 && requestKind(request) !== "health" ? Code.Unknown : undefined);
}

/** The name of a request's outcome: `OK`, or that of its canonical code. */
export function outcomeName(outcome: Outcome): string {
  const code = outcomeCode(outcome);
  return code === undefined ? "OK" : codeName(code);
}

/** The HTTP methods that RFC 9110 and RFC 5789 define. */
const VERBS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "OPTIONS",
  "TRACE",
  "PATCH",
]);

/** An HTTP method, or `_OTHER` for what is none: over HTTP/2 callers can write anything there. */
export function knownHttpMethod(httpMethod: string): string {
  return VERBS.has(httpMethod) ? httpMethod : "_OTHER";
}
