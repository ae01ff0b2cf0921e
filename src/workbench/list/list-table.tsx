import type { DescMessage } from "@bufbuild/protobuf";
import { useEffect, useId, useState } from "preact/hooks";
import { NoValue } from "../kit/answers/field-table.js";
import { useAnnouncement } from "../kit/session.js";
import { sentenceOf } from "../kit/text.js";
import type { ListColumn, ListTool } from "./list-tool.js";
import { shortText } from "./short-text.js";
import type { ListRun } from "./use-list.js";
import type { Answer } from "./work/answers.js";
import { PAGE_ROWS, type TablePage } from "./work/list-work.js";
import type { RowFilter, RowOrder } from "./work/select-rows.js";

/** How long typing must pause before the table is filtered, in milliseconds. */
const FILTER_DELAY = 200;

interface ListTableProps<Input extends DescMessage, Output extends DescMessage, Overview> {
  readonly tool: ListTool<Input, Output>;
  readonly list: ListRun<Input, Output, Overview>;
  readonly page: TablePage<Overview>;
}

/** The results of a list in pages, to filter, sort and download. */
export function ListTable<Input extends DescMessage, Output extends DescMessage, Overview>({
  tool,
  list: { view, setView, download },
  page,
}: ListTableProps<Input, Output, Overview>) {
  const { total, found, start } = page;
  useAnnouncement(found === total ? "" : `${found} rows`);
  const change = (filter: Partial<RowFilter>) =>
    setView({ ...view, filter: { ...view.filter, ...filter }, page: 0 });
  const number = Math.floor(start / PAGE_ROWS);
  return (
    <div class="list-results">
      <div class="list-bar">
        <KindFilter
          kinds={tool.kinds}
          counts={page.counts}
          total={total}
          kind={view.filter.kind}
          onChange={(kind) => change({ kind })}
        />
        <TextFilter onChange={(text) => change({ text })} />
        <div class="list-downloads">
          <button type="button" class="quiet" onClick={() => download("csv")}>
            Download CSV
          </button>
          <button type="button" class="quiet" onClick={() => download("json")}>
            JSON
          </button>
          {tool.hasSheet && (
            <button type="button" class="quiet" onClick={() => download("html")}>
              Sheet to print
            </button>
          )}
        </div>
      </div>
      <Rows
        tool={tool}
        page={page}
        order={view.order}
        onSort={(order) => setView({ ...view, order, page: 0 })}
      />
      <div class="list-pages">
        <span>
          {found === 0
            ? "No rows match."
            : `${(start + 1).toLocaleString("en")}–${Math.min(start + PAGE_ROWS, found).toLocaleString("en")} of ${found.toLocaleString("en")} rows`}
        </span>
        {found > PAGE_ROWS && (
          <>
            <button
              type="button"
              class="quiet"
              disabled={start === 0}
              onClick={() => setView({ ...view, page: number - 1 })}
            >
              Previous
            </button>
            <button
              type="button"
              class="quiet"
              disabled={start + PAGE_ROWS >= found}
              onClick={() => setView({ ...view, page: number + 1 })}
            >
              Next
            </button>
          </>
        )}
      </div>
    </div>
  );
}

interface KindFilterProps
  extends Pick<ListTool<DescMessage, DescMessage>, "kinds">,
    Pick<TablePage<unknown>, "counts" | "total"> {
  readonly kind: string;
  readonly onChange: (kind: string) => void;
}

/** How many answers there are of each kind. Pressing one shows only its rows. */
function KindFilter({ kinds, counts, total, kind, onChange }: KindFilterProps) {
  const choices = [
    { id: "", text: `All ${total.toLocaleString("en")}` },
    ...kinds.flatMap(({ id, label }) => {
      const count = counts[id] ?? 0;
      return count === 0 ? [] : [{ id, text: `${count.toLocaleString("en")} ${label}` }];
    }),
  ];
  return (
    <fieldset class="list-kinds">
      <legend class="off-screen">Show</legend>
      {choices.map(({ id, text }) => (
        <button key={id} type="button" class="quiet" aria-pressed={id === kind} onClick={() => onChange(id)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

function TextFilter({ onChange }: { readonly onChange: (text: string) => void }) {
  const id = useId();
  const [text, setText] = useState<string>();
  useEffect(() => {
    if (text === undefined) {
      return;
    }
    const timer = setTimeout(() => onChange(text), FILTER_DELAY);
    return () => clearTimeout(timer);
    // Only typing starts the delay: `onChange` is another function in each rendering.
  }, [text]);
  return (
    <div class="list-filter">
      <label for={id} class="off-screen">
        Filter the rows
      </label>
      <input
        id={id}
        type="search"
        class="control"
        placeholder="Filter"
        value={text ?? ""}
        autocomplete="off"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </div>
  );
}

interface RowsProps {
  readonly tool: Pick<ListTool<DescMessage, DescMessage>, "inputLabel" | "showInput" | "columns">;
  readonly page: Pick<TablePage<unknown>, "header" | "column" | "rows">;
  readonly order: RowOrder;
  readonly onSort: (order: RowOrder) => void;
}

function Rows({ tool, page: { header, column: inputColumn, rows }, order, onSort }: RowsProps) {
  const { columns } = tool;
  const heads = [
    ...header.map((name) => (header.length === 1 ? tool.inputLabel : name)),
    ...columns.map(({ label }) => label),
  ];
  const shown = columns.flatMap((column, index) => (column.label === undefined ? [] : [{ column, index }]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section class="table-frame list-frame" tabIndex={0} aria-label="Table of results">
      <table>
        <thead>
          <tr>
            {heads.map(
              (label, index) =>
                label !== undefined && (
                  <SortHead key={index} label={label} index={index} order={order} onSort={onSort} />
                ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, fields, answer }) => (
            <tr key={row}>
              {header.map((_, index) => {
                const text = fields[index] ?? "";
                return index === inputColumn ? (
                  <th key={index} scope="row" class="code">
                    {(answer && tool.showInput?.(text.trim(), answer)) ?? shortText(text)}
                  </th>
                ) : (
                  <td key={index}>{text}</td>
                );
              })}
              {answer !== undefined && answer.error === "" ? (
                shown.map(({ column, index }) => (
                  <td key={column.name}>
                    <ValueView column={column} answer={answer} index={index} />
                  </td>
                ))
              ) : (
                <td class="table-error" colSpan={shown.length}>
                  {answer === undefined ? "Not looked up" : sentenceOf(answer.error)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface SortHeadProps extends Pick<RowsProps, "order" | "onSort"> {
  readonly label: string;
  readonly index: number;
}

/** The head of a column. Pressing it sorts by the column: ascending, descending, and in the order of the list. */
function SortHead({ label, index, order: { sortBy, isDescending }, onSort }: SortHeadProps) {
  const isSorted = sortBy === index;
  const next = isSorted && isDescending ? undefined : index;
  return (
    <th scope="col" aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : "none"}>
      <button
        type="button"
        class="list-sort"
        onClick={() => onSort({ sortBy: next, isDescending: isSorted })}
      >
        {label}
        <span aria-hidden="true">{isSorted ? (isDescending ? "↓" : "↑") : ""}</span>
      </button>
    </th>
  );
}

interface ValueViewProps {
  readonly column: ListColumn;
  readonly answer: Answer;
  readonly index: number;
}

function ValueView({ column: { show }, answer, index }: ValueViewProps) {
  const value = answer.values[index] ?? "";
  if (value === "") {
    return <NoValue />;
  }
  return <>{show?.(value, answer) ?? (typeof value === "boolean" ? (value ? "Yes" : "No") : value)}</>;
}
