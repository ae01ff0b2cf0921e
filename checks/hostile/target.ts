import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import type { TransportOptions } from "connect-transcoding";
import { TYPESCRIPT_FLAGS } from "../../test/typescript-flags.js";
import type { ControlGroup } from "../lib/control-group.js";
import { openFiles, peakMemory, resetPeakMemory, residentMemory } from "../lib/process-state.js";

const ROOT = dirname(createRequire(import.meta.url).resolve("#package.json"));
/** The time in which the process must respond with its status, in milliseconds. */
const PATIENCE = 30_000;

/** The state of the service's process. */
export interface Status {
  /** Used memory after a garbage collection, in MiB. */
  readonly usedMemory: number;
  /** The longest delay of the event loop in milliseconds. */
  readonly lag: number;
}

/** The service in a separate process. */
export interface Target {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  readonly port: number;
  /** Why the service failed: it has ended, or has written to standard error. Undefined otherwise. */
  problem(): string | undefined;
  /** Resident memory in MiB. NaN after the process has ended, as are the other numbers. */
  residentMemory(): number;
  /** The peak of resident memory since the previous call, in MiB. */
  peakMemory(): number;
  /** The state of the process, since the previous call where that matters. Ends a process that does not respond. */
  status(): Promise<Status>;
  /** The number of open files, including connections. */
  openFiles(): number;
  stop(): Promise<void>;
}

/** Starts the service with the flags of `npm start` and waits until it is ready. Linux only, because it reads /proc. */
export async function startTarget(
  transport: Partial<TransportOptions>,
  tls: boolean,
  limit?: ControlGroup,
): Promise<Target> {
  const pair = tls
    ? ["first-cert.pem", "first-key.pem"].map((name) => join(ROOT, "test", "service", "tls", name))
    : [];
  const args = [
    "--expose-gc",
    "--max-old-space-size=256",
    ...TYPESCRIPT_FLAGS,
    join(import.meta.dirname, "server.ts"),
    JSON.stringify(transport),
    ...pair,
  ];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe", "ipc"] });
  if (child.pid !== undefined) {
    limit?.add(child.pid);
  }
  let problem: string | undefined;
  let isStopping = false;
  let written = "";
  child.stderr?.on("data", (text) => {
    written = (written + text).slice(0, 10_000);
    problem = /FATAL ERROR: .*/.exec(written)?.[0] ?? `it wrote: ${written}`;
  });
  const ended = once(child, "exit").then(([code, signal]) => {
    if (!isStopping) {
      problem ??= `it ended with ${code ?? signal}`;
    }
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout ?? process.stdin }).on("line", (line) =>
      resolve(line.replace("ready on ", "")),
    );
    void ended.then(() => reject(new Error(`the service did not start: ${problem}`)));
  });

  const pid = child.pid ?? 0;
  return {
    url,
    port: Number(new URL(url).port),
    problem: () => problem,
    residentMemory: () => residentMemory(pid),
    peakMemory: () => {
      const peak = peakMemory(pid);
      resetPeakMemory(pid);
      return peak;
    },
    status: async () => {
      const response = child.connected ? once(child, "message") : ended;
      child.send("status", () => {});
      const late = new AbortController();
      const isLate = wait(PATIENCE, "late", { signal: late.signal }).catch(() => undefined);
      const settled = await Promise.race([response, ended, isLate]);
      late.abort();
      if (settled === "late") {
        problem ??= `it did not respond for ${PATIENCE / 1000} s`;
        child.kill("SIGKILL");
        await ended;
      }
      return Array.isArray(settled) ? settled[0] : { usedMemory: Number.NaN, lag: Number.NaN };
    },
    openFiles: () => openFiles(pid),
    stop: async () => {
      isStopping = true;
      child.kill("SIGTERM");
      await ended;
    },
  };
}
