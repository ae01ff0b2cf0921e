import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { resetPriority } from "./priority.js";
import { pinned } from "./processors.js";

/** The timeout to start, to stop and to print something, in milliseconds, also on a busy machine. */
const TIMEOUT = 120_000;

export interface ServerProcessOptions {
  /** The program with its arguments. */
  readonly command: readonly string[];
  /** The folder in which it runs. Default: that of this process. */
  readonly cwd?: string;
  /** Environment variables besides `PATH` and `PORT`, which is 0. No setting of this process applies. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The processors that it may use, as for `taskset`. Default: all. */
  readonly processors?: string | undefined;
  /** Whether it has a low priority until it is ready, as if it had a machine of its own. */
  readonly isQuiet?: boolean;
  /** Whether messages can be sent to {@link ServerProcess.process}. */
  readonly hasMessages?: boolean;
  /** Called for each line of standard output, which is not kept then once the server is ready. */
  readonly onLine?: (line: string) => void;
  /** Called for text on standard error. Default: it is kept with the output. */
  readonly onError?: (text: string) => void;
}

export interface ServerProcess {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly process: ChildProcess;
  /** Time from process start to readiness, in milliseconds. */
  readonly readyAfter: number;
  /** Resolves to the exit code or the signal when the process has ended for any reason. */
  readonly ended: Promise<number | NodeJS.Signals>;
  output(): string;
  /** Returns the number of matches of a global pattern in the output. */
  count(pattern: RegExp): number;
  /** Resolves when the output has matched the pattern `times` times. Rejects after two minutes, or if the process ends. */
  says(pattern: RegExp, times: number): Promise<void>;
  /** Sends a signal, SIGTERM by default, and resolves like `ended`. After two minutes, the process is killed. */
  end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

const running = new Set<ChildProcess>();
process.on("exit", endServers);

/**
 * Starts a server and waits until it prints `ready on <url>`, or `accepts requests on <url>` without usable data. It is killed
 * when this process exits. Rejects if it ends or takes too long.
 */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { command, cwd, environment, processors, isQuiet = false } = options;
  const started = performance.now();
  const [program = "", ...args] = pinned(processors, command);
  const child = spawn(program, args, {
    ...(cwd !== undefined && { cwd }),
    env: { PATH: process.env.PATH, PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe", ...(options.hasMessages ? (["ipc"] as const) : [])],
  });
  const { pid = 0, stdout, stderr } = child;
  if (pid > 0) {
    resetPriority(pid, isQuiet);
  }
  running.add(child);
  const ended = once(child, "close").then(([code, signal]): number | NodeJS.Signals => {
    running.delete(child);
    return code ?? signal;
  });
  // Without this, a program that does not exist would be an error that nobody handles; `says` rejects.
  ended.catch(() => running.delete(child));
  let output = "";
  let isReady = false;
  const looks = new Set<() => void>();
  const keep = (text: string): void => {
    output += isReady && options.onLine !== undefined ? "" : text;
    for (const look of looks) {
      look();
    }
  };
  stdout?.setEncoding("utf8").on("data", keep);
  stderr?.setEncoding("utf8").on("data", options.onError ?? keep);
  if (options.onLine !== undefined && stdout !== null) {
    createInterface({ input: stdout }).on("line", options.onLine);
  }
  const count = (pattern: RegExp): number => output.match(pattern)?.length ?? 0;
  const says = (pattern: RegExp, times: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const fail = (how: unknown): void => reject(new Error(`${command.join(" ")}: ${how}: ${output}`));
      const timer = setTimeout(() => fail(`${pattern} did not come`), TIMEOUT);
      const look = (): void => {
        if (count(pattern) >= times) {
          clearTimeout(timer);
          looks.delete(look);
          resolve();
        }
      };
      looks.add(look);
      look();
      ended.then((how) => fail(`it ended (${how})`), fail).finally(() => clearTimeout(timer));
    });
  const end = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | NodeJS.Signals> => {
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT);
    return ended.finally(() => clearTimeout(timer));
  };
  try {
    await says(/(?:ready|accepts requests) on http\S+.*\n/g, 1);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  const readyAfter = performance.now() - started;
  isReady = true;
  resetPriority(pid);
  const url = /(?:ready|accepts requests) on (http[^\s",]+)/.exec(output)?.[1] ?? "";
  const port = Number(new URL(url).port);
  return { url, port, pid, process: child, readyAfter, ended, output: () => output, count, says, end };
}

function endServers(): void {
  for (const child of running) {
    child.kill("SIGKILL");
  }
}
