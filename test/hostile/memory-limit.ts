import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A control group of Linux, which limits the memory of its processes: beyond it, the kernel kills one of them. */
export interface MemoryLimit {
  /** Moves a process into the group. */
  add(pid: number): void;
  /** Removes the group, whose processes must have ended. */
  remove(): void;
}

const ROOT = "/sys/fs/cgroup";

/** Creates a control group with a limit in MiB; undefined where this process may not. */
export function createMemoryLimit(mebibytes: number): MemoryLimit | undefined {
  // The memory controller has a folder of its own in version 1 of control groups, and none in version 2.
  const isVersion1 = existsSync(join(ROOT, "memory"));
  const folder = join(ROOT, isVersion1 ? "memory" : "", `hostile-${process.pid}`);
  const remove = (): void => rmdirSync(folder);
  try {
    mkdirSync(folder);
  } catch {
    return undefined;
  }
  try {
    const file = join(folder, isVersion1 ? "memory.limit_in_bytes" : "memory.max");
    writeFileSync(file, String(mebibytes * 1024 ** 2));
  } catch {
    remove();
    return undefined;
  }
  return { add: (pid) => writeFileSync(join(folder, "cgroup.procs"), String(pid)), remove };
}
