import type { Answer } from "./answers.js";
import type { ItemFormat } from "./read-list.js";

/** An input, and its answer. */
export type SheetRow = readonly [input: string, answer: Answer | undefined];

/** A response of the service, and what is known of its call. */
export interface Received {
  readonly inputs: readonly string[];
  /** The URL of the service without a trailing slash. */
  readonly baseUrl: string;
  /** The `Date` header. */
  readonly date: string | null;
  /** The times of request and response on the clock of the browser, in milliseconds since 1970. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** What the worker knows about a tool for lists: its method in JSON, and how to read the results. */
export interface WorkTool<Output, Overview> extends ItemFormat {
  /** For example `GeoIpService/BatchLookupIps`. */
  readonly method: string;
  /** Whether the method takes one input. If it rejects the input, the row has the error. */
  readonly isSingle?: boolean;
  /** Says in plain words why the method rejects an input; "" shows what the service says. */
  readonly problemOf?: (input: string) => string;
  readonly requestOf: (inputs: readonly string[]) => object;
  /** Returns one answer per input, in order. */
  readonly answersOf: (response: Output, received: Received) => readonly Answer[];
  /** What an input is, in errors: "address". */
  readonly itemName: string;
  /** Whether any text is an input, so that a file is sent at once. Default: one of its first inputs must look right. */
  readonly isAnyText?: boolean;
  /** The longest input that is sent, in characters. */
  readonly maxLength: number;
  /** Replaces the text of a list before it is read. */
  readonly expand?: (text: string) => string;
  /**
   * Inputs are secrets if this is set: no row has its input, only its number. Of the other columns of a table, rows have those whose
   * names this matches.
   */
  readonly publicColumn?: RegExp;
  /** Whether an answer is still true at a time in milliseconds since 1970. Default: always. */
  readonly isCurrent?: (answer: Answer, now: number) => boolean;
  /** Writes a page to print. `rows` are inputs with their answers. */
  readonly writeSheet?: (rows: readonly SheetRow[]) => Blob;
  /** Compares the answers of a whole list with each other. `inputs` and `answers` have one element per row. */
  readonly compare?: (
    inputs: readonly string[],
    answers: readonly (Answer | undefined)[],
  ) => readonly (Answer | undefined)[];
  /** The names of the columns of answers. */
  readonly columns: readonly string[];
  /** Summarizes the answers of a list for what is shown above the table. */
  readonly overviewOf?: (answers: readonly (Answer | undefined)[]) => Overview;
}
