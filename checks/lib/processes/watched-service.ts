import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  openFiles,
  peakMemory,
  resetPeakMemory,
} from "connect-transcoding-testing/processes/process-state.js";
import { OURS, type Service, startService } from "./service.js";

/** The time in which the process must respond with its status, in milliseconds. */
const PATIENCE = 30_000;
const MAX_OUTPUT = 10_000;
const LOGGED_ERROR = /^bug |"level":\s*(?:"(?:error|fatal)"|[56]0)/;

/** The state of the service's process. */
export interface Status {
  /** Used memory after a garbage collection, in MiB. */
  readonly usedMemory: number;
  /** The longest delay of the event loop since the previous status or reset, in milliseconds. */
  readonly lag: number;
}

/** A service in a separate process that must not fail. */
export interface WatchedService extends Pick<Service, "url" | "port"> {
  /** Why the service failed: it has ended, has logged an error, or has written to standard error. Undefined otherwise. */
  problem(): string | undefined;
  /** The peak of resident memory since the previous call, in MiB. NaN after the process has ended, as are the other numbers. */
  peakMemory(): number;
  /** The state of the process. Ends a process that does not respond. */
  status(): Promise<Status>;
  /** Forgets the delays of the event loop so far, without the collection of garbage that a status takes. */
  resetLag(): void;
  /** The number of open files, including connections. */
  openFiles(): number;
  stop(): Promise<void>;
}

/** Starts the built service with the memory of `npm start` and waits until it is ready. Linux only, because it reads /proc. */
export async function startWatchedService(
  environment: Readonly<Record<string, string>>,
): Promise<WatchedService> {
  let problem: string | undefined;
  let isStopping = false;
  let written = "";
  const probe = join(import.meta.dirname, "service-probe.mjs");
  const service = await startService({
    command: [process.execPath, "--expose-gc", "--import", probe, ...OURS],
    environment,
    hasMessages: true,
    onLine: (line) => {
      if (LOGGED_ERROR.test(line)) {
        problem ??= `it logged: ${line.slice(0, MAX_OUTPUT)}`;
      }
    },
    onError: (text) => {
      written = (written + text).slice(0, MAX_OUTPUT);
      problem = /FATAL ERROR: .*/.exec(written)?.[0] ?? `it wrote: ${written}`;
    },
  });
  const { url, port, pid, process: child, ended, end } = service;
  const over = ended.then((how) => {
    if (!isStopping || how !== 0) {
      problem ??= `it ended with ${how}`;
    }
  });
  return {
    url,
    port,
    problem: () => problem,
    peakMemory: () => {
      const peak = peakMemory(pid);
      resetPeakMemory(pid);
      return peak;
    },
    status: async () => {
      const response = child.connected ? once(child, "message") : over;
      child.send("status", () => {});
      const isLate = wait(PATIENCE, "late", { ref: false });
      const settled = await Promise.race([response, over, isLate]);
      if (settled === "late") {
        problem ??= `it did not respond for ${PATIENCE / 1000} s`;
        child.kill("SIGKILL");
        await over;
      }
      return Array.isArray(settled) ? settled[0] : { usedMemory: Number.NaN, lag: Number.NaN };
    },
    resetLag: () => child.send("reset", () => {}),
    openFiles: () => openFiles(pid),
    stop: async () => {
      isStopping = true;
      await end();
      await over;
    },
  };
}
