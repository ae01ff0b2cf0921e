import type { Answer } from "./answers.js";
import type { ItemFormat } from "./read-list.js";

/** What the worker knows about a tool for lists: its batch method in JSON, and how to read the results. */
export interface WorkTool<Output, Overview> extends ItemFormat {
  /** For example `GeoIpService/BatchLookupIps`. */
  readonly method: string;
  readonly requestOf: (inputs: readonly string[]) => object;
  /** Returns one answer per input, in order. */
  readonly answersOf: (response: Output) => readonly Answer[];
  /** Compares the answers of a whole list with each other. `inputs` and `answers` have one element per row. */
  readonly compare?: (
    inputs: readonly string[],
    answers: readonly (Answer | undefined)[],
  ) => readonly (Answer | undefined)[];
  /** The kind of answers to texts that are not sent. */
  readonly invalidKind: string;
  /** The names of the columns of answers. */
  readonly columns: readonly string[];
  /** Summarizes the answers of a list for what is shown above the table. */
  readonly overviewOf: (answers: readonly (Answer | undefined)[]) => Overview;
}
