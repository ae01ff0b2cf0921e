import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { TransportOptions } from "connect-transcoding";
import type { ControlGroup } from "../control-group.js";

const ROOT = dirname(createRequire(import.meta.url).resolve("#package.json"));
const HERE = join(ROOT, "dist", "test", "hostile");

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
  /** Resident memory in MiB. */
  residentMemory(): number;
  /** The peak of resident memory since the previous call, in MiB. */
  peakMemory(): number;
  /** The state of the process, since the previous call where that matters. */
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
    join(HERE, "server.js"),
    JSON.stringify(transport),
    ...pair,
  ];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe", "ipc"] });
  if (child.pid !== undefined) {
    limit?.add(child.pid);
  }
  let problem: string | undefined;
  let isStopping = false;
  child.stderr?.on("data", (text) => {
    problem ??= `it wrote: ${text}`;
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

  const proc = `/proc/${child.pid}`;
  const memory = (field: string): number =>
    Number(new RegExp(`^${field}:\\s*(\\d+) kB`, "m").exec(readFileSync(`${proc}/status`, "utf8"))?.[1]) /
    1024;
  let peak = 0;
  const watching = setInterval(() => {
    if (problem === undefined) {
      peak = Math.max(peak, memory("VmRSS"));
    }
  }, 50);
  return {
    url,
    port: Number(new URL(url).port),
    problem: () => problem,
    residentMemory: () => memory("VmRSS"),
    peakMemory: () => {
      const latest = peak;
      peak = 0;
      return latest;
    },
    status: async () => {
      if (!child.connected) {
        throw new Error(`the service has ended: ${problem}`);
      }
      const response = once(child, "message");
      child.send("status");
      const [status] = await response;
      return status as Status;
    },
    openFiles: () => readdirSync(`${proc}/fd`).length,
    stop: async () => {
      clearInterval(watching);
      isStopping = true;
      child.kill("SIGTERM");
      await ended;
    },
  };
}
