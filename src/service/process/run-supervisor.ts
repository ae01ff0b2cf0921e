import cluster from "node:cluster";
import { type AddressInfo, createServer } from "node:net";
import type { Failure, Result } from "../../result.js";
import { leaveEarlySignals } from "./early-signals.js";
import { type ForkedWorker, forkWorker } from "./fork-worker.js";
import { createGathering, type LastingQuestions } from "./gather-answers.js";
import type { LifecyclePorts } from "./lifecycle.js";
import { REPLACEMENT } from "./run-worker.js";
import { createSupervisor } from "./supervisor.js";

/** How many workers there are to be, and where. Times are in milliseconds. */
export interface SupervisionOptions {
  readonly workers: number;
  readonly host: string;
  /** 0 lets the system choose one for all workers. */
  readonly port: number;
  /** How long a worker may take from being told to stop until it is gone. */
  readonly stopTimeout: number;
  /** The questions whose answers outlast workers. */
  readonly lasting: LastingQuestions;
}

/** The environment variable that tells a worker the port, where settings leave that to the system. */
export const WORKER_PORT = "UTILITY_TOOLS_WORKER_PORT";

const START_TIMEOUT = 60_000;
const ANSWER_TIMEOUT = 1_000;

/**
 * Runs the service in worker processes that share one port, until told to stop. Resolves to where they listen when all
 * take requests, or to why they cannot. SIGTERM and SIGINT stop all, and a second one ends all at once; SIGHUP
 * replaces them one by one.
 */
export async function runSupervisor(
  { workers, host, port, stopTimeout, lasting }: SupervisionOptions,
  { exit, log }: LifecyclePorts,
): Promise<Result<string, Failure>> {
  // Each worker accepts from the one queue of the socket that all share. Were connections handed out by this process
  // (SCHED_RR), one that is on its way to a worker which is killed would stay open, and nobody would ever answer it.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const environment: Record<string, string> =
    port === 0 ? { [WORKER_PORT]: String(await freePort(host)) } : {};
  const gathering = createGathering<ForkedWorker>(ANSWER_TIMEOUT, schedule, lasting);
  const serving = new Set<ForkedWorker>();
  const fork = (isReplacement: boolean): ForkedWorker => {
    const replacement = isReplacement ? { [REPLACEMENT]: "1" } : {};
    const worker = forkWorker({ ...environment, ...replacement }, gathering, (question) =>
      gathering.ask(serving, question),
    );
    void worker.started.then(({ ok }) => ok && serving.add(worker));
    void worker.gone.then(() => serving.delete(worker));
    return worker;
  };
  const supervisor = createSupervisor(
    { workers, startTimeout: START_TIMEOUT, stopTimeout },
    { fork, schedule, now: () => performance.now(), log },
  );
  let isStopping = false;
  const onSignal = (): void => {
    if (isStopping) {
      supervisor.kill();
      exit(1);
      return;
    }
    isStopping = true;
    void supervisor.stop().then((inTime) => exit(inTime ? 0 : 1));
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  process.on("SIGHUP", () => void supervisor.roll());
  leaveEarlySignals();
  const started = await supervisor.start();
  // What was told to stop while it started comes to its end by that.
  return isStopping ? new Promise(() => undefined) : started;
}

function schedule(run: () => void, delay: number): () => void {
  const timer = setTimeout(run, delay);
  return () => clearTimeout(timer);
}

/** A port that is free now; 0 when there is none, which workers will tell more about. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(0));
    server.listen({ host, port: 0 }, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
