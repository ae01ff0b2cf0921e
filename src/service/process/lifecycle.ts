import type { ProcessLog, RunningService } from "./running-service.js";

/** How a process that serves comes to its end. */
export interface Lifecycle {
  /** The service takes requests from now on. */
  started(service: RunningService): void;
  /** Lets calls under way finish, then ends the process: with 1 if anything has asked for that, else with 0. */
  stop(exitCode: 0 | 1): void;
  /** Stops; when told once more, ends the process at once with 1. */
  signalled(): void;
  /** An exception that nobody caught: says so, and stops. */
  broken(bug: unknown): void;
}

/** What a lifecycle needs of the world. */
export interface LifecyclePorts {
  /** Ends the process. */
  readonly exit: (code: number) => void;
  /** Is told of exceptions that are bugs. */
  readonly reportBug: (bug: unknown) => void;
  readonly log: ProcessLog;
}

/** Makes the lifecycle of a process that is about to start the service. */
export function createLifecycle({ exit, reportBug, log }: LifecyclePorts): Lifecycle {
  let service: RunningService | undefined;
  let code: 0 | 1 = 0;
  let isStopping = false;
  let signals = 0;

  function stop(exitCode: 0 | 1): void {
    code = exitCode === 1 ? 1 : code;
    if (isStopping) {
      return;
    }
    isStopping = true;
    if (service === undefined) {
      exit(code);
      return;
    }
    void service.stop().then(() => exit(code));
  }

  return {
    started: (running) => {
      service = running;
    },
    stop,
    signalled: () => {
      signals += 1;
      if (signals > 1) {
        exit(1);
        return;
      }
      stop(0);
    },
    // What state the process is in is unknown, so it must end; calls under way most likely know nothing of it.
    broken: (bug) => {
      reportBug(bug);
      if (!isStopping) {
        log("error", "an exception was not caught: stopping");
      }
      stop(1);
    },
  };
}
