import { existsSync, mkdtempSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A control group of Linux, which limits what its processes use together (cgroups(7)). */
export interface ControlGroup {
  /** Moves a process into the group. */
  add(pid: number): void;
  /** Removes the group, whose processes must have ended. */
  remove(): void;
}

const ROOT = "/sys/fs/cgroup";

/** Creates a control group with a limit in MiB, beyond which the kernel kills a process; undefined where this process may not. */
export function createMemoryLimit(mebibytes: number): ControlGroup | undefined {
  // Controllers have folders of their own in version 1, and none in version 2.
  const isVersion1 = existsSync(join(ROOT, "memory"));
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(ROOT, isVersion1 ? "memory" : "", "utility-tools-"));
    const file = isVersion1 ? "memory.limit_in_bytes" : "memory.max";
    writeFileSync(join(folder, file), String(mebibytes * 1024 ** 2));
  } catch {
    if (folder !== undefined) {
      rmdirSync(folder);
    }
    return undefined;
  }
  const created = folder;
  return {
    add: (pid) => writeFileSync(join(created, "cgroup.procs"), String(pid)),
    remove: () => rmdirSync(created),
  };
}
