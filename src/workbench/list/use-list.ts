import type { DescMessage } from "@bufbuild/protobuf";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Outcome, responseOf } from "../kit/service/call.js";
import type { ShownError } from "../kit/service/errors.js";
import { useSession } from "../kit/session.js";
import { readApiKey } from "../kit/storage.js";
import { connectWork } from "./connect-work.js";
import type { ListTool } from "./list-tool.js";
import { saveFile } from "./save-file.js";
import type { RunProgress } from "./time-left.js";
import type { ListFormat } from "./work/list-file.js";
import type { FirstBatch, OpenedList, TablePage, TableView } from "./work/list-work.js";
import type { ListLayout } from "./work/read-list.js";

/** What happens with a list. `stopped`: an error ended the run. `failed`: the worker ended. */
export type ListPhase = "empty" | "running" | "paused" | "canceled" | "stopped" | "complete" | "failed";

type ListOutcome = Outcome<DescMessage, DescMessage>;

/** What is known of a list that was sent. */
interface SentList<Overview> {
  readonly phase: ListPhase;
  /** Undefined until a list is sent. */
  readonly progress?: RunProgress | undefined;
  /** The error that ended the run. */
  readonly error?: ShownError | undefined;
  /** The rows that are shown. They stay until another list is sent. */
  readonly page?: TablePage<Overview> | undefined;
}

/** A list in a worker. */
export interface ListRun<Overview> extends SentList<Overview> {
  /** Another number for each list that is sent. */
  readonly id: number;
  readonly view: TableView;
  /** The first batch and its outcome. */
  readonly first: { readonly inputs: readonly string[]; readonly outcome: ListOutcome };
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
export function useList<Overview>(tool: ListTool): ListRun<Overview> {
  const { baseUrl, onCallEnd } = useSession();
  const [sent, setSent] = useState<SentList<Overview>>({ phase: "empty" });
  const change = useCallback(
    (next: Partial<SentList<Overview>>) => setSent((before) => ({ ...before, ...next })),
    [],
  );
  const [id, setId] = useState(0);
  const [view, setView] = useState(FIRST_VIEW);
  const [first, setFirst] = useState<ListRun<Overview>["first"]>({
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
        change({ progress: { ...next, startedAt: startedAt.current } });
        if (Date.now() - refreshedAt.current >= REFRESH_INTERVAL) {
          refresh();
        }
      },
      () => change({ phase: "failed" }),
    ),
  );
  useEffect(() => close, [close]);

  useEffect(() => {
    if (refreshes > 0) {
      // The worker answers in the order of the calls, so that the last page is that of the last view.
      const run = runs.current;
      void call("page", view).then((next) => run === runs.current && change({ page: next }));
    }
  }, [call, view, refreshes]);

  const start = async (name: "run" | "resume", phase: ListPhase = "running") => {
    const own = ++runs.current;
    startedAt.current = Date.now();
    refreshedAt.current = startedAt.current;
    change({ phase, error: undefined });
    const { maxItems = 1 } = tool;
    const { error, isComplete } = await call(name, { baseUrl, apiKey: readApiKey(), maxItems });
    const batch = await call("firstBatch");
    if (own !== runs.current) {
      return;
    }
    if (batch !== undefined) {
      setFirst({ inputs: batch.inputs, outcome: outcomeOf(tool, batch) });
    }
    if (error?.code === "UNAUTHENTICATED") {
      onCallEnd(error);
    }
    // Without an error, the user has paused or canceled a run that is not complete.
    change({ error, ...(isComplete ? { phase: "complete" } : error && { phase: "stopped" }) });
    refresh();
  };
  const stop = (phase: ListPhase) => {
    void call("pause");
    change({ phase });
  };

  return {
    ...sent,
    id,
    view,
    first,
    async open(source) {
      const own = ++opens.current;
      const opened = await call("open", source);
      return own === opens.current ? opened : undefined;
    },
    layOut: (chosen) => call("layOut", chosen),
    run() {
      setId((before) => before + 1);
      setView(FIRST_VIEW);
      setRefreshes(0);
      change({ page: undefined });
      void start("run");
    },
    pause: () => stop("paused"),
    resume: () => void start("resume"),
    update: () => void start("resume", "complete"),
    cancel: () => stop("canceled"),
    clear() {
      runs.current++;
      void call("clear");
      setRefreshes(0);
      setSent({ phase: "empty" });
    },
    setView,
    download: async (format) => saveFile(await call("file", view, format), `${tool.id}.${format}`),
  };
}

/** Reads the first batch as the response of a call. */
function outcomeOf({ requestOf }: ListTool, { inputs, outcome, milliseconds }: FirstBatch): ListOutcome {
  if (!outcome.ok) {
    return outcome;
  }
  const received = { headers: new Headers(), sentAt: 0, receivedAt: milliseconds };
  return { ok: true, value: responseOf(requestOf(inputs), outcome.value, received) };
}
