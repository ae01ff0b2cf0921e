import type { DescMessage } from "@bufbuild/protobuf";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Outcome } from "../kit/call.js";
import type { ShownError } from "../kit/client.js";
import { useSession } from "../kit/session.js";
import type { Answer, AnsweredList } from "./answers.js";
import type { ListTool } from "./list-tool.js";
import { runBatches } from "./run-batches.js";

/** A list that can be sent: its records, and the input of each. */
export interface ListEntries extends Pick<AnsweredList, "header" | "records" | "column"> {
  /** One input per record; "" for a record without one. */
  readonly inputs: readonly string[];
  readonly delimiter: string | undefined;
}

/** How far a list is. */
export interface ListProgress {
  readonly done: number;
  readonly total: number;
  /** Why no batch is sent at present, and when the next one is, in milliseconds since 1970. */
  readonly waiting?: { readonly error: ShownError; readonly until: number } | undefined;
}

/** The results of a list. */
export interface ListResult {
  /** Another number for each list. */
  readonly id: number;
  readonly list: AnsweredList;
  readonly entries: ListEntries;
  /** Whether all answers arrived. */
  readonly isComplete: boolean;
  /** The error that ended the work early. */
  readonly error: ShownError | undefined;
}

/** The work on a list. */
export interface ListRun<Input extends DescMessage, Output extends DescMessage> {
  /** Undefined unless the list is being sent. */
  readonly progress: ListProgress | undefined;
  /** The results of the last run, which stay while the next one runs. */
  readonly result: ListResult | undefined;
  /** The first batch and its outcome. */
  readonly first: { readonly inputs: readonly string[]; readonly outcome: Outcome<Input, Output> };
  /** Sends the list. The same list again continues where it was stopped, if it was. */
  readonly run: (entries: ListEntries) => void;
  readonly stop: () => void;
  /** Stops, and removes the results. */
  readonly clear: () => void;
}

/** The longest text that is sent, in characters. An e-mail address has at most 254 bytes. */
const MAX_INPUT = 300;

/** Sends lists to the batch method of a tool. Equal inputs are sent once. Unmounting the component stops the work. */
export function useList<Input extends DescMessage, Output extends DescMessage>(
  tool: ListTool<Input, Output>,
): ListRun<Input, Output> {
  const { callMethod, onCallEnd } = useSession();
  const [progress, setProgress] = useState<ListProgress>();
  const [result, setResult] = useState<ListResult>();
  const [first, setFirst] = useState<ListRun<Input, Output>["first"]>({
    inputs: tool.examples,
    outcome: undefined,
  });
  const running = useRef<AbortController>(undefined);
  /** The answers of the list so far, by input. */
  const known = useRef<{ readonly entries: ListEntries; readonly answers: Map<string, Answer> }>(undefined);

  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const runAll = useCallback(
    async (entries: ListEntries) => {
      stop();
      const controller = new AbortController();
      const { signal } = controller;
      running.current = controller;
      if (known.current?.entries !== entries) {
        known.current = { entries, answers: new Map() };
      }
      const { answers } = known.current;
      const distinct = new Set(entries.inputs);
      const pending = [...distinct].filter((input) => isSendable(input) && !answers.has(input));
      const total = distinct.size;
      let done = total - pending.length;
      setProgress({ done, total });
      let waiting: ListProgress["waiting"];
      let isFirst = answers.size === 0;

      const error = await runBatches<Answer>({
        inputs: pending,
        maxItems: fieldDocsOf(tool.field).maxItems,
        signal,
        async send(inputs) {
          const outcome = await callMethod(tool.method, tool.requestOf(inputs), signal);
          if (isFirst) {
            isFirst = false;
            setFirst({ inputs, outcome });
          }
          return outcome.ok ? { ok: true, value: tool.answersOf(outcome.value.message) } : outcome;
        },
        onResults(inputs, results) {
          for (const [index, input] of inputs.entries()) {
            const answer = results[index];
            if (answer !== undefined) {
              answers.set(input, answer);
            }
          }
          done += inputs.length;
          if (!signal.aborted) {
            // A batch can arrive while the others wait.
            const isOver = waiting !== undefined && waiting.until <= Date.now();
            setProgress({ done, total, waiting: isOver ? undefined : waiting });
          }
        },
        onWait(delay, failure) {
          waiting = { error: failure, until: Date.now() + delay };
          setProgress({ done, total, waiting });
        },
      });

      if (running.current !== controller) {
        // Another list was started.
        return;
      }
      if (error?.code === "UNAUTHENTICATED") {
        onCallEnd(error);
      }
      setProgress(undefined);
      const isComplete = done === total;
      if (isComplete) {
        // The same list again is looked up anew.
        known.current = undefined;
      }
      const list = answerList(tool, entries, answers);
      setResult((before) => {
        const id = (before?.id ?? 0) + (before?.entries === entries ? 0 : 1);
        return { id, entries, error, isComplete, list };
      });
    },
    [callMethod, onCallEnd, stop, tool],
  );

  const run = useCallback((entries: ListEntries) => void runAll(entries), [runAll]);
  const clear = useCallback(() => {
    stop();
    running.current = undefined;
    known.current = undefined;
    setProgress(undefined);
    setResult(undefined);
  }, [stop]);
  return { progress, result, first, run, stop, clear };
}

function isSendable(input: string): boolean {
  return input !== "" && input.length <= MAX_INPUT;
}

/** Combines a list with the answers to its inputs. */
function answerList<Input extends DescMessage, Output extends DescMessage>(
  { columns, compare, invalidKind }: ListTool<Input, Output>,
  entries: ListEntries,
  known: ReadonlyMap<string, Answer>,
): AnsweredList {
  const { header, records, column, inputs } = entries;
  const empty: Answer = { kind: invalidKind, values: [], error: "this row has no address" };
  const tooLong: Answer = { kind: invalidKind, values: [], error: "too long for an address" };
  const answers = inputs.map((input) =>
    isSendable(input) ? known.get(input) : input === "" ? empty : tooLong,
  );
  return { header, records, column, columns, answers: compare?.(inputs, answers) ?? answers };
}
