import { type Failure, fail, ok, type Result } from "../../result.js";
import { loadDataFiles, type WatchFiles, watchFiles } from "../data-files/data-files.js";
import { type ReadFailure, readRegularFile } from "../data-files/read-regular-file.js";
import { type ApiKey, hasKey } from "./api-key.js";
import { parseApiKeys } from "./parse-api-keys.js";

/**
 * Why a file of API keys cannot be used. The description begins with its path, unless that is a key in the wrong place, and
 * has no word of what is in the file.
 */
export type ApiKeysFailure = ReadFailure | Failure<"INVALID_API_KEYS" | "LOAD_FAILED">;

/** What came of a changed file: how many keys it has now, or why the keys from before go on. */
export type ApiKeysReload = Result<number, ApiKeysFailure>;

/** The keys of a file, as it is now. */
export interface ApiKeysFile {
  /** The keys of the last version of the file that could be used. */
  current(): readonly ApiKey[];
  /** Ends the watch. */
  stop(): void;
}

/** Octets that a file of keys may have: some seven times what the most keys with the longest names take. */
const MAX_FILE_SIZE = 1_048_576;

/** Reads a file of API keys once. */
export async function readApiKeys(path: string): Promise<Result<readonly ApiKey[], ApiKeysFailure>> {
  const octets = await readRegularFile(path, MAX_FILE_SIZE);
  const keys = octets.ok ? parseApiKeys(octets.value.toString()) : octets;
  const shown = hasKey(path) ? "the file, whose name seems to be a key itself," : path;
  return keys.ok ? keys : fail(keys.failure.reason, `${shown} ${keys.failure.description}`);
}

/**
 * Reads a file of API keys and follows it: a changed file is read aside and takes effect as a whole. One that is broken
 * or gone is refused, and the keys from before stay. `onReload` is told of either. Fails when the file cannot be used
 * at the start.
 */
export async function loadApiKeys(
  path: string,
  onReload: (reload: ApiKeysReload) => void,
  watch: WatchFiles = watchFiles,
): Promise<Result<ApiKeysFile, ApiKeysFailure>> {
  const { first, current, close } = await loadDataFiles<readonly ApiKey[], ApiKeysFailure>({
    paths: [path],
    load: () => readApiKeys(path),
    watchFiles: watch,
    onLoad: (loaded, hadData) => {
      if (hadData) {
        onReload(loaded.ok ? ok(loaded.value.length) : loaded);
      }
    },
  });
  if (!first.ok) {
    close();
    return first;
  }
  return ok({ current: () => current() ?? first.value, stop: close });
}
