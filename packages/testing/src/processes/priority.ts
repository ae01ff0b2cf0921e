import { constants, setPriority } from "node:os";

/** Raises the priority of this process if permitted: a client without processor time would report requests as lost that are not. */
export function raisePriority(): void {
  setPriorityOf(0, constants.priority.PRIORITY_HIGH);
}

/** Gives a child process the normal priority, or a lower one. */
export function resetPriority(pid: number | undefined, isLow = false): void {
  if (pid !== undefined) {
    setPriorityOf(pid, isLow ? constants.priority.PRIORITY_BELOW_NORMAL : constants.priority.PRIORITY_NORMAL);
  }
}

/** Only root may raise a priority. Otherwise, results on a busy machine are less reliable. */
function setPriorityOf(pid: number, priority: number): void {
  try {
    setPriority(pid, priority);
  } catch {
    // The priority stays as it is.
  }
}
