/** What is said of an exception. */
export interface BugDescription {
  /** The name of its class, or of the type of what was thrown in place of an error. */
  readonly type: string;
  readonly message?: string;
  readonly stack?: string;
  readonly cause?: BugDescription;
}

const MAX_MESSAGE = 1000;
const MAX_STACK = 8000;
const MAX_CAUSES = 3;

/**
 * Describes an exception by its type, message and stack, and those of its causes. No other property is read: libraries put
 * requests and answers there, with all that is secret in them. Never throws.
 */
export function describeBug(bug: unknown, causes = MAX_CAUSES): BugDescription {
  try {
    if (!(bug instanceof Error)) {
      return typeof bug === "string"
        ? { type: "string", message: bug.slice(0, MAX_MESSAGE) }
        : { type: typeof bug };
    }
    const { name, message, stack, cause } = bug;
    return {
      type: String(name),
      message: String(message).slice(0, MAX_MESSAGE),
      ...(typeof stack === "string" ? { stack: stack.slice(0, MAX_STACK) } : {}),
      ...(cause instanceof Error && causes > 0 ? { cause: describeBug(cause, causes - 1) } : {}),
    };
  } catch {
    // What was thrown can have getters that throw.
    return { type: "unknown" };
  }
}
