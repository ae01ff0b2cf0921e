import type { CallError, Violation } from "@utility-tools/client/browser";

/** One invalid field of a request. */
export type InvalidField = Violation;

/** Why a call failed, with the canonical name of its code: `NOT_FOUND`. */
export interface ShownError extends Omit<CallError, "code"> {
  readonly code: string;
}

/**
 * Returns whether every call would fail with an error at present: the API key is missing, the service does not respond, or too many
 * requests were sent. The page shows such an error once, and sends the call again later.
 */
export function isServiceWide({ code, reason }: Pick<ShownError, "code" | "reason">): boolean {
  switch (code) {
    case "UNAUTHENTICATED":
    case "DEADLINE_EXCEEDED":
      return true;
    case "UNAVAILABLE":
      // With a reason, only the data of one tool is missing.
      return reason === "";
    default:
      return reason === "RATE_LIMIT_EXCEEDED";
  }
}
