import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { ErrorView } from "../kit/answers/error-view.js";
import { ExchangeView } from "../kit/exchange/exchange.js";
import { useAnnouncement } from "../kit/session.js";
import { ListInput } from "./list-input.js";
import { ListProgressView } from "./list-progress.js";
import { ListTable } from "./list-table.js";
import { kindsOf, type ListTool } from "./list-tool.js";
import { type ListRun, useList } from "./use-list.js";
import "./list.css";

interface ListLookupProps<Overview> {
  readonly tool: ListTool;
  /** Whether the list is visible. It keeps its results while it is not. */
  readonly isShown: boolean;
  /** Renders what is above the table of results. Called again when they change, and in each phase. */
  readonly overview?: (overview: Overview, list: ListRun<Overview>) => ComponentChildren;
}

/** Looks up a list that is pasted, dropped or chosen as a file, and shows the results in a table to sort, filter and download. */
export function ListLookup<Overview>({ tool, isShown, overview }: ListLookupProps<Overview>) {
  const list = useList<Overview>(tool);
  const { phase, page, first } = list;
  useAnnouncement(announcementOf(tool, list));
  const shownOverview = useMemo(
    () => page?.overview !== undefined && overview?.(page.overview, list),
    // The overview of another page of the same results is the same.
    [page?.version, phase],
  );
  return (
    <div class="stack" hidden={!isShown}>
      <ListInput tool={tool} list={list} isShown={isShown} />
      {phase === "failed" && (
        <p class="error" role="alert">
          The list cannot be processed: the browser has ended the work on it, or could not load the program
          for it. <a href={location.pathname}>Reload the page</a>, or split the list.
        </p>
      )}
      {phase === "stopped" && list.error !== undefined && <ErrorView error={list.error} />}
      <ListProgressView list={list} />
      {page !== undefined && (
        <section class="card card-body" aria-label="Results">
          {shownOverview}
          <ListTable key={list.id} tool={tool} list={list} page={page} />
        </section>
      )}
      {isShown && (
        <ExchangeView
          method={tool.method}
          request={tool.requestOf(first.inputs)}
          outcome={first.outcome}
          isLoading={phase === "running"}
        />
      )}
    </div>
  );
}

/** What screen readers announce: each quarter of the progress, and the results: "97 found, 2 reserved, 1 invalid". */
function announcementOf(tool: ListTool, { phase, progress, page }: ListRun<unknown>): string {
  switch (phase) {
    case "running": {
      const quarters = progress === undefined ? 0 : Math.floor((progress.done / progress.total) * 4);
      return quarters > 0 && quarters < 4 ? `${quarters * 25} percent` : "";
    }
    case "complete":
    case "canceled":
      return kindsOf(tool, page?.counts ?? {})
        .map(([, text]) => text)
        .join(", ");
    case "paused":
      return "Paused";
    default:
      return "";
  }
}
