import type { DescMessage } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { ErrorView, ExchangeView } from "../kit/exchange.js";
import { useAnnouncement } from "../kit/session.js";
import type { AnsweredList } from "./answers.js";
import { ListInput } from "./list-input.js";
import { ListTable } from "./list-table.js";
import type { ListTool } from "./list-tool.js";
import { type ListProgress, useList } from "./use-list.js";
import "./list.css";

interface ListLookupProps<Input extends DescMessage, Output extends DescMessage> {
  readonly tool: ListTool<Input, Output>;
  /** Whether the list is visible. It keeps its results while it is not. */
  readonly isShown: boolean;
  /** Renders what is above the table of results. */
  readonly overview?: (list: AnsweredList) => ComponentChildren;
}

/** Looks up a list that is pasted, dropped or chosen as a file, and shows the results in a table to sort, filter and download. */
export function ListLookup<Input extends DescMessage, Output extends DescMessage>({
  tool,
  isShown,
  overview,
}: ListLookupProps<Input, Output>) {
  const { progress, result, first, run, stop, clear } = useList(tool);
  const summary = useMemo(() => (result === undefined ? "" : summaryOf(tool, result.list)), [tool, result]);
  useAnnouncement(summary);
  const request = useMemo(() => tool.requestOf(first.inputs), [tool, first]);
  return (
    <div class="stack" hidden={!isShown}>
      <ListInput
        tool={tool}
        isShown={isShown}
        isRunning={progress !== undefined}
        onRun={run}
        onClear={clear}
      />
      {progress !== undefined && <ProgressView progress={progress} onStop={stop} />}
      {result !== undefined && progress === undefined && !result.isComplete && (
        <div class="list-stopped">
          {result.error !== undefined && <ErrorView error={result.error} />}
          <p class="actions">
            <button type="button" onClick={() => run(result.entries)}>
              Continue
            </button>
            <span>Stopped before the end of the list.</span>
          </p>
        </div>
      )}
      {result !== undefined && (
        <section class="card card-body" aria-label="Results">
          {overview?.(result.list)}
          <ListTable
            key={result.id}
            tool={tool}
            list={result.list}
            delimiter={result.entries.delimiter === ";" ? ";" : ","}
          />
        </section>
      )}
      {isShown && (
        <ExchangeView
          method={tool.method}
          request={request}
          outcome={first.outcome}
          isLoading={progress !== undefined}
        />
      )}
    </div>
  );
}

/** Describes the answers of a list: "97 found, 2 reserved, 1 invalid". */
function summaryOf<Input extends DescMessage, Output extends DescMessage>(
  { kinds }: Pick<ListTool<Input, Output>, "kinds">,
  { answers }: Pick<AnsweredList, "answers">,
): string {
  return kinds
    .flatMap(({ id, label }) => {
      const count = answers.filter((answer) => answer?.kind === id).length;
      return count === 0 ? [] : [`${count.toLocaleString("en")} ${label}`];
    })
    .join(", ");
}

function ProgressView({
  progress: { done, total, waiting },
  onStop,
}: {
  readonly progress: ListProgress;
  readonly onStop: () => void;
}) {
  const count = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return (
    <section class="card list-progress" aria-label="Progress">
      <progress max={total} value={done} aria-label="Progress" />
      <p>
        {count}
        {waiting !== undefined && (
          <span class="list-waiting">
            {waiting.error.reason === "RATE_LIMIT_EXCEEDED"
              ? "The service limits how much it accepts at a time."
              : "The service does not respond."}{" "}
            Continues at {new Date(waiting.until).toLocaleTimeString()}.
          </span>
        )}
      </p>
      <button type="button" class="quiet" onClick={onStop}>
        Stop
      </button>
    </section>
  );
}
