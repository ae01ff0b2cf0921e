import { constants, setPriority } from "node:os";

/**
 * Has the system run this process before others, where it lets it: a caller that does not get to read what it was sent
 * would find things lost that were not.
 */
export function preferThisProcess(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
  } catch {
    // Only the superuser may; without, results on a busy machine say less.
  }
}

/** Has the system run a process that was started from here like any other. */
export function asAnyOther(pid: number | undefined): void {
  give(pid, constants.priority.PRIORITY_NORMAL);
}

/** Has the system run a process that was started from here with what time others leave. */
export function afterOthers(pid: number | undefined): void {
  give(pid, constants.priority.PRIORITY_BELOW_NORMAL);
}

/** Only the superuser may give a process more than it has. */
function give(pid: number | undefined, priority: number): void {
  try {
    if (pid !== undefined) {
      setPriority(pid, priority);
    }
  } catch {
    // It stays as it is.
  }
}
