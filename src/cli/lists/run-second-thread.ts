import { parentPort, workerData } from "node:worker_threads";
import { openLocalService } from "../calls/calls.js";
import type { InputBatch } from "../input/items.js";
import type { InputItem } from "../input/lines.js";
import type { Rendered } from "../output/results.js";
import { runTools, thisProcess } from "../program.js";
import type { SentBatch, SentOutput, ThreadData } from "./second-thread.js";

/** Renders the batches of the first thread, until it ends this one. */
async function serveBatches(render: (batch: InputBatch) => Promise<Rendered>): Promise<never> {
  let isFirst = true;
  parentPort?.on("message", async ({ id, items: json, header }: SentBatch) => {
    const items: readonly InputItem[] = JSON.parse(json);
    if (isFirst) {
      // The first thread writes the header of the output.
      isFirst = false;
      await render({ items: [], ...(header && { header }) });
    }
    const rendered = await render({ items }).catch(() => undefined);
    parentPort?.postMessage({ id, rendered } satisfies SentOutput);
  });
  parentPort?.postMessage("ready");
  return new Promise(() => {});
}

/** Runs a command in the second thread. */
export async function runInSecondThread(args: readonly string[]): Promise<void> {
  const { out, err, sharedFiles } = workerData as ThreadData;
  const sink = { write: async () => {}, end: async () => {} };
  await runTools(args, {
    ...thisProcess(),
    openLocal: (service, env, options) => openLocalService(service, env, { ...options, sharedFiles }),
    out: { ...out, sink },
    err: { ...err, sink },
    serveBatches,
  });
}
