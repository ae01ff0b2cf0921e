import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, setPriority } from "node:os";
import { dirname } from "node:path";
import { OURS } from "../lib/service.js";

/**
 * Raises the priority of this process if permitted. A client without processor time would report requests as lost that
 * are not.
 */
export function raisePriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
  } catch {
    // Requires root. Without it, results on a busy machine are less reliable.
  }
}

/** Sets a child process to normal priority. */
export function resetPriority(pid: number | undefined): void {
  trySetPriority(pid, constants.priority.PRIORITY_NORMAL);
}

/** Sets a child process to a priority below normal. */
export function lowerPriority(pid: number | undefined): void {
  trySetPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
}

/** Only root may raise a priority. */
function trySetPriority(pid: number | undefined, priority: number): void {
  try {
    if (pid !== undefined) {
      setPriority(pid, priority);
    }
  } catch {
    // The priority stays as it is.
  }
}

/** Returns the remote ports of a process's TCP connections (proc_pid_fd(5), proc_pid_net(5)). */
export function peerPortsOf(pid: number): Set<number> {
  const inodes = new Set<string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${name}`))?.[1];
    if (inode !== undefined) {
      inodes.add(inode);
    }
  }
  const ports = new Set<number>();
  for (const table of ["tcp", "tcp6"]) {
    for (const line of readFileSync(`/proc/${pid}/net/${table}`, "utf8").split("\n").slice(1)) {
      const fields = line.trim().split(/\s+/);
      const [remote = "", inode = ""] = [fields[2], fields[9]];
      const port = Number.parseInt(remote.split(":")[1] ?? "", 16);
      // Listening sockets have no remote port.
      if (inodes.has(inode) && port !== 0) {
        ports.add(port);
      }
    }
  }
  return ports;
}

/** Returns the target of a symbolic link. Empty if the link has just been removed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** The folder of this package. */
export const ROOT = dirname(createRequire(import.meta.url).resolve("#package.json"));

/** The timeout of waits, in milliseconds. */
const TIMEOUT = 30_000;

/** The service in separate processes. */
export interface ServiceProcess {
  readonly url: string;
  readonly process: ChildProcess;
  /** Returns the number of matches of a global pattern in its output. */
  count(pattern: RegExp): number;
  /** Resolves when its output has matched the pattern `times` times. */
  says(pattern: RegExp, times: number): Promise<void>;
  /** Sends a signal and resolves to the exit code or signal. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

const running = new Set<ChildProcess>();

/**
 * Starts the service as `npm start` does and waits until it is ready. With `quietly`, it has a low priority until then,
 * as if it had its own machine.
 */
export async function startService(
  env: Readonly<Record<string, string>>,
  command: readonly string[] = [process.execPath, ...OURS],
  quietly = false,
): Promise<ServiceProcess> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  resetPriority(child.pid);
  if (quietly) {
    lowerPriority(child.pid);
  }
  running.add(child);
  const exit = once(child, "close").then(([code, signal]): number | NodeJS.Signals => {
    running.delete(child);
    return code ?? signal;
  });
  let output = "";
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
      for (const look of looks) {
        look();
      }
    });
  }
  const count = (pattern: RegExp): number => output.match(pattern)?.length ?? 0;
  const says = (pattern: RegExp, times: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${pattern} did not come: ${output}`)), TIMEOUT);
      const look = (): void => {
        if (count(pattern) >= times) {
          clearTimeout(timer);
          looks.delete(look);
          resolve();
        }
      };
      looks.add(look);
      look();
      void exit.then((how) => reject(new Error(`it ended (${how}): ${output}`)));
    });
  await says(/ready on http\S+.*\n/g, 1);
  resetPriority(child.pid);
  return {
    url: / ready on (http\S+)/.exec(output)?.[1] ?? "",
    process: child,
    count,
    says,
    end: async (signal) => {
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT);
      const how = await exit;
      clearTimeout(timer);
      return how;
    },
  };
}

/** Kills all running services. */
export function endServices(): void {
  for (const child of running) {
    child.kill("SIGKILL");
  }
}

/** Returns the child processes of a process (proc(5)). */
export function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? [] : children.split(" ").map(Number);
}
