import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { OURS } from "../bench/server-process.js";
import { afterOthers, asAnyOther } from "./prefer-this-process.js";

/** The folder of this package. */
export const ROOT = dirname(createRequire(import.meta.url).resolve("#package.json"));

/** Milliseconds that something may take which is waited for. */
const PATIENCE = 30_000;

/** The service, in processes of its own. */
export interface ServiceProcess {
  readonly url: string;
  readonly process: ChildProcess;
  /** How often its output has had the pattern, which must be global. */
  count(pattern: RegExp): number;
  /** Resolves when its output has had the pattern so many times. */
  says(pattern: RegExp, times: number): Promise<void>;
  /** Sends a signal and resolves to how it ended. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

const running = new Set<ChildProcess>();

/**
 * Starts the service as `npm start` does, and waits until it is ready. Where it starts `quietly`, it takes what processor
 * time others leave until then, as if it had a machine of its own.
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
  asAnyOther(child.pid);
  if (quietly) {
    afterOthers(child.pid);
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
      const timer = setTimeout(() => reject(new Error(`${pattern} did not come: ${output}`)), PATIENCE);
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
  asAnyOther(child.pid);
  return {
    url: / ready on (http\S+)/.exec(output)?.[1] ?? "",
    process: child,
    count,
    says,
    end: async (signal) => {
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
      const how = await exit;
      clearTimeout(timer);
      return how;
    },
  };
}

/** Ends what still runs. */
export function endServices(): void {
  for (const child of running) {
    child.kill("SIGKILL");
  }
}

/** The processes that a process has started (proc(5)). */
export function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? [] : children.split(" ").map(Number);
}
