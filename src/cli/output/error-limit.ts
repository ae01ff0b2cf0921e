/** The number of errors of a list that people see. */
const SHOWN_ERRORS = 5;

/** The errors of a list that are shown, and how many are not. */
export interface ErrorLimit {
  /** Returns the lines of errors that are still shown, each with its line break. */
  limit(lines: string): string;
  /** The number of errors that `limit` has left out. */
  readonly hidden: number;
}

/** Creates the limit of the errors of a list. Without a limit, all are shown. */
export function createErrorLimit(isLimited: boolean): ErrorLimit {
  let shown = 0;
  let hidden = 0;
  return {
    limit(lines) {
      if (!isLimited || lines === "") {
        return lines;
      }
      const all = lines.split(/(?<=\n)/);
      const first = all.slice(0, SHOWN_ERRORS - shown);
      shown += first.length;
      hidden += all.length - first.length;
      return first.join("");
    },
    get hidden() {
      return hidden;
    },
  };
}
