/** An option is invalid, or a file that it names. The message is for the person who starts the gateway. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

/** Returns a function that logs problems when they change. */
export function createProblemLog(log: (line: string) => void): (problems: readonly string[]) => void {
  let last = "";
  return (problems) => {
    const text = problems.join("; ");
    if (text !== last && text !== "") {
      log(text);
    }
    last = text;
  };
}

/** The text of anything that was thrown. */
export function problemText(thrown: unknown): string {
  if (thrown instanceof AggregateError) {
    // Of the addresses of a host.
    return thrown.errors.map(problemText).join(", ");
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}
