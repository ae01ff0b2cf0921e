import type { DescMessage } from "@bufbuild/protobuf";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Outcome, responseOf } from "../kit/service/call.js";
import type { ShownError } from "../kit/service/errors.js";
import { useSession } from "../kit/session.js";
import { readApiKey } from "../shell/stored-key.js";
import { connectWork } from "./connect-work.js";
import type { ListTool } from "./list-tool.js";
import { saveFile } from "./save-file.js";
import type { RunProgress } from "./time-left.js";
import type { ListFormat } from "./work/list-file.js";
import type { FirstBatch, OpenedList, TablePage, TableView } from "./work/list-work.js";
import type { ListLayout } from "./work/read-list.js";

/** What happens with a list. `stopped`: an error ended the run. `failed`: the worker ended. */
export type ListPhase = "empty" | "running" | "paused" | "canceled" | "stopped" | "complete" | "failed";

/** A list in a worker. */
export interface ListRun<Input extends DescMessage, Output extends DescMessage, Overview> {
  readonly phase: ListPhase;
  /** Another number for each list that is sent. */
  readonly id: number;
  /** Undefined until a list is sent. */
  readonly progress: RunProgress | undefined;
  /** The error that ended the run. */
  readonly error: ShownError | undefined;
  /** The rows that are shown. They stay until another list is sent. */
  readonly page: TablePage<Overview> | undefined;
  readonly view: TableView;
  /** The first batch and its outcome. */
  readonly first: { readonly inputs: readonly string[]; readonly outcome: Outcome<Input, Output> };
  /** Reads a list. Resolves to undefined if another one is read meanwhile. */
  readonly open: (source: string | File) => Promise<OpenedList | undefined>;
  readonly layOut: (chosen: Partial<ListLayout>) => Promise<OpenedList>;
  /** Sends the list that was read. */
  readonly run: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Sends the inputs again whose answers are no longer current. The results stay, and so does the phase. */
  readonly update: () => void;
  /** Ends the run. The results so far stay. */
  readonly cancel: () => void;
  /** Ends the run, and removes the results. */
  readonly clear: () => void;
  readonly setView: (view: TableView) => void;
  readonly download: (format: ListFormat) => Promise<void>;
}

/** How often the table shows new results while a list is sent, in milliseconds. */
const REFRESH_INTERVAL = 1_000;

const FIRST_VIEW: TableView = {
  order: { sortBy: undefined, isDescending: false },
  filter: { text: "", kind: "" },
  page: 0,
};

/** Keeps a list in a worker, and sends it to the batch method of a tool. Unmounting the component ends the worker. */
export function useList<Input extends DescMessage, Output extends DescMessage, Overview>(
  tool: ListTool<Input, Output>,
): ListRun<Input, Output, Overview> {
  const { baseUrl, onCallEnd } = useSession();
  const [phase, setPhase] = useState<ListPhase>("empty");
  const [id, setId] = useState(0);
  const [progress, setProgress] = useState<RunProgress>();
  const [error, setError] = useState<ShownError>();
  const [page, setPage] = useState<TablePage<Overview>>();
  const [view, setView] = useState(FIRST_VIEW);
  const [first, setFirst] = useState<ListRun<Input, Output, Overview>["first"]>({
    inputs: tool.examples,
    outcome: undefined,
  });
  /** Grows when there are new results to show; 0 before the first ones, so that no row is shown that has none yet. */
  const [refreshes, setRefreshes] = useState(0);
  const startedAt = useRef(0);
  const refreshedAt = useRef(0);
  /** The number of the run. Only the latest changes the state. */
  const runs = useRef(0);
  const opens = useRef(0);

  const refresh = useCallback(() => {
    refreshedAt.current = Date.now();
    setRefreshes((count) => count + 1);
  }, []);
  const [{ call, close }] = useState(() =>
    connectWork<Overview>(
      tool.startWorker(),
      (next) => {
        setProgress({ ...next, startedAt: startedAt.current });
        if (Date.now() - refreshedAt.current >= REFRESH_INTERVAL) {
          refresh();
        }
      },
      () => setPhase("failed"),
    ),
  );
  useEffect(() => close, [close]);

  useEffect(() => {
    if (refreshes > 0) {
      // The worker answers in the order of the calls, so that the last page is that of the last view.
      const run = runs.current;
      void call("page", view).then((next) => run === runs.current && setPage(next));
    }
  }, [call, view, refreshes]);

  const start = useCallback(
    async (name: "run" | "resume", next: ListPhase = "running") => {
      const own = ++runs.current;
      startedAt.current = Date.now();
      refreshedAt.current = startedAt.current;
      setPhase(next);
      setError(undefined);
      const { maxItems = 1 } = tool;
      const end = await call(name, { baseUrl, apiKey: readApiKey(), maxItems });
      const batch = await call("firstBatch");
      if (own !== runs.current) {
        return;
      }
      if (batch !== undefined) {
        setFirst({ inputs: batch.inputs, outcome: outcomeOf(tool, batch) });
      }
      if (end.error?.code === "UNAUTHENTICATED") {
        onCallEnd(end.error);
      }
      setError(end.error);
      // Without an error, the user has paused or canceled a run that is not complete.
      setPhase((before) => (end.isComplete ? "complete" : end.error === undefined ? before : "stopped"));
      refresh();
    },
    [baseUrl, call, onCallEnd, refresh, tool],
  );
  const stop = useCallback(
    (next: ListPhase) => {
      void call("pause");
      setPhase(next);
    },
    [call],
  );

  return {
    phase,
    id,
    progress,
    error,
    page,
    view,
    first,
    open: useCallback(
      async (source) => {
        const own = ++opens.current;
        const opened = await call("open", source);
        return own === opens.current ? opened : undefined;
      },
      [call],
    ),
    layOut: useCallback((chosen) => call("layOut", chosen), [call]),
    run: useCallback(() => {
      setId((before) => before + 1);
      setView(FIRST_VIEW);
      setRefreshes(0);
      setPage(undefined);
      void start("run");
    }, [start]),
    pause: useCallback(() => stop("paused"), [stop]),
    resume: useCallback(() => void start("resume"), [start]),
    update: useCallback(() => void start("resume", "complete"), [start]),
    cancel: useCallback(() => stop("canceled"), [stop]),
    clear: useCallback(() => {
      runs.current++;
      void call("clear");
      setPhase("empty");
      setRefreshes(0);
      setPage(undefined);
      setProgress(undefined);
      setError(undefined);
    }, [call]),
    setView,
    download: async (format) => saveFile(await call("file", view, format), `${tool.id}.${format}`),
  };
}

/** Reads the first batch as the response of a call. */
function outcomeOf<Input extends DescMessage, Output extends DescMessage>(
  { requestOf }: ListTool<Input, Output>,
  { inputs, outcome, milliseconds }: FirstBatch,
): Outcome<Input, Output> {
  return outcome.ok
    ? {
        ok: true,
        value: responseOf(requestOf(inputs), outcome.value, {
          headers: new Headers(),
          sentAt: 0,
          receivedAt: milliseconds,
        }),
      }
    : outcome;
}
