import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { TYPESCRIPT_FLAGS } from "../../../test/typescript-flags.js";
import { PROCESSORS, pinned } from "../processors.js";
import { ROOT } from "../service.js";
import {
  type Concurrency,
  createLoad,
  fetchResponses,
  type LoadDuration,
  type LoadResponse,
  type LoadResult,
} from "./closed-loop.js";
import type { Workload } from "./workload.js";

/** A job of the process: without a duration, it sends each request once. */
interface Job {
  readonly url: string;
  readonly workload: Workload;
  readonly concurrency: Concurrency;
  readonly duration: LoadDuration | undefined;
}

type Result = { readonly value: LoadResult | LoadResponse[] } | { readonly error: string };

/** A process on a processor of its own, which sends requests. */
export interface LoadProcess {
  /** As `createLoad`. */
  load(
    url: string,
    workload: Workload,
    concurrency: Concurrency,
    duration: LoadDuration,
  ): Promise<LoadResult>;
  /** As `fetchResponses`. */
  fetch(url: string, workload: Workload, concurrency: Concurrency): Promise<LoadResponse[]>;
  stop(): void;
}

/** Starts the process. */
export function startLoadProcess(): LoadProcess {
  const [program = "", ...args] = pinned(PROCESSORS?.load, [
    process.execPath,
    ...TYPESCRIPT_FLAGS,
    import.meta.filename,
    "send",
  ]);
  const child: ChildProcess = spawn(program, args, {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    serialization: "advanced",
  });
  const ended = once(child, "exit").then(([code, signal]) => {
    throw new Error(`the load process has ended: ${code ?? signal}`);
  });
  // It ends after `stop`, too.
  ended.catch(() => undefined);
  async function run(job: Job): Promise<LoadResult | LoadResponse[]> {
    child.send(job);
    const [result]: Result[] = await Promise.race([once(child, "message"), ended]);
    if (result === undefined || "error" in result) {
      throw new Error(result?.error);
    }
    return result.value;
  }
  return {
    load: async (url, workload, concurrency, duration) =>
      (await run({ url, workload, concurrency, duration })) as LoadResult,
    fetch: async (url, workload, concurrency) => {
      const responses = (await run({ url, workload, concurrency, duration: undefined })) as LoadResponse[];
      return responses.map(({ status, body }) => ({ status, body: Buffer.from(body) }));
    },
    stop: () => void child.disconnect(),
  };
}

if (process.argv[2] === "send" && process.argv[1] === import.meta.filename) {
  process.on("message", async ({ url, workload, concurrency, duration }: Job) => {
    const work =
      duration === undefined
        ? fetchResponses(url, workload, concurrency)
        : createLoad(url, workload, concurrency, duration);
    process.send?.(
      await work.then(
        (value): Result => ({ value }),
        (error): Result => ({ error: String(error) }),
      ),
    );
  });
}
