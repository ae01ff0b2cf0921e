const STOPPING = ["SIGTERM", "SIGINT"] as const;

/**
 * Takes signals from the first moment on, while the program is still being loaded. Left alone they would end it as if it
 * had failed – SIGHUP too, which is to replace workers – and to the first process of a container they would not come at all.
 */
export function takeEarlySignals(): void {
  for (const signal of STOPPING) {
    process.on(signal, endAtOnce);
  }
  process.on("SIGHUP", ignore);
}

/**
 * Leaves signals to others, who must have begun to listen for them by now: Node drops those that came since it last
 * looked as soon as nobody listens.
 */
export function leaveEarlySignals(): void {
  for (const signal of STOPPING) {
    process.off(signal, endAtOnce);
  }
  process.off("SIGHUP", ignore);
}

/** Nothing is under way yet that could be finished. */
function endAtOnce(): void {
  process.exit(0);
}

/** What it asks for, to be started anew, is just happening. */
function ignore(): void {}
