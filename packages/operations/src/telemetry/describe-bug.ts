export interface BugDescription {
  /** The name of the error's class, or the type of a thrown value that is not an error. */
  readonly type: string;
  readonly message?: string;
  readonly stack?: string;
  readonly cause?: BugDescription;
}

const MAX_MESSAGE = 1000;
const MAX_STACK = 8000;
const MAX_CAUSES = 3;

/**
 * Describes an exception by its type, message and stack, and those of its causes. Other properties are not read: libraries
 * attach requests and responses, which may contain secrets. Never throws.
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
    // A getter of the thrown value can throw.
    return { type: "unknown" };
  }
}
