import cluster, { type Worker } from "node:cluster";
import { setTimeout as wait } from "node:timers/promises";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import {
  handleSignals,
  type ProcessOptions,
  runService,
  type StartedService,
  type StartService,
} from "./lifecycle.js";

/** The delay before a worker is restarted, in milliseconds. It doubles while workers end within `SETTLED_AFTER`. */
const MIN_DELAY = 100;
const MAX_DELAY = 30_000;
const SETTLED_AFTER = 10_000;

/** What a worker sends to the primary process: where it accepts requests, or why it cannot start; later that it is ready. */
type WorkerMessage =
  | { readonly url: string; readonly isReady: boolean }
  | { readonly problem: string }
  | { readonly becameReady: true };

/** Runs the service in a worker process until the primary process stops it or exits. */
export async function runWorker(worker: Worker, start: StartService, options: ProcessOptions): Promise<void> {
  const send = (message: WorkerMessage) => worker.send(message, () => undefined);
  const started = await runService(start, options, worker);
  if (!started.ok) {
    send({ problem: started.failure.description });
    return;
  }
  const { url, isReady, whenReady } = started.value;
  send({ url, isReady });
  if (!isReady) {
    await whenReady;
    send({ becameReady: true });
  }
}

/**
 * Runs the service in `workers` processes that share one port, and restarts those that end. Returns where they listen as
 * soon as all accept requests, or why the first of them cannot start. SIGTERM and SIGINT stop all workers; those that are
 * left after `stopTimeout` milliseconds are killed. A second signal kills all. SIGHUP makes all reload their files.
 */
export function runWorkers(
  { workers, stopTimeout }: { readonly workers: number; readonly stopTimeout: number },
  { log }: ProcessOptions,
): Promise<Result<StartedService, Failure>> {
  // Workers accept from one shared socket. If the primary process handed out connections (SCHED_RR), one on its way to a
  // worker that is killed would stay open and never get a response.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const running = new Set<Worker>();
  // SIGHUP would end a worker that is still loading.
  const accepting = new WeakSet<Worker>();
  const stopping = new AbortController();
  let notStarted = workers;
  /** The workers, by their index, that have not been ready yet. */
  const notReady = new Set(Array.from({ length: workers }, (_, index) => index));
  let reportReady = (): void => undefined;
  const whenReady = new Promise<void>((resolve) => {
    reportReady = resolve;
  });

  function stopAll(signal: NodeJS.Signals): void {
    stopping.abort();
    for (const worker of running) {
      worker.process.kill(signal);
    }
  }

  return new Promise((resolve) => {
    function onStart(worker: Worker, url: string): void {
      accepting.add(worker);
      notStarted -= 1;
      if (notStarted === 0 && !stopping.signal.aborted) {
        resolve(ok({ url, isReady: notReady.size === 0, whenReady }));
      }
    }

    function onReady(worker: Worker, index: number): void {
      log("info", `${nameOf(worker)} is ready`);
      notReady.delete(index);
      if (notReady.size === 0) {
        reportReady();
      }
    }

    async function keepRunning(index: number): Promise<void> {
      let delay = 0;
      while (!stopping.signal.aborted) {
        const startedAt = performance.now();
        const end = await runOne(running, onStart, (worker) => onReady(worker, index));
        if (stopping.signal.aborted) {
          return;
        }
        if (notStarted > 0) {
          stopAll("SIGKILL");
          return resolve(fail("CANNOT_START", end));
        }
        const isEarly = delay > 0 && performance.now() - startedAt < SETTLED_AFTER;
        delay = isEarly ? Math.min(2 * delay, MAX_DELAY) : MIN_DELAY;
        log("error", `${end}; starting another worker in ${delay} ms`);
        await wait(delay, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }

    const slots = Array.from({ length: workers }, (_, index) => keepRunning(index));
    handleSignals({
      onStop: (signal) => {
        if (stopping.signal.aborted) {
          log("warn", `${signal} again: stopping without waiting`);
          stopAll("SIGKILL");
          process.exit(1);
        }
        log("info", `${signal}: stopping`);
        stopAll("SIGTERM");
        setTimeout(() => {
          log(
            "error",
            `${running.size === 1 ? "1 worker" : `${running.size} workers`} did not stop in time: killed`,
          );
          process.exitCode = 1;
          stopAll("SIGKILL");
        }, stopTimeout);
        void Promise.all(slots).then(() => {
          log("info", "stopped");
          process.exit();
        });
      },
      onReload: () => {
        log("info", "SIGHUP: reloading keys, certificates and data");
        for (const worker of running) {
          if (accepting.has(worker)) {
            worker.process.kill("SIGHUP");
          }
        }
      },
    });
  });
}

/** Runs one worker process. Returns why it could not start, or else how it ended. */
function runOne(
  running: Set<Worker>,
  onStart: (worker: Worker, url: string) => void,
  onReady: (worker: Worker) => void,
): Promise<string> {
  return new Promise((resolve) => {
    let worker: Worker;
    try {
      worker = cluster.fork();
    } catch (error) {
      // Node throws some errors of the system, such as ENOMEM, and emits others.
      return resolve(String(error));
    }
    const name = nameOf(worker);
    let problem: string | undefined;
    const end = (how: string): void => {
      running.delete(worker);
      resolve(problem ?? `${name} ended: ${how}`);
    };
    running.add(worker);
    worker.on("message", (message: WorkerMessage) => {
      if ("url" in message) {
        // First, because the start of the last worker is that of the service.
        if (message.isReady) {
          onReady(worker);
        }
        onStart(worker, message.url);
      } else if ("becameReady" in message) {
        onReady(worker);
      } else if ("problem" in message) {
        problem = message.problem;
        worker.process.kill("SIGKILL");
      }
    });
    worker.on("exit", (code: number | null, signal: string | null) => end(signal ?? `exit code ${code}`));
    // If the process could not be created, there is no other event.
    worker.on("error", (error) => worker.process.pid === undefined && end(error.message));
  });
}

function nameOf({ process: { pid } }: Worker): string {
  return `worker ${pid}`;
}
