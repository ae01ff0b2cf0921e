import type { Result } from "../../../failures/result.js";
import type { ShownError } from "../../kit/service/errors.js";
import { type CallJson, createCallJson } from "../../kit/service/send-json.js";
import { type AnsweredRows, answerRows, distinctInputs, invalidAnswer } from "./answer-rows.js";
import type { Answer, AnsweredList } from "./answers.js";
import { entriesOf, type ListEntries, NO_ENTRIES, withoutSecrets } from "./list-entries.js";
import { writeListFile } from "./list-file.js";
import {
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

/** How many requests with one input are sent at the same time. */
const SINGLE_CONCURRENCY = 4;

/** How often progress is reported, in milliseconds. */
const REPORT_INTERVAL = 100;

/** A list that is, or was, sent. */
interface SentList<Overview> {
  readonly entries: ListEntries;
  /** The answers so far, by input. */
  readonly answers: Map<string, Answer>;
  firstBatch: FirstBatch | undefined;
  isComplete: boolean;
  /** The rows with the answers so far; undefined if others have arrived since. */
  rows: (AnsweredRows & Pick<TablePage<Overview>, "overview" | "version">) | undefined;
}

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
      distinct: distinctInputs(tool, draft.inputs).size,
      names: text.delimiter === undefined ? undefined : (text.records[0] ?? []),
      layout,
      isLikely: tool.isAnyText || draft.inputs.slice(0, 100).some(tool.looksRight),
    };
  }

  function layOut(chosen: Partial<ListLayout>, problem?: ListProblem): OpenedList {
    const layout = { ...detected, ...chosen };
    draft = withoutSecrets(entriesOf(text, layout), tool.publicColumn);
    opened = describe(problem, layout);
    return opened;
  }

  function rowsOf(list: SentList<Overview>): NonNullable<SentList<Overview>["rows"]> {
    if (list.rows === undefined) {
      const rows = answerRows(tool, list.entries, list.answers);
      list.rows = { ...rows, overview: tool.overviewOf?.(rows.list.answers), version: ++version };
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
      const { content = "", problem } =
        typeof source === "string" ? { content: source } : await readFile(source);
      if (own !== turn) {
        return opened;
      }
      text = readList(tool.expand?.(content) ?? content, tool);
      detected = detectLayout(text, tool);
      return layOut({}, problem);
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
        columns: list.columns,
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
      const rows = select(list, view);
      if (format === "html") {
        const shown = rows.map((row) => [sent.entries.inputs[row] ?? "", list.answers[row]] as const);
        return tool.writeSheet?.(shown) ?? new Blob([]);
      }
      return writeListFile(list, rows, format, sent.entries.delimiter === ";" ? ";" : ",");
    },
  };
}

function startList<Overview>(entries: ListEntries): SentList<Overview> {
  return { entries, answers: new Map(), firstBatch: undefined, isComplete: false, rows: undefined };
}

/** Reads a file as text. */
async function readFile(file: File): Promise<{ content?: string; problem?: ListProblem }> {
  if (file.size > MAX_FILE_BYTES) {
    return { problem: "too_large" };
  }
  const content = decodeText(new Uint8Array(await file.arrayBuffer()));
  return content === undefined ? { problem: "not_text" } : { content };
}

/** Sends the inputs of a list that have no current answer, and adds their answers to it. */
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
  const distinct = distinctInputs(tool, list.entries.inputs);
  const startedAt = Date.now();
  const isKnown = (answer: Answer | undefined) =>
    answer !== undefined && (tool.isCurrent?.(answer, startedAt) ?? true);
  const pending = [...distinct].filter((input) => !isKnown(answers.get(input)));
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
    ...(tool.isSingle ? { maxItems: 1, concurrency: SINGLE_CONCURRENCY } : { maxItems }),
    signal,
    async send(inputs): Promise<Result<readonly Answer[], ShownError>> {
      const started = performance.now();
      const sentAt = Date.now();
      let date: string | null = null;
      const outcome = await call<Output & object>(tool.method, tool.requestOf(inputs), signal, (headers) => {
        date = headers.get("date");
      });
      list.firstBatch ??= { inputs, outcome, milliseconds: performance.now() - started };
      if (!outcome.ok) {
        const { code, violations } = outcome.failure;
        const problem = tool.problemOf?.(inputs[0] ?? "");
        return tool.isSingle && code === "INVALID_ARGUMENT" && violations.length > 0
          ? {
              ok: true,
              value: [invalidAnswer(problem || violations.map(({ description }) => description).join("; "))],
            }
          : outcome;
      }
      const received = { inputs, baseUrl, date, sentAt, receivedAt: Date.now() };
      return { ok: true, value: tool.answersOf(outcome.value, received) };
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
