import { stat } from "node:fs/promises";
import { type Failure, fail, type Result } from "../failures/result.js";

/** The options of {@link loadDataFiles}. */
export interface DataFilesOptions<T, F extends Failure> {
  readonly paths: readonly string[];
  /** Creates the data from the current content of the files. Called with the data in use; undefined before the first success. */
  readonly load: (inUse: T | undefined) => Promise<Result<T, F>>;
  readonly watchFiles: WatchFiles;
  /**
   * Called with the result of every load, including the first. `hadData` is true if earlier data was in use: a success has
   * replaced it, and after a failure it stays in use.
   */
  readonly onLoad?: (loaded: Result<T, F | Failure<"LOAD_FAILED">>, hadData: boolean) => void;
}

/** Data that is reloaded when its files change. */
export interface DataFiles<T, F extends Failure> {
  readonly first: Result<T, F | Failure<"LOAD_FAILED">>;
  /** Returns the data of the last successful load; undefined before there was one. */
  current(): T | undefined;
  /** Stops watching the files. The data stays. */
  close(): void;
}

/**
 * Loads data from files, and reloads it whenever they change. New data replaces the old as a whole; files that cannot be used
 * leave the old data in place. Loads never overlap: changes during a load cause one more. Returns after the first load,
 * whether or not it succeeded. Code that needs the data at startup checks `first`.
 *
 *     const keys = await loadDataFiles({ paths: [path], load: () => readApiKeys(path), watchFiles });
 *     if (!keys.first.ok) {
 *       keys.close();
 *       return keys.first;
 *     }
 */
export async function loadDataFiles<T, F extends Failure>(
  options: DataFilesOptions<T, F>,
): Promise<DataFiles<T, F>> {
  const { paths, load, watchFiles, onLoad } = options;
  let current: T | undefined;
  let isClosed = false;
  let isLoading = false;
  let isStale = false;

  async function loadOnce(): Promise<Result<T, F | Failure<"LOAD_FAILED">>> {
    // An unexpected exception must not end the process.
    const loaded = await load(current).catch((thrown: unknown) => fail("LOAD_FAILED", String(thrown)));
    if (!isClosed) {
      const hadData = current !== undefined;
      current = loaded.ok ? loaded.value : current;
      onLoad?.(loaded, hadData);
    }
    return loaded;
  }

  async function reload(): Promise<void> {
    isStale = true;
    if (isLoading) {
      return;
    }
    isLoading = true;
    while (isStale && !isClosed) {
      isStale = false;
      await loadOnce();
    }
    isLoading = false;
  }

  // The files are watched first: a change between a load and the first look would go unnoticed.
  isLoading = true;
  const watch = await watchFiles(paths, () => void reload());
  const first = await loadOnce();
  isLoading = false;
  if (isStale) {
    await reload();
  }
  return {
    first,
    current: () => current,
    close: () => {
      isClosed = true;
      watch.stop();
    },
  };
}

export interface FileWatch {
  stop(): void;
}

/** Calls back when files change; see {@link watchFiles}. */
export type WatchFiles = (paths: readonly string[], onChange: () => void) => Promise<FileWatch>;

/** How often files are examined, in milliseconds. */
const INTERVAL = 250;

/**
 * Calls back after any of the files was replaced, written, created, removed or given other permissions, as soon as it looks
 * the same twice in a row. Polls every `interval` milliseconds: the events of file systems differ, get lost on some mounts,
 * and follow a file that is renamed. Resolves after the first look; later changes are reported. The watch does not keep the
 * process alive.
 */
export async function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  interval = INTERVAL,
): Promise<FileWatch> {
  let reported = await fingerprintOf(paths);
  let latest = reported;
  let isLooking = false;
  let isStopped = false;

  async function look(): Promise<void> {
    const seen = await fingerprintOf(paths);
    const isStable = seen === latest;
    latest = seen;
    if (isStable && seen !== reported && !isStopped) {
      reported = seen;
      onChange();
    }
  }

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
 * Returns a text that differs whenever the files do. It includes the time of the last status change, so that a file is loaded
 * again after it became readable, and after it was rewritten with its old size and modification time.
 */
export async function fingerprintOf(paths: readonly string[]): Promise<string> {
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
