import type { ListProgress, ListWork } from "./work/list-work.js";
import type { WorkCall, WorkMessage } from "./work/serve-work.js";

/** The work on lists in a worker. */
export interface WorkConnection<Overview> {
  /** Calls a method of the work. Stays pending if the worker fails. */
  readonly call: <Name extends keyof ListWork<Overview>>(
    name: Name,
    ...args: Parameters<ListWork<Overview>[Name]>
  ) => Promise<Awaited<ReturnType<ListWork<Overview>[Name]>>>;
  /** Ends the worker. */
  readonly close: () => void;
}

/**
 * Connects the page to the work on lists in a worker.
 *
 * @param onFailure called if the worker cannot be loaded, ends, or throws
 */
export function connectWork<Overview>(
  worker: Worker,
  onProgress: (progress: ListProgress) => void,
  onFailure: () => void,
): WorkConnection<Overview> {
  const waiting = new Map<number, (result: never) => void>();
  let id = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<WorkMessage>) => {
    if ("progress" in data) {
      onProgress(data.progress);
    } else if ("result" in data) {
      // The worker returns what the method of this name returns.
      waiting.get(data.id)?.(data.result as never);
    } else {
      onFailure();
    }
    waiting.delete("id" in data ? data.id : 0);
  });
  worker.addEventListener("error", onFailure);
  return {
    call: (name, ...args) =>
      new Promise((resolve) => {
        waiting.set(++id, resolve);
        worker.postMessage({ id, name, args } satisfies WorkCall);
      }),
    close: () => worker.terminate(),
  };
}
