import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** Which processors a benchmark uses. */
interface Processors {
  readonly server: number;
  readonly load: number;
}

/** The processors for server and load, one each; undefined where there are not two, or no `taskset` to choose. */
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

/** The processors in a list as Linux writes it: `0-2,5`. */
export function parseCpuList(list: string): number[] {
  return list.split(",").flatMap((part) => {
    const [first, last = first] = part.split("-", 2);
    if (first === undefined || last === undefined || part === "") {
      return [];
    }
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
  });
}

/** A command line that runs on one processor. */
export function pinned(processor: number | undefined, command: string, args: readonly string[]): string[] {
  const whole = [command, ...args];
  return processor === undefined ? whole : ["taskset", "--cpu-list", String(processor), ...whole];
}

/** The Debian packages of the load tools. */
const PACKAGES = [
  ["wrk", "wrk"],
  ["h2load", "nghttp2-client"],
] as const;

/** The packages that are missing on this machine. */
export function missingPackages(): string[] {
  return PACKAGES.filter(([tool]) => !isInstalled(tool)).map(([, name]) => name);
}

function isInstalled(tool: string): boolean {
  return spawnSync(tool, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** Runs a load tool on the processor for load; resolves to what it printed. Rejects when it fails. */
export async function runTool(tool: string, args: readonly string[]): Promise<string> {
  const [command = tool, ...rest] = pinned(PROCESSORS?.load, tool, args);
  const { stdout } = await promisify(execFile)(command, rest, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

const PACKAGE = createRequire(import.meta.url).resolve("#package.json");
const ROOT = dirname(PACKAGE);

/** What `npm start` has Node run, with its flags. */
export const OURS: readonly string[] = JSON.parse(readFileSync(PACKAGE, "utf8"))
  .scripts.start.split(" ")
  .slice(1);

/** Milliseconds that a server has to start, and to stop. */
const PATIENCE = 30_000;

/** A server that runs in a process of its own. */
export interface ServerProcess {
  /** Scheme, host and port, no final slash. */
  readonly url: string;
  /** Milliseconds from the start of the process to the line that says it is ready. */
  readonly readyAfter: number;
  /** Sends it a signal. */
  signal(name: NodeJS.Signals): void;
  /** Its memory in RAM, in MiB; NaN where the system does not tell. */
  residentMemory(): number;
  /** Seconds of processor time that it has taken so far; NaN where the system does not tell. */
  processorTime(): number;
  /** Ends it as a process manager would. */
  stop(): Promise<void>;
}

/** What whoever starts a server wants to hear of it. */
export interface ServerListener {
  /** A line of its standard output, other than the one that says it is ready. */
  onOutput(line: string): void;
  /** What it writes to its standard error, which goes to our own unless somebody listens. */
  onErrorOutput(text: string): void;
  /** It has ended, by itself or because it was stopped. */
  onExit(code: number | null, signal: NodeJS.Signals | null): void;
}

/**
 * Runs a Node program of this package until it prints that it is `ready on <url>`. The environment is empty but for the
 * port, so that no setting of the caller's gets in. Rejects when the program ends or takes too long.
 */
export async function startProcess(
  args: readonly string[],
  listener?: ServerListener,
): Promise<ServerProcess> {
  const started = performance.now();
  const [command = "", ...rest] = pinned(PROCESSORS?.server, process.execPath, args);
  const child = spawn(command, rest, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (listener === undefined) {
    child.stderr.pipe(process.stderr, { end: false });
  } else {
    child.stderr.setEncoding("utf8").on("data", (text: string) => listener.onErrorOutput(text));
  }
  child.once("exit", (code, signal) => listener?.onExit(code, signal));
  const ended = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on("line", (line) => {
      const found = / ready on (http:\S+)/.exec(line)?.[1];
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
    processorTime: () => processorSeconds(procFile(child.pid, "stat")),
    stop: async () => {
      const forced = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
      child.kill("SIGTERM");
      await ended;
      clearTimeout(forced);
    },
  };
}

function procFile(pid: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

/** Ticks a second in /proc, which is the same on every Linux that Node runs on. */
const TICKS = 100;

/** Fields 14 and 15 of /proc/<pid>/stat (proc_pid_stat(5)), counted behind the name, which may hold spaces. */
function processorSeconds(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
