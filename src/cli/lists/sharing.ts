import type { CsvHeader, InputBatch } from "../input/items.js";
import type { ItemResult, Rendered } from "../output/results.js";
import type { SecondThread } from "./second-thread.js";

/** The batches that two threads process at the same time. */
export const SHARED_BATCHES = 8;

/** The size of a list for which a second thread is started, in bytes and in inputs. Starting it takes half a second. */
const LONG_INPUT = 2_000_000;
export const MANY_INPUTS = 30_000;

/** What a thread made of a batch: the second one has rendered the results. */
export type SharedOutput = { readonly rendered: Rendered } | { readonly results: readonly ItemResult[] };

/** The work on a list, shared with a second thread. */
export type Sharing = ReturnType<typeof createSharing>;

/**
 * Shares a list with a second thread. It starts at once if the list is known to be long, and otherwise once it turns out to be.
 *
 * @param size the length of the input in bytes; undefined: it is not known
 */
export function createSharing(size: number | undefined, start: () => Promise<SecondThread>) {
  let header: CsvHeader | undefined;
  let seen = 0;
  let starting: Promise<SecondThread> | undefined;
  let thread: SecondThread | undefined;
  /** Resolves when this thread has processed its batches so far. */
  let own: Promise<unknown> = Promise.resolve();
  const startOnce = (): void => {
    starting ??= start().then((started) => {
      thread = started;
      return started;
    });
  };
  if ((size ?? 0) >= LONG_INPUT) {
    startOnce();
  }
  return {
    /** Has a batch processed by the thread that has time first: by the second one, or with `process` by this one. */
    async run(batch: InputBatch, process: () => Promise<readonly ItemResult[]>): Promise<SharedOutput> {
      const isFirst = seen === 0;
      header ??= batch.header;
      seen += batch.items.length;
      if (seen >= MANY_INPUTS) {
        startOnce();
      }
      const send = () => (isFirst || thread?.isFree() !== true ? undefined : thread.run(batch, header));
      let sent = send();
      if (sent === undefined) {
        // One batch at a time, so that the other thread gets those that wait.
        const turn = own.then(async () => {
          sent = send();
          return sent === undefined ? { results: await process() } : undefined;
        });
        own = turn.catch(() => {});
        const output = await turn;
        if (output !== undefined) {
          return output;
        }
      }
      const rendered = await sent;
      return rendered === undefined ? { results: await process() } : { rendered };
    },
    /** Ends the second thread. */
    end: () => void starting?.then((each) => each.end()),
  };
}
