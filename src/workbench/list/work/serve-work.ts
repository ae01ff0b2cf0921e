import { createListWork } from "./create-list-work.js";
import type { ListProgress, ListWork } from "./list-work.js";
import type { WorkTool } from "./work-tool.js";

/** A call of the work in a worker. */
export interface WorkCall {
  readonly id: number;
  readonly name: keyof ListWork<unknown>;
  readonly args: readonly unknown[];
}

/** What a worker sends: the result of a call, its exception, or progress. */
export type WorkMessage =
  | { readonly kind: "result"; readonly id: number; readonly result: unknown }
  | { readonly kind: "thrown"; readonly id: number; readonly text: string }
  | { readonly kind: "progress"; readonly progress: ListProgress };

/** The end of a connection to another thread: the global object of a worker. */
export interface WorkPort {
  postMessage(message: WorkMessage): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
}

/** Answers calls of the work on lists of a tool. Called once by the module of a worker. */
export function serveWork<Output, Overview>(port: WorkPort, tool: WorkTool<Output, Overview>): void {
  const work = createListWork(tool, (progress) => port.postMessage({ kind: "progress", progress }));
  port.addEventListener("message", async ({ data }) => {
    const { id, name, args } = data as WorkCall;
    try {
      // A call of a known method, by its name: connectWork has checked the arguments against its type.
      const method = work[name] as (...given: readonly unknown[]) => unknown;
      port.postMessage({ kind: "result", id, result: await method(...args) });
    } catch (thrown) {
      port.postMessage({ kind: "thrown", id, text: String(thrown) });
    }
  });
}
