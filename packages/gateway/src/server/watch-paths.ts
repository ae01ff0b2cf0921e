import { stat } from "node:fs/promises";

/**
 * Calls a function when the files at some paths have changed, until `signal` is aborted. A change counts when the next check finds the same,
 * so that no file is read while it is written. The function is also called at the start: a file can have changed since it was read.
 */
export function watchPaths(
  paths: readonly string[],
  interval: number,
  signal: AbortSignal,
  onChange: () => void,
): void {
  if (paths.length === 0) {
    return;
  }
  let reported: string | undefined;
  let before: string | undefined;
  let isChecking = false;
  async function check(): Promise<void> {
    if (!isChecking) {
      isChecking = true;
      const now = (await Promise.all(paths.map(versionOf))).join(" ");
      isChecking = false;
      if (now !== reported && now === before && !signal.aborted) {
        reported = now;
        onChange();
      }
      before = now;
    }
  }
  void check();
  const timer = setInterval(() => void check(), interval).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/** What changes with a file: also its inode, because Kubernetes replaces files by symbolic links. */
async function versionOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return `${mtimeMs}/${size}/${ino}`;
  } catch {
    return "missing";
  }
}
