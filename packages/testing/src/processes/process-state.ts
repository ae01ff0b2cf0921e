import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";

// The state of processes, from /proc (proc(5)). Numbers are NaN after the process has ended, and on systems other than Linux.

/** Resident memory in MiB. */
export function residentMemory(pid: number): number {
  return memoryOf(pid, "VmRSS");
}

/** The peak of resident memory in MiB, since the start or the previous {@link resetPeakMemory}. */
export function peakMemory(pid: number): number {
  return memoryOf(pid, "VmHWM");
}

export function resetPeakMemory(pid: number): void {
  whileAlive(() => writeFileSync(`/proc/${pid}/clear_refs`, "5"), undefined);
}

/** The number of open files, including connections. */
export function openFiles(pid: number): number {
  return whileAlive(() => readdirSync(`/proc/${pid}/fd`).length, Number.NaN);
}

/** Ticks per second in /proc, the same on every Linux that Node supports. */
const TICKS = 100;

/** Processor time so far, in seconds: fields 14 and 15, counted after the name, which can contain spaces. */
export function processorTime(pid: number): number {
  const stat = procFile(pid, "stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

export function childrenOf(pid: number): number[] {
  return procFile(pid, `task/${pid}/children`).trim().split(" ").filter(Boolean).map(Number);
}

/** The remote ports of a process's TCP connections (proc_pid_fd(5), proc_pid_net(5)). */
export function peerPortsOf(pid: number): Set<number> {
  const linkOf = (name: string): string => whileAlive(() => readlinkSync(`/proc/${pid}/fd/${name}`), "");
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).map((name) => /^socket:\[(\d+)\]$/.exec(linkOf(name))?.[1]),
  );
  const lines = ["tcp", "tcp6"].flatMap((table) => procFile(pid, `net/${table}`).split("\n").slice(1));
  const ports = lines.map((line) => {
    const fields = line.trim().split(/\s+/);
    return inodes.has(fields[9]) ? Number.parseInt(fields[2]?.split(":")[1] ?? "", 16) : 0;
  });
  // Listening sockets have no remote port.
  return new Set(ports.filter((port) => port > 0));
}

function memoryOf(pid: number, field: string): number {
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB`, "m").exec(procFile(pid, "status"))?.[1]) / 1024;
}

function procFile(pid: number, name: string): string {
  return whileAlive(() => readFileSync(`/proc/${pid}/${name}`, "utf8"), "");
}

function whileAlive<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
