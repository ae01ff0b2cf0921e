import { type WatchFiles, watchFiles } from "connect-transcoding-operations/files/data-files";

/** Watches files, and reports changes of all of them on demand. */
export interface Reloader {
  readonly watchFiles: WatchFiles;
  /** Calls back as if all watched files had changed. */
  reload(this: void): void;
}

/** Creates a watch of files that an operator can hurry, instead of waiting for the next look. */
export function createReloader(watch: WatchFiles = watchFiles): Reloader {
  const callbacks = new Set<() => void>();
  return {
    watchFiles: async (paths, onChange) => {
      const watched = await watch(paths, onChange);
      callbacks.add(onChange);
      return {
        stop: () => {
          callbacks.delete(onChange);
          watched.stop();
        },
      };
    },
    reload: () => {
      for (const callback of callbacks) {
        callback();
      }
    },
  };
}
