import type { Worker } from "node:cluster";
import { type Failure, ok, type Result } from "../../failures/result.js";

/** The service, accepting requests in this process. */
export interface RunningService {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** Stops accepting requests and waits for those in progress, as long as the settings allow. Never rejects. */
  stop(): Promise<void>;
}

/** Starts the service in this process, or returns why it cannot start. */
export type StartService = () => Promise<Result<RunningService, Failure>>;

/** What a process needs besides the service. */
export interface ProcessOptions {
  /** Called with uncaught exceptions. */
  readonly reportBug: (bug: unknown) => void;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
}

/**
 * Runs the service in this process. Returns its URL when it accepts requests, or why it cannot start. A signal stops it and
 * exits with 0; an uncaught exception or, in a worker, the end of the primary process, with 1. A second signal does not wait.
 */
export async function runService(
  start: StartService,
  { reportBug, log }: ProcessOptions,
  worker?: Worker,
): Promise<Result<string, Failure>> {
  let service: RunningService | undefined;
  let isStopping = false;
  let signals = 0;

  async function stop(problem?: string): Promise<void> {
    if (problem !== undefined) {
      process.exitCode = 1;
    }
    if (!isStopping) {
      isStopping = true;
      if (problem !== undefined) {
        log("error", `${problem}: stopping`);
      }
      await service?.stop();
      process.exit();
    }
  }

  handleStopSignals(() => {
    signals += 1;
    // A worker may get two at once: from a terminal, which signals all processes, and from the primary process.
    if (signals > 1 && worker === undefined) {
      process.exit(1);
    }
    void stop();
  });
  // The state of the process is unknown, so it must end.
  process.on("uncaughtException", (bug) => {
    reportBug(bug);
    void stop("uncaught exception");
  });
  worker?.on("disconnect", () => {
    // Otherwise node:cluster exits immediately, and requests in progress are lost.
    worker.exitedAfterDisconnect = true;
    void stop("the primary process has exited");
  });
  const started = await start();
  service = started.ok ? started.value : undefined;
  return started.ok ? ok(started.value.url) : started;
}

/** Handles SIGTERM and SIGINT. Nothing is in progress while the program loads, so that they just end it. */
let stopHandler = (): void => process.exit(0);

/** Handles signals from now on. SIGHUP would end the process and is ignored: files are reloaded when they change. */
export function listenForSignals(): void {
  process.on("SIGTERM", () => stopHandler());
  process.on("SIGINT", () => stopHandler());
  process.on("SIGHUP", () => undefined);
}

/** Replaces the handler of SIGTERM and SIGINT. */
export function handleStopSignals(handler: () => void): void {
  stopHandler = handler;
}
