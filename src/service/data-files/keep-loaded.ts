import { type Failure, fail, type Result } from "../../result.js";
import type { WatchFiles } from "./watch-files.js";

/** Data of files that is made anew whenever the files change. */
export interface LoadedData<T> {
  /** What was made of the files when they were usable last; undefined as long as they never were. */
  current(): T | undefined;
  /** No longer looks at the files. What is there stays. */
  close(): void;
}

/** What {@link keepLoaded} stands on. */
export interface KeepLoadedOptions<T, F extends Failure> {
  /** All files that the data is made of. */
  readonly paths: readonly string[];
  /** Makes the data of the files as they are now. */
  readonly load: () => Promise<Result<T, F>>;
  readonly watchFiles: WatchFiles;
  /** New data is in use; `isReplacement`: in the place of older data. */
  readonly onLoaded: (data: T, isReplacement: boolean) => void;
  /** The files cannot be used; `hasOlderData`: what was made before stays in use. */
  readonly onRefused: (failure: F | Failure<"LOAD_FAILED">, hasOlderData: boolean) => void;
}

/**
 * Loads data from files, and again each time that they change. New data takes the place of the old at once and as a
 * whole; files that cannot be used change nothing until they are. Loads never overlap: what changes during one leads to
 * one more. Resolves after the first, whatever came of it.
 */
export async function keepLoaded<T, F extends Failure>(
  options: KeepLoadedOptions<T, F>,
): Promise<LoadedData<T>> {
  const { paths, load, watchFiles, onLoaded, onRefused } = options;
  let current: T | undefined;
  let isClosed = false;
  let isLoading = false;
  let isStale = false;

  async function loadOnce(): Promise<void> {
    // Loading is not expected to throw; if it does, that must not end the process.
    const loaded = await load().catch((thrown: unknown) => fail("LOAD_FAILED", String(thrown)));
    if (isClosed) {
      return;
    }
    if (!loaded.ok) {
      onRefused(loaded.failure, current !== undefined);
      return;
    }
    const isReplacement = current !== undefined;
    current = loaded.value;
    onLoaded(loaded.value, isReplacement);
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

  // The watch comes first, for what changes between a load and the first look would go unnoticed.
  const watch = await watchFiles(paths, () => void reload());
  await reload();
  return {
    current: () => current,
    close: () => {
      isClosed = true;
      watch.stop();
    },
  };
}
