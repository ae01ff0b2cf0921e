/** An option is invalid, or a file that it names. The message is for the person who starts the gateway. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

/** The text of anything that was thrown. */
export function problemText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
