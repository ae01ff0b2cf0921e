import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** The processors that a benchmark uses. */
interface Processors {
  readonly server: number;
  readonly load: number;
}

/** One processor each for server and load tool. Undefined with fewer than two processors or without `taskset`. */
export const PROCESSORS: Processors | undefined = chooseProcessors();

function chooseProcessors(): Processors | undefined {
  if (!isInstalled("taskset")) {
    return undefined;
  }
  const [load, server] = parseCpuList(readAllowedCpus());
  return load === undefined || server === undefined ? undefined : { server, load };
}

function readAllowedCpus(): string {
  try {
    return /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "";
  } catch {
    return "";
  }
}

/** Parses Linux's list format: `0-2,5`. */
export function parseCpuList(list: string): number[] {
  return list.split(",").flatMap((part) => {
    const [first, last = first] = part.split("-", 2);
    if (first === undefined || last === undefined || part === "") {
      return [];
    }
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
  });
}

/** Returns a command line that runs on one processor, or on several: `0,1`. */
export function pinned(
  processors: number | string | undefined,
  command: string,
  args: readonly string[],
): string[] {
  const whole = [command, ...args];
  return processors === undefined ? whole : ["taskset", "--cpu-list", String(processors), ...whole];
}

/** Whether a program can be run. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** Returns the version that a program prints, such as `v24.21.0`. Throws an Error if it cannot be run. */
export function versionOf(program: string, option = "--version"): string {
  return execFileSync(program, [option], { encoding: "utf8" }).trim();
}

/** Runs a program on the processor for load and resolves to its output. Rejects if it fails. */
export async function runOnLoadProcessor(program: string, args: readonly string[]): Promise<string> {
  const [command = program, ...rest] = pinned(PROCESSORS?.load, program, args);
  const { stdout } = await promisify(execFile)(command, rest, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

const PACKAGE = createRequire(import.meta.url).resolve("#package.json");
/** The folder of this package. Programs run in it. */
export const ROOT = dirname(PACKAGE);

/** The arguments of Node in `npm start`. */
export const OURS: readonly string[] = JSON.parse(readFileSync(PACKAGE, "utf8"))
  .scripts.start.split(" ")
  .slice(1);

/** The timeout to start and to stop a server, in milliseconds. */
const TIMEOUT = 30_000;

/** A server in a separate process. */
export interface ServerProcess {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** Time from process start to readiness, in milliseconds. */
  readonly readyAfter: number;
  signal(name: NodeJS.Signals): void;
  /** Resident memory in MiB. NaN where the system does not provide it. */
  residentMemory(): number;
  /** Processor time so far in seconds. NaN where the system does not provide it. */
  processorTime(): number;
  /** Stops the server with SIGTERM. */
  stop(): Promise<void>;
}

/** Callbacks for the output and the end of a process. */
export interface ProcessListener {
  /** Called for each line of standard output except the one that announces readiness. */
  onOutput(line: string): void;
  /** Called for output on standard error. Without a listener, it goes to our own. */
  onErrorOutput(text: string): void;
  /** Called when the process has ended for any reason. */
  onExit(code: number | null, signal: NodeJS.Signals | null): void;
}

/** How a server is started. */
export interface StartOptions {
  /** Default: the Node that runs this program. */
  readonly command?: string;
  /** Environment variables besides `PATH` and `PORT`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether the server has all processors, including that of the load. */
  readonly hasAllProcessors?: boolean;
  readonly listener?: ProcessListener;
}

/**
 * Runs a program until it prints `ready on <url>`. Its environment has only `PATH`, the port and what the options
 * contain, so that no setting of this process applies. Rejects if the program ends or takes too long.
 */
export async function startProcess(
  args: readonly string[],
  {
    command: program = process.execPath,
    environment = {},
    hasAllProcessors = false,
    listener,
  }: StartOptions = {},
): Promise<ServerProcess> {
  const started = performance.now();
  const processors = hasAllProcessors
    ? PROCESSORS && `${PROCESSORS.load},${PROCESSORS.server}`
    : PROCESSORS?.server;
  const [command = "", ...rest] = pinned(processors, program, args);
  const child = spawn(command, rest, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (listener === undefined) {
    child.stderr.pipe(process.stderr, { end: false });
  } else {
    child.stderr.setEncoding("utf8").on("data", (text: string) => listener.onErrorOutput(text));
  }
  child.once("exit", (code, signal) => listener?.onExit(code, signal));
  const ended = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT);
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on("line", (line) => {
      const found = / ready on (https?:\S+)/.exec(line)?.[1];
      if (found !== undefined) {
        resolve(found);
      } else {
        listener?.onOutput(line);
      }
    });
    ended.then(() => reject(new Error(`${args.join(" ")} did not start`)), reject);
  });
  const readyAfter = performance.now() - started;
  clearTimeout(timer);

  return {
    url,
    readyAfter,
    signal: (name) => void child.kill(name),
    residentMemory: () => Number(/^VmRSS:\s*(\d+) kB/m.exec(procFile(child.pid, "status"))?.[1]) / 1024,
    processorTime: () => processorTimeOf(child.pid),
    stop: async () => {
      const forced = setTimeout(() => child.kill("SIGKILL"), TIMEOUT);
      child.kill("SIGTERM");
      await ended;
      clearTimeout(forced);
    },
  };
}

/** Returns the processor time of a process so far, in seconds. NaN where the system does not provide it. */
export function processorTimeOf(pid: number | undefined): number {
  return processorSeconds(procFile(pid, "stat"));
}

function procFile(pid: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

/** Ticks per second in /proc, the same on every Linux that Node supports. */
const TICKS = 100;

/**
 * Reads fields 14 and 15 of /proc/<pid>/stat (proc_pid_stat(5)). Fields are counted after the name, which can contain
 * spaces.
 */
function processorSeconds(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
