import { type Failure, ok, type Result } from "../../result.js";
import { type KeepLoadedOptions, keepLoaded } from "./keep-loaded.js";

/** Data of files that were usable at the start, so that there always is some. */
export interface PresentData<T> {
  /** What was made of the files when they were usable last. */
  current(): T;
  /** No longer looks at the files. What is there stays. */
  close(): void;
}

/** What {@link keepLoadedFromStart} stands on. */
export interface FromStartOptions<T, F extends Failure>
  extends Omit<KeepLoadedOptions<T, F>, "onLoaded" | "onRefused"> {
  /** The files have changed: what was made of them is in use, or they cannot be used, and what was made before stays. */
  readonly onReload: (reload: Result<T, F | Failure<"LOAD_FAILED">>) => void;
}

/** Loads data from files as {@link keepLoaded} does, but fails when they cannot be used at the start. */
export async function keepLoadedFromStart<T, F extends Failure>({
  onReload,
  ...options
}: FromStartOptions<T, F>): Promise<Result<PresentData<T>, F | Failure<"LOAD_FAILED">>> {
  let latest: { readonly data: T } | undefined;
  let problem: F | Failure<"LOAD_FAILED"> = { reason: "LOAD_FAILED", description: "was not loaded" };
  const { close } = await keepLoaded<T, F>({
    ...options,
    onLoaded: (data, isReplacement) => {
      latest = { data };
      if (isReplacement) {
        onReload(ok(data));
      }
    },
    onRefused: (failure, hasOlderData) => {
      problem = failure;
      if (hasOlderData) {
        onReload({ ok: false, failure });
      }
    },
  });
  const first: { readonly data: T } | undefined = latest;
  if (first === undefined) {
    close();
    return { ok: false, failure: problem };
  }
  return ok({ current: () => (latest ?? first).data, close });
}
