import type { Violation } from "@utility-tools/client/browser";

/** One invalid field of a request. */
export type InvalidField = Violation;

/** Why a call failed. */
export interface ShownError {
  /** The canonical code, for example `NOT_FOUND`. */
  readonly code: string;
  readonly message: string;
  /** The machine-readable reason; "" if the error does not come from the service. */
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly InvalidField[];
  /** Milliseconds to wait before a retry, if the service sent them. */
  readonly retryAfter: number | undefined;
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
