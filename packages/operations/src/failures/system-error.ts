/** The code of a system error, such as `ENOENT`, or the text of any other exception. */
export function systemErrorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
}
