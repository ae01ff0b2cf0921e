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

/** The files of a controller with their contents, in version 1 and version 2 of control groups. */
interface Settings {
  readonly version1: Readonly<Record<string, string>>;
  readonly version2: Readonly<Record<string, string>>;
}

/** Creates a control group with a limit in MiB, beyond which the kernel kills a process; undefined where this process may not. */
export function createMemoryLimit(mebibytes: number): ControlGroup | undefined {
  const limit = String(mebibytes * 1024 ** 2);
  return createControlGroup("memory", {
    version1: { "memory.limit_in_bytes": limit },
    version2: { "memory.max": limit },
  });
}

/** Creates a control group with a share of a processor, from 0.1; undefined where this process may not. */
export function createProcessorLimit(share: number): ControlGroup | undefined {
  const period = 10_000;
  const quota = String(Math.round(share * period));
  return createControlGroup("cpu", {
    version1: { "cpu.cfs_period_us": String(period), "cpu.cfs_quota_us": quota },
    version2: { "cpu.max": `${quota} ${period}` },
  });
}

function createControlGroup(
  controller: "cpu" | "memory",
  { version1, version2 }: Settings,
): ControlGroup | undefined {
  // Controllers have folders of their own in version 1, and none in version 2.
  const isVersion1 = existsSync(join(ROOT, controller));
  let folder: string;
  try {
    folder = mkdtempSync(join(ROOT, isVersion1 ? controller : "", "utility-tools-"));
  } catch {
    return undefined;
  }
  const remove = (): void => rmdirSync(folder);
  try {
    for (const [file, content] of Object.entries(isVersion1 ? version1 : version2)) {
      writeFileSync(join(folder, file), content);
    }
  } catch {
    remove();
    return undefined;
  }
  return { add: (pid) => writeFileSync(join(folder, "cgroup.procs"), String(pid)), remove };
}
