import cluster, { type Worker } from "node:cluster";
import { setTimeout as wait } from "node:timers/promises";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { handleStopSignals, type ProcessOptions, runService, type StartService } from "./lifecycle.js";

/** The delay before a worker is restarted, in milliseconds. It doubles while workers end within `SETTLED_AFTER`. */
const MIN_DELAY = 100;
const MAX_DELAY = 30_000;
const SETTLED_AFTER = 10_000;

/** What a worker sends to the primary process: where it accepts requests, or why it cannot start. */
type StartMessage = { readonly url: string } | { readonly problem: string };

/** Runs the service in a worker process until the primary process stops it or exits. */
export async function runWorker(worker: Worker, start: StartService, options: ProcessOptions): Promise<void> {
  const started = await runService(start, options, worker);
  worker.send(
    started.ok ? { url: started.value } : { problem: started.failure.description },
    () => undefined,
  );
}

/**
 * Runs the service in `workers` processes that share one port, and restarts those that end. Returns where they listen as
 * soon as all accept requests, or why the first of them cannot start. SIGTERM and SIGINT stop all workers; those that are
 * left after `stopTimeout` milliseconds are killed. A second signal kills all.
 */
export function runWorkers(
  { workers, stopTimeout }: { readonly workers: number; readonly stopTimeout: number },
  { log }: ProcessOptions,
): Promise<Result<string, Failure>> {
  // Workers accept from one shared socket. If the primary process handed out connections (SCHED_RR), one on its way to a
  // worker that is killed would stay open and never get a response.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const running = new Set<Worker>();
  const stopping = new AbortController();
  let notReady = workers;

  function stopAll(signal: NodeJS.Signals): void {
    stopping.abort();
    for (const worker of running) {
      worker.process.kill(signal);
    }
  }

  return new Promise((resolve) => {
    function onReady(name: string, url: string): void {
      log("info", `${name} is ready`);
      notReady -= 1;
      if (notReady === 0 && !stopping.signal.aborted) {
        resolve(ok(url));
      }
    }

    async function keepRunning(): Promise<void> {
      let delay = 0;
      while (!stopping.signal.aborted) {
        const startedAt = performance.now();
        const end = await runOne(running, onReady);
        if (stopping.signal.aborted) {
          return;
        }
        if (notReady > 0) {
          stopAll("SIGKILL");
          return resolve(fail("CANNOT_START", end));
        }
        const isEarly = delay > 0 && performance.now() - startedAt < SETTLED_AFTER;
        delay = isEarly ? Math.min(2 * delay, MAX_DELAY) : MIN_DELAY;
        log("error", `${end}; starting another worker in ${delay} ms`);
        await wait(delay, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }

    const slots = Array.from({ length: workers }, keepRunning);
    handleStopSignals(() => {
      if (stopping.signal.aborted) {
        stopAll("SIGKILL");
        process.exit(1);
      }
      stopAll("SIGTERM");
      setTimeout(() => {
        log("error", `${running.size} workers did not stop in time and are killed`);
        process.exitCode = 1;
        stopAll("SIGKILL");
      }, stopTimeout);
      void Promise.all(slots).then(() => process.exit());
    });
  });
}

/** Runs one worker process. Returns why it could not start, or else how it ended. */
function runOne(running: Set<Worker>, onReady: (name: string, url: string) => void): Promise<string> {
  return new Promise((resolve) => {
    let worker: Worker;
    try {
      worker = cluster.fork();
    } catch (error) {
      // Node throws some errors of the system, such as ENOMEM, and emits others.
      return resolve(String(error));
    }
    const name = `worker ${worker.process.pid}`;
    let problem: string | undefined;
    const end = (how: string): void => {
      running.delete(worker);
      resolve(problem ?? `${name} ended: ${how}`);
    };
    running.add(worker);
    worker.on("message", (message: StartMessage) => {
      if ("url" in message) {
        onReady(name, message.url);
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
