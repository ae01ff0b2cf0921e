import { type Failure, ok, type Result } from "../failures/result.js";
import { loadDataFiles, type WatchFiles, watchFiles } from "../files/data-files.js";
import { type ReadFailure, readRegularFile } from "../files/read-regular-file.js";
import { type ApiKeys, GENERATED_KEY, type InvalidApiKeys, MAX_API_KEYS, parseInParts } from "./api-keys.js";

/**
 * The reason a file of API keys cannot be used. The description starts with the path of the file, unless the path is itself
 * a key, and never quotes the file.
 */
export type ApiKeysFailure = ReadFailure | InvalidApiKeys | Failure<"LOAD_FAILED">;

/** The maximum size of the file in bytes: that of {@link MAX_API_KEYS} keys with the longest names. */
const MAX_FILE_SIZE = 16_777_216;

export async function readApiKeys(path: string): Promise<Result<ApiKeys, ApiKeysFailure>> {
  const bytes = await readRegularFile(path, MAX_FILE_SIZE);
  const keys = bytes.ok ? await parseInTurns(bytes.value.toString()) : bytes;
  const shownPath = GENERATED_KEY.test(path) ? "the file, whose name seems to be a key itself," : path;
  return keys.ok
    ? keys
    : { ok: false, failure: { ...keys.failure, description: `${shownPath} ${keys.failure.description}` } };
}

async function parseInTurns(text: string): Promise<Result<ApiKeys, InvalidApiKeys>> {
  const parts = parseInParts(text);
  for (let part = parts.next(); ; part = parts.next()) {
    if (part.done === true) {
      return part.value;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The outcome of a reload: the new number of keys, or what is wrong with the file, and what of it applies. */
export type ApiKeysReload = Result<number, ApiKeysFailure>;

/** A file of API keys that is reloaded when it changes. */
export interface ApiKeysFile {
  /** Returns the keys that are valid now. */
  current(): ApiKeys;
  stop(): void;
}

/**
 * Loads a file of API keys and reloads it when it changes. A new version replaces all keys at once. Of an invalid version, the valid lines
 * apply, so that a removed key ends while another line is broken; names in broken lines keep their keys, because nobody knows what was
 * meant. If the file is missing or cannot be read, the previous keys stay in use. `onReload` is called with each outcome. Fails if the first
 * load fails.
 */
export async function loadApiKeys(
  path: string,
  onReload: (reload: ApiKeysReload) => void,
  watch: WatchFiles = watchFiles,
): Promise<Result<ApiKeysFile, ApiKeysFailure>> {
  type Loaded = { readonly keys: ApiKeys; readonly failure?: ApiKeysFailure };
  const { first, current, close } = await loadDataFiles<Loaded, ApiKeysFailure>({
    paths: [path],
    load: async (inUse) => {
      const read = await readApiKeys(path);
      if (read.ok || inUse === undefined) {
        return read.ok ? ok({ keys: read.value }) : read;
      }
      return ok({ keys: usableKeys(read.failure, inUse.keys), failure: withEffect(read.failure) });
    },
    watchFiles: watch,
    onLoad: (loaded, hadData) => {
      if (hadData) {
        const failure = loaded.ok ? loaded.value.failure : withEffect(loaded.failure);
        onReload(failure === undefined ? ok(current()?.keys.size ?? 0) : { ok: false, failure });
      }
    },
  });
  if (!first.ok) {
    close();
    return first;
  }
  return ok({ current: () => (current() ?? first.value).keys, stop: close });
}

/** Returns the keys that are valid after a version of the file that cannot be used as a whole. */
function usableKeys(failure: ApiKeysFailure, inUse: ApiKeys): ApiKeys {
  if (failure.reason !== "INVALID_API_KEYS") {
    return inUse;
  }
  const kept = [...inUse].filter(([, { name }]) => failure.names.has(name));
  return new Map([...kept, ...failure.keys]);
}

/** Adds to the description of a failure which keys are in use. */
function withEffect(failure: ApiKeysFailure): ApiKeysFailure {
  const effect =
    failure.reason === "INVALID_API_KEYS"
      ? "the other lines are in use, and names in these lines keep their keys"
      : "the previous keys stay in use";
  return { ...failure, description: `${failure.description}; ${effect}` };
}
