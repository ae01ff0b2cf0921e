import { expect, test } from "vitest";
import { connectWork, type WorkerPort } from "../../../src/workbench/list/connect-work.js";
import { serveWork, type WorkMessage } from "../../../src/workbench/list/work/serve-work.js";
import type { WorkTool } from "../../../src/workbench/list/work/work-tool.js";

const TOOL: WorkTool<never, number> = {
  method: "",
  requestOf: () => ({}),
  answersOf: () => [],
  itemName: "number",
  maxLength: 300,
  columns: [],
  overviewOf: (answers) => answers.length,
  looksRight: (text) => text !== "",
  columnName: /^$/,
};

/** A page and a worker in one thread. Messages are cloned as between threads. */
function connect(tool: WorkTool<never, number>) {
  const toWorker: ((event: { readonly data: unknown }) => void)[] = [];
  const listeners = new Map<string, (event: never) => void>();
  serveWork(
    {
      postMessage: (message: WorkMessage) =>
        listeners.get("message")?.({ data: structuredClone(message) } as never),
      addEventListener: (_type, listener) => void toWorker.push(listener),
    },
    tool,
  );
  let failures = 0;
  let ends = 0;
  const port = {
    postMessage: (data: unknown) => {
      for (const listener of toWorker) {
        listener({ data: structuredClone(data) });
      }
    },
    addEventListener: (type: string, listener: (event: never) => void) => listeners.set(type, listener),
    terminate: () => ends++,
  };
  const progress: unknown[] = [];
  const connection = connectWork<number>(
    port as unknown as WorkerPort,
    (each) => progress.push(each),
    () => failures++,
  );
  return {
    ...connection,
    progress,
    fail: () => listeners.get("error")?.({} as never),
    state: () => ({ failures, ends }),
  };
}

test("calls methods of the work, and receives progress", async () => {
  const { call, close, fail, progress, state } = connect(TOOL);
  expect(await call("open", " \n")).toMatchObject({ count: 0 });
  expect(await call("run", { baseUrl: "http://host", apiKey: "", maxItems: 1 })).toEqual({
    isComplete: true,
    error: undefined,
  });
  expect(progress).toEqual([{ done: 0, total: 0, doneBefore: 0, waiting: undefined }]);
  fail();
  close();
  expect(state()).toEqual({ failures: 1, ends: 1 });
});

test("rejects a call that throws", async () => {
  const { call } = connect({
    ...TOOL,
    looksRight: () => {
      throw new Error("broken");
    },
  });
  await expect(call("open", "a")).rejects.toThrow("Error: broken");
});
