import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** One processor for a server and one for the load, as numbers of `taskset`. */
interface Processors {
  readonly server: string;
  readonly load: string;
}

/** The processors of a benchmark. Undefined with fewer than two processors or without `taskset`. */
export const PROCESSORS: Processors | undefined = chooseProcessors();

function chooseProcessors(): Processors | undefined {
  if (!isInstalled("taskset")) {
    return undefined;
  }
  const status = readFileSync("/proc/self/status", "utf8");
  const [load, server] = parseCpuList(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "");
  return load === undefined || server === undefined ? undefined : { server: `${server}`, load: `${load}` };
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

/** Returns a command line that runs on some processors: `1` or `0,1`. Undefined means all. */
export function pinned(processors: string | undefined, command: readonly string[]): string[] {
  return processors === undefined ? [...command] : ["taskset", "--cpu-list", processors, ...command];
}

/** Moves this process to some processors, and those that it starts. Undefined means all. */
export function pinThisProcess(processors: string | undefined): void {
  if (processors !== undefined) {
    const args = ["--all-tasks", "--cpu-list", "--pid", processors, String(process.pid)];
    execFileSync("taskset", args, { stdio: "ignore" });
  }
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}
