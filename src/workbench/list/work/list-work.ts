import type { Result } from "../../../failures/result.js";
import type { ShownError } from "../../kit/service/errors.js";
import type { Answer } from "./answers.js";
import type { ListFormat } from "./list-file.js";
import type { ListLayout } from "./read-list.js";
import type { RowFilter, RowOrder } from "./select-rows.js";

/** How large a file may be, in bytes. */
export const MAX_FILE_BYTES = 50_000_000;

/** How many rows are shown at a time. */
export const PAGE_ROWS = 100;

/** Why a list cannot be used. */
export type ListProblem = "too_large" | "not_text";

/** A list that was read, before it is looked up. */
export interface OpenedList {
  readonly problem: ListProblem | undefined;
  /** The number of rows without the header. */
  readonly count: number;
  /** The number of inputs that are sent: equal ones once, and none that is empty or too long. */
  readonly distinct: number;
  /** The first record of a table; undefined for a plain list. */
  readonly names: readonly string[] | undefined;
  readonly layout: ListLayout;
  /** Whether one of the first inputs looks right. */
  readonly isLikely: boolean;
}

/** How the worker calls the service. */
export interface RunOptions {
  /** The URL of the service without a trailing slash. */
  readonly baseUrl: string;
  /** "" without one. */
  readonly apiKey: string;
  /** The largest number of inputs in a batch. */
  readonly maxItems: number;
}

/** How far a list is. Counts distinct inputs. */
export interface ListProgress {
  readonly done: number;
  readonly total: number;
  /** How many of them were done when the run started. */
  readonly doneBefore: number;
  /** Why no batch is sent at present, and when the next one is, in milliseconds since 1970. */
  readonly waiting?: { readonly error: ShownError; readonly until: number } | undefined;
}

/** The end of a run. */
export interface RunEnd {
  /** Whether all answers arrived. */
  readonly isComplete: boolean;
  /** The error that ended the run early. */
  readonly error: ShownError | undefined;
}

/** The first batch of a list with its response in JSON, or its error. */
export interface FirstBatch {
  readonly inputs: readonly string[];
  readonly outcome: Result<object, ShownError>;
  readonly milliseconds: number;
}

/** Which rows are shown. */
export interface TableView {
  readonly order: RowOrder;
  readonly filter: RowFilter;
  /** The number of the page, from 0. */
  readonly page: number;
}

/** A row of the table. */
export interface TableRow {
  /** The index of the row in the list. */
  readonly row: number;
  readonly fields: readonly string[];
  /** Undefined until it arrives. */
  readonly answer: Answer | undefined;
}

/** One page of the table, and what is shown above it. */
export interface TablePage<Overview> {
  readonly header: readonly string[];
  /** The names of the columns of answers. */
  readonly columns: readonly string[];
  /** The index of the column with the inputs. */
  readonly column: number;
  /** The number of rows of the list. */
  readonly total: number;
  /** The number of rows that the filter shows. */
  readonly found: number;
  /** The index of the first row of the page among them. */
  readonly start: number;
  readonly rows: readonly TableRow[];
  /** The number of rows by the kind of their answers; "" for those without one. */
  readonly counts: Readonly<Record<string, number>>;
  readonly overview: Overview | undefined;
  /** Another number whenever answers, and so the overview, have changed. */
  readonly version: number;
}

/** The work on lists, in a worker. A call can be made at any time; a newer list replaces an older one. */
export interface ListWork<Overview> {
  /** Reads a text or a file, and detects its layout. */
  open(source: string | File): Promise<OpenedList>;
  /** Changes the layout of the list that is open. */
  layOut(chosen: Partial<ListLayout>): OpenedList;
  /** Sends the list that is open. */
  run(options: RunOptions): Promise<RunEnd>;
  /** Sends what is left of the list that was sent last. */
  resume(options: RunOptions): Promise<RunEnd>;
  pause(): void;
  /** Pauses, and drops the list and its answers. */
  clear(): void;
  firstBatch(): FirstBatch | undefined;
  page(view: TableView): TablePage<Overview>;
  /** Writes all rows that a view shows. */
  file(view: TableView, format: ListFormat): Blob;
}
