import type { ListProgress, ListWork } from "./work/list-work.js";
import type { WorkCall, WorkMessage } from "./work/serve-work.js";

/** The work on lists in a worker. */
export interface WorkConnection<Overview> {
  /** Calls a method of the work. Rejects if the worker fails. */
  readonly call: <Name extends keyof ListWork<Overview>>(
    name: Name,
    ...args: Parameters<ListWork<Overview>[Name]>
  ) => Promise<Awaited<ReturnType<ListWork<Overview>[Name]>>>;
  /** Ends the worker. */
  readonly close: () => void;
}

/** The part of a `Worker` that a connection uses. */
export interface WorkerPort {
  postMessage(message: unknown): void;
  terminate(): void;
  addEventListener(type: "message" | "error", listener: (event: { readonly data?: unknown }) => void): void;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Connects the page to the work on lists in a worker.
 *
 * @param onFailure called if the worker cannot be loaded, or ends
 */
export function connectWork<Overview>(
  worker: WorkerPort,
  onProgress: (progress: ListProgress) => void,
  onFailure: () => void,
): WorkConnection<Overview> {
  const waiting = new Map<number, Pending>();
  let id = 0;
  worker.addEventListener("message", ({ data }) => {
    const message = data as WorkMessage;
    if (message.kind === "progress") {
      onProgress(message.progress);
      return;
    }
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === "result") {
      call?.resolve(message.result);
    } else {
      call?.reject(new Error(message.text));
    }
  });
  worker.addEventListener("error", onFailure);
  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        // The worker returns what the method of this name returns.
        waiting.set(++id, { resolve: resolve as Pending["resolve"], reject });
        worker.postMessage({ id, name, args } satisfies WorkCall);
      }),
    close: () => worker.terminate(),
  };
}
