import { type Failure, fail, ok, type Result } from "../../result.js";
import { backOff, SETTLED_AFTER } from "./back-off.js";
import type { ProcessLog } from "./running-service.js";

/** A worker as its supervisor sees it. */
export interface WorkerProcess {
  readonly name: string;
  /**
   * Resolves to where it listens when it takes requests, or to why it never will: `CANNOT_START` is what it says itself, and
   * `ENDED` that it was gone without a word.
   */
  readonly started: Promise<Result<string, Failure>>;
  /** Resolves, when the process is gone, to how it ended. */
  readonly gone: Promise<string>;
  /** Tells it to take no more requests, to finish what it has, and to end. */
  stop(): void;
  /** Ends it now. */
  kill(): void;
}

/** What a supervisor needs of the world. */
export interface SupervisorPorts {
  /** Starts another worker; one that is to take the place of one that serves fails to start where it lacks data. */
  readonly fork: (isReplacement: boolean) => WorkerProcess;
  /** Runs something after a delay in milliseconds; returns what cancels that. */
  readonly schedule: (run: () => void, delay: number) => () => void;
  /** Milliseconds since some moment; never goes back. */
  readonly now: () => number;
  readonly log: ProcessLog;
}

/** How many workers there are to be, and how long they may take. Times are in milliseconds. */
export interface SupervisorOptions {
  readonly workers: number;
  readonly startTimeout: number;
  readonly stopTimeout: number;
}

/** Keeps workers running. */
export interface Supervisor {
  /**
   * Starts the workers and resolves to where they listen as soon as all take requests. When one cannot start, all are
   * ended and the failure is that worker's. From then on each that dies is followed by another.
   */
  start(): Promise<Result<string, Failure>>;
  /**
   * Replaces the workers one by one: the next is told to stop when the one that takes its place takes requests. If that
   * one cannot start, or lacks data, all that are left stay. Told while it is at it, it does all of it once more afterwards.
   */
  roll(): Promise<void>;
  /** Tells all workers to stop, and resolves when all are gone to whether none had to be killed. */
  stop(): Promise<boolean>;
  /** Ends all workers now. */
  kill(): void;
}

/** The place of one worker: whoever is in it serves, and is followed by another when it dies. */
interface Slot {
  worker: WorkerProcess;
  earlyDeaths: number;
}

/** Makes a supervisor, which starts nothing yet. */
export function createSupervisor(options: SupervisorOptions, ports: SupervisorPorts): Supervisor {
  const { fork, schedule, now, log } = ports;
  const living = new Set<WorkerProcess>();
  let slots: readonly Slot[] = [];
  let phase: "starting" | "running" | "stopping" = "starting";
  let isRolling = false;
  let rollAgain = false;

  function startWorker(isReplacement: boolean): WorkerProcess {
    const worker = fork(isReplacement);
    living.add(worker);
    const cancel = schedule(() => worker.kill(), options.startTimeout);
    void worker.started.then(cancel);
    void worker.gone.then(() => living.delete(worker));
    return worker;
  }

  /** Resolves to whether it ended by itself in time. */
  async function stopWorker(worker: WorkerProcess): Promise<boolean> {
    let inTime = true;
    const cancel = schedule(() => {
      inTime = false;
      log("error", `${worker.name} did not stop in time: it is killed`);
      worker.kill();
    }, options.stopTimeout);
    worker.stop();
    await worker.gone;
    cancel();
    return inTime;
  }

  async function keep(slot: Slot): Promise<void> {
    while (phase !== "stopping") {
      const { worker } = slot;
      const since = now();
      const how = await worker.gone;
      // Who was replaced is no longer missed.
      if (isStopping() || slot.worker !== worker) {
        continue;
      }
      slot.earlyDeaths = now() - since >= SETTLED_AFTER ? 0 : slot.earlyDeaths + 1;
      const delay = backOff(Math.max(0, slot.earlyDeaths - 1));
      log("error", `${worker.name} ended: ${how}; another starts in ${delay} ms`);
      await new Promise<void>((resolve) => schedule(resolve, delay));
      if (isStopping() || slot.worker !== worker) {
        continue;
      }
      slot.worker = startWorker(false);
      void tell(slot.worker);
    }
  }

  async function tell(worker: WorkerProcess): Promise<void> {
    const started = await worker.started;
    if (started.ok) {
      log("info", `${worker.name} takes requests`);
    } else if (started.failure.reason === "CANNOT_START") {
      log("error", `${worker.name} cannot start: ${started.failure.description}`);
    }
  }

  // A function, for the phase changes while others wait, which the compiler cannot know.
  function isStopping(): boolean {
    return phase === "stopping";
  }

  async function rollOnce(): Promise<void> {
    for (const slot of slots) {
      const replacement = startWorker(true);
      const started = await replacement.started;
      if (isStopping()) {
        return;
      }
      if (!started.ok) {
        log("error", `the workers stay, for another cannot start: ${started.failure.description}`);
        replacement.kill();
        return;
      }
      const { worker } = slot;
      slot.worker = replacement;
      slot.earlyDeaths = 0;
      log("info", `${replacement.name} takes the place of ${worker.name}`);
      // One at a time, so that there is never more than one process more than there should be.
      await stopWorker(worker);
    }
  }

  return {
    start: async () => {
      slots = Array.from({ length: options.workers }, () => ({ worker: startWorker(false), earlyDeaths: 0 }));
      const started = await allOrFirstFailure(slots.map(({ worker }) => worker.started));
      if (isStopping()) {
        return fail("STOPPED", "it was told to stop");
      }
      if (!started.ok) {
        phase = "stopping";
        killAll();
        return started;
      }
      phase = "running";
      for (const slot of slots) {
        void tell(slot.worker);
        void keep(slot);
      }
      if (rollAgain) {
        void roll();
      }
      return started;
    },
    roll,
    stop: async () => {
      phase = "stopping";
      const inTime = await Promise.all([...living].map(stopWorker));
      return !inTime.includes(false);
    },
    kill: () => {
      phase = "stopping";
      killAll();
    },
  };

  async function roll(): Promise<void> {
    rollAgain = true;
    if (isRolling || phase !== "running") {
      return;
    }
    isRolling = true;
    while (rollAgain && !isStopping()) {
      rollAgain = false;
      await rollOnce();
    }
    isRolling = false;
  }

  function killAll(): void {
    for (const worker of living) {
      worker.kill();
    }
  }
}

/** Resolves to the first value when all have succeeded, or to a failure as soon as there is one. */
function allOrFirstFailure(
  results: readonly Promise<Result<string, Failure>>[],
): Promise<Result<string, Failure>> {
  return new Promise((resolve) => {
    for (const result of results) {
      void result.then((settled) => {
        if (!settled.ok) {
          resolve(settled);
        }
      });
    }
    void Promise.all(results).then(([first]) => resolve(first ?? ok("")));
  });
}
