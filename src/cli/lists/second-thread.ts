import { Worker } from "node:worker_threads";
import type { SharedFiles } from "../../tools/tool.js";
import type { CsvHeader, InputBatch } from "../input/items.js";
import type { Rendered } from "../output/results.js";
import type { OutputStream } from "../output/sinks.js";

/** A batch of inputs as it is sent between threads. */
export interface SentBatch {
  readonly id: number;
  /** The inputs as JSON: a string is copied faster than objects. */
  readonly items: string;
  /** The header of the CSV that is read. */
  readonly header: CsvHeader | undefined;
}

/** What the second thread sends: the output of a batch. Undefined if the batch has failed as a whole. */
export interface SentOutput {
  readonly id: number;
  readonly rendered: Rendered | undefined;
}

/** What the second thread needs to know of the streams of the process. */
export type ThreadStreams = Readonly<Record<"out" | "err", Pick<OutputStream, "isTerminal" | "width">>>;

/** What the second thread begins with. */
export interface ThreadData extends ThreadStreams {
  /** The data files, in memory that both threads use. */
  readonly sharedFiles: SharedFiles;
}

/** A thread that runs the same command for some of the batches. */
export interface SecondThread {
  /** Whether it can take a batch without waiting long. */
  isFree(): boolean;
  /**
   * Processes and renders a batch of CSV with a header, or without one. Resolves to undefined if the thread cannot: this thread
   * then has to.
   */
  run(batch: InputBatch, header: CsvHeader | undefined): Promise<Rendered | undefined>;
  end(): void;
}

/** The batches that wait in the second thread, so that it need not wait for the first one. */
const MAX_WAITING = 3;

/** Starts the program again in a second thread, with the same arguments. */
export function startSecondThread({ out, err }: ThreadStreams, sharedFiles: SharedFiles): SecondThread {
  const [, program = "", ...argv] = process.argv;
  const data: ThreadData = {
    out: { isTerminal: out.isTerminal, width: out.width },
    err: { isTerminal: err.isTerminal, width: err.width },
    sharedFiles,
  };
  const worker = new Worker(program, { argv, workerData: data, stdout: true, stderr: true });
  const waiting = new Map<number, (rendered: Rendered | undefined) => void>();
  let nextId = 0;
  let isUsable = false;
  const fail = (): void => {
    isUsable = false;
    for (const resolve of waiting.values()) {
      resolve(undefined);
    }
    waiting.clear();
  };
  worker.once("message", () => {
    isUsable = true;
    worker.on("message", ({ id, rendered }: SentOutput) => {
      waiting.get(id)?.(rendered);
      waiting.delete(id);
    });
  });
  worker.once("error", fail);
  worker.once("exit", fail);
  return {
    isFree: () => isUsable && waiting.size < MAX_WAITING,
    run: ({ items }, header) =>
      new Promise((resolve) => {
        const id = nextId++;
        waiting.set(id, resolve);
        worker.postMessage({ id, items: JSON.stringify(items), header } satisfies SentBatch);
      }),
    end: () => void worker.terminate(),
  };
}
