import type { Worker } from "node:cluster";
import { readFileSync } from "node:fs";
import { type Failure, ok, type Result } from "../../failures/result.js";
import type { DataSource } from "../../tools/tool.js";

/** The service, accepting requests in this process. */
export interface RunningService {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** Whether it is ready now: what `/readyz` says. */
  isReady(): boolean;
  /** Resolves when it is ready for the first time. */
  readonly whenReady: Promise<void>;
  /** Reads the files of keys, certificates and data again. */
  reload(): void;
  /** The data in use. */
  readonly sources: () => readonly DataSource[];
  /** Stops accepting requests and waits for those in progress, as long as the settings allow. Never rejects. */
  stop(): Promise<void>;
}

/** Starts the service in this process, or returns why it cannot start. */
export type StartService = () => Promise<Result<RunningService, Failure>>;

/** A service that accepts requests, in this process or in workers. */
export type StartedService = Pick<RunningService, "url" | "whenReady"> & {
  readonly isReady: boolean;
  /** The data in use; undefined if only workers know it. */
  readonly sources?: () => readonly DataSource[];
};

/** What a process needs besides the service. */
export interface ProcessOptions {
  /** Called with uncaught exceptions. */
  readonly reportBug: (bug: unknown) => void;
  readonly log: (level: "debug" | "info" | "warn" | "error", message: string) => void;
}

/**
 * Runs the service in this process. Returns its URL when it accepts requests, or why it cannot start. A signal stops it and
 * exits with 0; an uncaught exception or, in a worker, the end of the primary process, with 1. A second signal does not wait.
 */
export async function runService(
  start: StartService,
  { reportBug, log }: ProcessOptions,
  worker?: Worker,
): Promise<Result<StartedService, Failure>> {
  let service: RunningService | undefined;
  let isStopping = false;
  let signals = 0;
  // The primary process logs the signals of its workers.
  const signalLevel = worker === undefined ? "info" : "debug";

  async function stop(reason: string, isProblem: boolean): Promise<void> {
    if (isProblem) {
      process.exitCode = 1;
    }
    if (!isStopping) {
      isStopping = true;
      log(isProblem ? "error" : signalLevel, `${reason}: stopping`);
      await service?.stop();
      log(signalLevel, "stopped");
      process.exit();
    }
  }

  handleSignals({
    onStop: (signal) => {
      signals += 1;
      // A worker may get two at once: from a terminal, which signals all processes, and from the primary process.
      if (signals > 1 && worker === undefined) {
        log("warn", `${signal} again: stopping without waiting`);
        process.exit(1);
      }
      void stop(signal, false);
    },
    onReload: () => {
      log(signalLevel, "SIGHUP: reloading keys, certificates and data");
      service?.reload();
    },
  });
  // The state of the process is unknown, so it must end.
  process.on("uncaughtException", (bug) => {
    reportBug(bug);
    void stop("uncaught exception", true);
  });
  worker?.on("disconnect", () => {
    // Otherwise node:cluster exits immediately, and requests in progress are lost.
    worker.exitedAfterDisconnect = true;
    void stop("the primary process has exited", true);
  });
  const started = await start();
  if (!started.ok) {
    return started;
  }
  service = started.value;
  const { url, whenReady, sources } = service;
  return ok({ url, isReady: service.isReady(), whenReady, sources });
}

/** What signals cause. */
export interface SignalHandlers {
  /** Called for SIGTERM and SIGINT. */
  readonly onStop: (signal: NodeJS.Signals) => void;
  /** Called for SIGHUP. */
  readonly onReload: () => void;
}

/** Nothing is in progress while the program loads, so that signals just end it. */
let handlers: SignalHandlers = { onStop: () => process.exit(0), onReload: () => undefined };

/** Handles signals from now on. SIGHUP would end the process. */
export function listenForSignals(): void {
  process.on("SIGTERM", () => handlers.onStop("SIGTERM"));
  process.on("SIGINT", () => handlers.onStop("SIGINT"));
  process.on("SIGHUP", () => handlers.onReload());
}

/** Replaces the handlers of signals. */
export function handleSignals(next: SignalHandlers): void {
  handlers = next;
}

/** How often the parent process is looked up, in milliseconds. */
const PARENT_INTERVAL = 500;

/**
 * Stops the service, as SIGTERM does, when the process that started it ends: its parent, or on Linux the parent of a shell in between.
 * npm runs scripts with `sh -c`, and such a shell survives it. A killed npm cannot pass on signals, and would leave a service that holds
 * the port.
 */
export function stopWithParent(): void {
  const parent = process.ppid;
  const shellParent = runsCommand(parent) ? parentOf(parent) : undefined;
  const timer = setInterval(() => {
    const isShellAlone = shellParent !== undefined && (parentOf(parent) ?? shellParent) !== shellParent;
    if (process.ppid !== parent || isShellAlone) {
      clearInterval(timer);
      handlers.onStop("SIGTERM");
    }
  }, PARENT_INTERVAL);
  timer.unref();
}

/** Whether a process is a shell with a command, as in `sh -c "node main.js"`. False if unknown. */
function runsCommand(pid: number): boolean {
  return readProcess(pid, "cmdline")?.split("\0")[1] === "-c";
}

/** Returns the parent of a process; undefined if unknown. */
function parentOf(pid: number): number | undefined {
  const [, parent] = /^PPid:\s*(\d+)$/m.exec(readProcess(pid, "status") ?? "") ?? [];
  return parent === undefined ? undefined : Number(parent);
}

/** Reads a file of a process (proc(5)). Returns undefined if there is none, as on other systems than Linux. */
function readProcess(pid: number, file: "cmdline" | "status"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}
