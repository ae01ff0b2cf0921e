import { createListWork } from "./create-list-work.js";
import type { ListProgress, ListWork } from "./list-work.js";
import type { WorkTool } from "./work-tool.js";

/** A call of the work in a worker. */
export interface WorkCall {
  readonly id: number;
  readonly name: keyof ListWork<unknown>;
  readonly args: readonly unknown[];
}

/** What a worker sends: progress, the result of a call, or that it threw. */
export type WorkMessage =
  | { readonly progress: ListProgress }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number };

/** Answers calls of the work on lists of a tool. Called once by the module of a worker. */
export function serveWork<Output, Overview>(tool: WorkTool<Output, Overview>): void {
  const send = (message: WorkMessage) => postMessage(message);
  const work = createListWork(tool, (progress) => send({ progress }));
  addEventListener("message", async ({ data: { id, name, args } }: MessageEvent<WorkCall>) => {
    try {
      // A call of a known method, by its name: connectWork has checked the arguments against its type.
      const method = work[name] as (...given: readonly unknown[]) => unknown;
      send({ id, result: await method(...args) });
    } catch (thrown) {
      console.error(thrown);
      send({ id });
    }
  });
}
