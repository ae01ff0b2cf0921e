import { Code } from "@connectrpc/connect";
import { codeName } from "../rpc/code-name.js";
import type { RequestRecord } from "../rpc/incoming-request.js";

/** What tells how a request ended. */
type Outcome = Pick<RequestRecord, "code" | "status">;

/** Failures that are the service's own; of a time limit or a method that is not there, callers are the cause. */
const OWN_FAILURES: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

/** Whether a request failed. */
export function isFailure({ code, status }: Outcome): boolean {
  return code !== undefined || status >= 400;
}

/** Whether a request failed for a reason of the service's own. */
export function isOwnFailure({ code, status }: Outcome): boolean {
  return code === undefined ? status >= 500 : OWN_FAILURES.has(code);
}

/** The canonical code of a request's outcome; undefined stands for OK. A failure that has none counts as unknown. */
export function outcomeCode({ code, status }: Outcome): Code | undefined {
  return code ?? (status >= 400 ? Code.Unknown : undefined);
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
export function knownVerb(verb: string): string {
  return VERBS.has(verb) ? verb : "_OTHER";
}
