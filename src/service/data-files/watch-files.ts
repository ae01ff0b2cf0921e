import { stat } from "node:fs/promises";

/** What looks after files for as long as it is not told to stop. */
export interface FileWatch {
  stop(): void;
}

/** A way to be told of changes to files, such as {@link watchFiles}. */
export type WatchFiles = (paths: readonly string[], onChange: () => void) => Promise<FileWatch>;

/** How often files are looked at, in milliseconds. */
const INTERVAL = 250;

/**
 * Calls back when any of some files has been replaced, written to, made, removed or given other permissions, once the change
 * is over: when it looks the same twice in a row. Looks at them every so often, for the events of file systems differ by system, get lost on
 * some mounts, and follow a file that was renamed away. Resolves after the first look: what changes from then on is told.
 * The looks do not keep the process alive.
 */
export async function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  interval = INTERVAL,
): Promise<FileWatch> {
  let told = await fingerprintOf(paths);
  let latest = told;
  let isLooking = false;

  async function look(): Promise<void> {
    const seen = await fingerprintOf(paths);
    const isOver = seen === latest;
    latest = seen;
    if (isOver && seen !== told && !isStopped) {
      told = seen;
      onChange();
    }
  }

  let isStopped = false;
  const timer = setInterval(() => {
    if (!isLooking) {
      isLooking = true;
      void look().finally(() => {
        isLooking = false;
      });
    }
  }, interval);
  timer.unref();
  return {
    stop: () => {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

/**
 * What tells one state of the files from another. The time of the last change of status is a part of it, so that a file that
 * could not be read is looked at again once it may be, and one that was rewritten with its old time and size as well.
 */
async function fingerprintOf(paths: readonly string[]): Promise<string> {
  const each = await Promise.all(
    paths.map((path) =>
      stat(path, { bigint: true }).then(
        ({ dev, ino, size, mtimeNs, ctimeNs }) => `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`,
        () => "none",
      ),
    ),
  );
  return each.join(" ");
}
