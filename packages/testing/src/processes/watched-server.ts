import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openFiles, peakMemory, resetPeakMemory } from "./process-state.js";
import { type ServerProcess, type ServerProcessOptions, startServerProcess } from "./server-process.js";

/** The time in which the process must respond with its status, in milliseconds. */
const PATIENCE = 30_000;
const MAX_OUTPUT = 10_000;
const LOGGED_ERROR = /^bug |"level":\s*(?:"(?:error|fatal)"|[56]0)/;

/** The state of the server's process. */
export interface Status {
  /** Used memory after a garbage collection, in MiB. */
  readonly usedMemory: number;
  /** The longest delay of the event loop since the previous status or reset, in milliseconds. */
  readonly lag: number;
}

/** A server in a separate process that must not fail. */
export interface WatchedServer extends Pick<ServerProcess, "url" | "port"> {
  /** Why the server failed: it has ended, has logged an error, or has written to standard error. Undefined otherwise. */
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

/** Starts a program of Node and waits until it is ready. Linux only, because it reads /proc. */
export async function startWatchedServer(
  args: readonly string[],
  options: Pick<ServerProcessOptions, "cwd" | "environment">,
): Promise<WatchedServer> {
  let problem: string | undefined;
  let isStopping = false;
  let written = "";
  const probe = join(import.meta.dirname, "server-probe.mjs");
  const server = await startServerProcess({
    ...options,
    command: [process.execPath, "--expose-gc", "--import", probe, ...args],
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
  const { url, port, pid, process: child, ended, end } = server;
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
