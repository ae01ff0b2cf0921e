import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
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
