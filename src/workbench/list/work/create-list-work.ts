import type { Result } from "../../../failures/result.js";
import type { ShownError } from "../../kit/service/errors.js";
import { type CallJson, createCallJson } from "../../kit/service/send-json.js";
import type { Answer, AnsweredList } from "./answers.js";
import { writeListFile } from "./list-file.js";
import {
  type FailedRows,
  type FirstBatch,
  type ListProblem,
  type ListProgress,
  type ListWork,
  MAX_FILE_BYTES,
  type OpenedList,
  PAGE_ROWS,
  type RunEnd,
  type RunOptions,
  type TablePage,
  type TableView,
} from "./list-work.js";
import { decodeText, detectLayout, type ListLayout, type ListText, readList } from "./read-list.js";
import { runBatches } from "./run-batches.js";
import { filterRows, sortRows } from "./select-rows.js";
import type { WorkTool } from "./work-tool.js";

/** How many errors are listed. */
const MAX_FAILED = 5;

/** The longest text that is sent, in characters. An e-mail address has at most 254 bytes. */
const MAX_INPUT = 300;

/** How often progress is reported, in milliseconds. */
const REPORT_INTERVAL = 100;

/** A list that can be sent. */
interface ListEntries extends Pick<AnsweredList, "header" | "records" | "column"> {
  /** One input per record; "" for a record without one. */
  readonly inputs: readonly string[];
  readonly delimiter: string | undefined;
}

/** A list that is, or was, sent. */
interface SentList<Overview> {
  readonly entries: ListEntries;
  /** The answers so far, by input. */
  readonly answers: Map<string, Answer>;
  firstBatch: FirstBatch | undefined;
  isComplete: boolean;
  /** The rows with the answers so far; undefined if others have arrived since. */
  rows: AnsweredRows<Overview> | undefined;
}

interface AnsweredRows<Overview>
  extends Pick<TablePage<Overview>, "counts" | "failed" | "overview" | "version"> {
  readonly list: AnsweredList;
}

const NO_ENTRIES: ListEntries = { header: [], records: [], column: 0, inputs: [], delimiter: undefined };

/**
 * Creates the work on lists of a tool. Equal inputs are sent once.
 *
 * @param onProgress called while a list is sent
 * @param createCall replaces the calls of the service in tests
 */
export function createListWork<Output, Overview>(
  tool: WorkTool<Output, Overview>,
  onProgress: (progress: ListProgress) => void,
  createCall: typeof createCallJson = createCallJson,
): ListWork<Overview> {
  let text: ListText = readList("", tool);
  let detected: ListLayout = detectLayout(text, tool);
  let draft: ListEntries = NO_ENTRIES;
  let opened: OpenedList = describe(undefined, detected);
  let sent: SentList<Overview> = startList(NO_ENTRIES);
  let running: AbortController | undefined;
  /** Counts the lists that were opened: a file takes longer to read than a text that is opened after it. */
  let turn = 0;
  let version = 0;

  function describe(problem: ListProblem | undefined, layout: ListLayout): OpenedList {
    return {
      problem,
      count: draft.inputs.length,
      names: text.delimiter === undefined ? undefined : (text.records[0] ?? []),
      layout,
      isLikely: draft.inputs.slice(0, 100).some(tool.looksRight),
    };
  }

  function layOut(chosen: Partial<ListLayout>, problem?: ListProblem): OpenedList {
    const layout = { ...detected, ...chosen };
    draft = entriesOf(text, layout);
    opened = describe(problem, layout);
    return opened;
  }

  function rowsOf(list: SentList<Overview>): AnsweredRows<Overview> {
    if (list.rows === undefined) {
      const rows = answerRows(tool, list.entries, list.answers);
      list.rows = { ...rows, overview: tool.overviewOf(rows.list.answers), version: ++version };
    }
    return list.rows;
  }

  let selected:
    | { readonly list: AnsweredList; readonly key: string; readonly rows: readonly number[] }
    | undefined;
  /** The rows that a view shows, in order. Turning pages does not sort again. */
  function select(list: AnsweredList, { order, filter }: TableView): readonly number[] {
    const key = JSON.stringify([order, filter]);
    if (selected?.list !== list || selected.key !== key) {
      selected = { list, key, rows: filterRows(list, sortRows(list, order), filter) };
    }
    return selected.rows;
  }

  function send(options: RunOptions): Promise<RunEnd> {
    running?.abort();
    running = new AbortController();
    return runList(tool, sent, options, running.signal, onProgress, createCall);
  }

  return {
    async open(source) {
      const own = ++turn;
      const read = typeof source === "string" ? { text: source } : await readFile(source);
      if (own !== turn) {
        return opened;
      }
      text = readList("text" in read ? read.text : "", tool);
      detected = detectLayout(text, tool);
      return layOut({}, "problem" in read ? read.problem : undefined);
    },

    layOut: (chosen) => layOut(chosen),

    run(options) {
      sent = startList(draft);
      return send(options);
    },

    resume: send,

    pause: () => running?.abort(),

    clear() {
      running?.abort();
      sent = startList(NO_ENTRIES);
    },

    firstBatch: () => sent.firstBatch,

    page(view) {
      const { list, ...shared } = rowsOf(sent);
      const rows = select(list, view);
      const start = view.page * PAGE_ROWS < rows.length ? view.page * PAGE_ROWS : 0;
      return {
        header: list.header,
        column: list.column,
        total: list.records.length,
        found: rows.length,
        start,
        rows: rows.slice(start, start + PAGE_ROWS).map((row) => ({
          row,
          fields: list.records[row] ?? [],
          answer: list.answers[row],
        })),
        ...shared,
      };
    },

    file(view, format) {
      const { list } = rowsOf(sent);
      return writeListFile(list, select(list, view), format, sent.entries.delimiter === ";" ? ";" : ",");
    },
  };
}

function startList<Overview>(entries: ListEntries): SentList<Overview> {
  return { entries, answers: new Map(), firstBatch: undefined, isComplete: false, rows: undefined };
}

/** Reads a file as text. */
async function readFile(file: File): Promise<{ readonly text: string } | { readonly problem: ListProblem }> {
  if (file.size > MAX_FILE_BYTES) {
    return { problem: "too_large" };
  }
  const text = decodeText(new Uint8Array(await file.arrayBuffer()));
  return text === undefined ? { problem: "not_text" } : { text };
}

/** Separates the header of a list from its rows, and reads the input of each row. */
function entriesOf({ records, delimiter }: ListText, { column, hasHeader }: ListLayout): ListEntries {
  const rows = hasHeader ? records.slice(1) : records;
  const names = (hasHeader ? records[0] : undefined) ?? [];
  const width = rows.slice(0, 1_000).reduce((most, row) => Math.max(most, row.length), names.length);
  const header = Array.from(
    { length: width },
    (_, index) => names[index]?.trim() || (width === 1 ? "input" : `column_${index + 1}`),
  );
  return { header, records: rows, column, delimiter, inputs: rows.map((row) => row[column]?.trim() ?? "") };
}

/** Sends the inputs of a list that have no answer, and adds their answers to it. */
async function runList<Output, Overview>(
  tool: WorkTool<Output, Overview>,
  list: SentList<Overview>,
  { baseUrl, apiKey, maxItems }: RunOptions,
  signal: AbortSignal,
  onProgress: (progress: ListProgress) => void,
  createCall: typeof createCallJson,
): Promise<RunEnd> {
  const call: CallJson = createCall(baseUrl, () => apiKey);
  const { answers } = list;
  const distinct = new Set(list.entries.inputs.filter(isSendable));
  const pending = [...distinct].filter((input) => !answers.has(input));
  const total = distinct.size;
  const doneBefore = total - pending.length;
  let done = doneBefore;
  let waiting: ListProgress["waiting"];
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (): void => {
    const now = Date.now();
    if (!signal.aborted && (waiting !== undefined || now - reportedAt >= REPORT_INTERVAL)) {
      reportedAt = now;
      // A batch can arrive while the others wait.
      const isOver = waiting !== undefined && waiting.until <= now;
      onProgress({ done, total, doneBefore, waiting: isOver ? undefined : waiting });
    }
  };
  report();
  const error = await runBatches<Answer>({
    inputs: pending,
    maxItems,
    signal,
    async send(inputs): Promise<Result<readonly Answer[], ShownError>> {
      const sentAt = performance.now();
      const outcome = await call<Output & object>(tool.method, tool.requestOf(inputs), signal);
      list.firstBatch ??= { inputs, outcome, milliseconds: performance.now() - sentAt };
      return outcome.ok ? { ok: true, value: tool.answersOf(outcome.value) } : outcome;
    },
    onResults(inputs, results) {
      for (const [index, input] of inputs.entries()) {
        const answer = results[index];
        if (answer !== undefined) {
          answers.set(input, answer);
        }
      }
      list.rows = undefined;
      done += inputs.length;
      report();
    },
    onWait(delay, failure) {
      waiting = { error: failure, until: Date.now() + delay };
      report();
    },
  });
  list.isComplete = done === total;
  return { isComplete: list.isComplete, error };
}

function isSendable(input: string): boolean {
  return input !== "" && input.length <= MAX_INPUT;
}

/** Combines a list with the answers to its inputs. */
function answerRows<Output, Overview>(
  { columns, compare, invalidKind }: WorkTool<Output, Overview>,
  { header, records, column, inputs }: ListEntries,
  known: ReadonlyMap<string, Answer>,
): Pick<AnsweredRows<Overview>, "list" | "counts" | "failed"> {
  const empty: Answer = { kind: invalidKind, values: [], error: "this row has no address" };
  const tooLong: Answer = { kind: invalidKind, values: [], error: "too long for an address" };
  const own = inputs.map(
    (input) => known.get(input) ?? (input === "" ? empty : isSendable(input) ? undefined : tooLong),
  );
  const answers = compare?.(inputs, own) ?? own;
  const counts: Record<string, number> = {};
  const failed = new Map<string, FailedRows>();
  for (const [row, answer] of answers.entries()) {
    const { kind = "", error = "" } = answer ?? {};
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (error !== "") {
      countError(failed, { row, input: inputs[row] ?? "", error, count: 1 });
    }
  }
  return { list: { header, records, column, columns, answers }, counts, failed: [...failed.values()] };
}

/** Counts an error. Some begin with the input, and are the same without it. */
function countError(found: Map<string, FailedRows>, failed: FailedRows): void {
  const { error, input } = failed;
  const key = input !== "" && error.startsWith(input) ? error.slice(input.length) : error;
  const first = found.get(key);
  if (first !== undefined || found.size < MAX_FAILED) {
    found.set(key, first === undefined ? failed : { ...first, count: first.count + 1 });
  }
}
