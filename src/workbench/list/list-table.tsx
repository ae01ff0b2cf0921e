import type { DescMessage } from "@bufbuild/protobuf";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { NoValue } from "../kit/facts.js";
import { useAnnouncement } from "../kit/session.js";
import { sentenceOf } from "../kit/text.js";
import type { AnsweredList, Value } from "./answers.js";
import { type ListFormat, writeListFile } from "./list-file.js";
import type { ListColumn, ListTool } from "./list-tool.js";
import { saveFile } from "./save-file.js";
import { filterRows, type RowFilter, type RowOrder, sortRows } from "./select-rows.js";

/** How many rows are shown at a time. */
const PAGE_ROWS = 100;

/** How long typing must pause before the table is filtered, in milliseconds. */
const FILTER_DELAY = 200;

interface ListTableProps<Input extends DescMessage, Output extends DescMessage> {
  readonly tool: ListTool<Input, Output>;
  readonly list: AnsweredList;
  /** The delimiter of downloaded CSV. */
  readonly delimiter: string;
}

/** The results of a list in pages, to filter, sort and download. */
export function ListTable<Input extends DescMessage, Output extends DescMessage>({
  tool,
  list,
  delimiter,
}: ListTableProps<Input, Output>) {
  const [order, setOrder] = useState<RowOrder>({ sortBy: undefined, isDescending: false });
  const [filter, setFilter] = useState<RowFilter>({ text: "", kind: "" });
  const [page, setPage] = useState(0);
  const sorted = useMemo(() => sortRows(list, order), [list, order]);
  const rows = useMemo(() => filterRows(list, sorted, filter), [list, sorted, filter]);
  useEffect(() => setPage(0), [rows]);
  const start = page * PAGE_ROWS < rows.length ? page * PAGE_ROWS : 0;
  const isAll = rows.length === list.records.length;
  useAnnouncement(isAll ? "" : `${rows.length} rows`);

  const download = async (format: ListFormat) =>
    saveFile(await writeListFile(list, rows, format, delimiter), `${tool.fileName}.${format}`);
  return (
    <div class="list-results">
      <div class="list-bar">
        <KindFilter
          tool={tool}
          list={list}
          kind={filter.kind}
          onChange={(kind) => setFilter((before) => ({ ...before, kind }))}
        />
        <TextFilter onChange={(text) => setFilter((before) => ({ ...before, text }))} />
        <div class="list-downloads">
          <button type="button" class="quiet" onClick={() => download("csv")}>
            Download CSV
          </button>
          <button type="button" class="quiet" onClick={() => download("json")}>
            JSON
          </button>
        </div>
      </div>
      <Rows
        tool={tool}
        list={list}
        rows={rows.slice(start, start + PAGE_ROWS)}
        order={order}
        onSort={setOrder}
      />
      <div class="list-pages">
        <span>
          {rows.length === 0
            ? "No rows match."
            : `${(start + 1).toLocaleString("en")}–${Math.min(start + PAGE_ROWS, rows.length).toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`}
        </span>
        {rows.length > PAGE_ROWS && (
          <>
            <button type="button" class="quiet" disabled={start === 0} onClick={() => setPage(page - 1)}>
              Previous
            </button>
            <button
              type="button"
              class="quiet"
              disabled={start + PAGE_ROWS >= rows.length}
              onClick={() => setPage(page + 1)}
            >
              Next
            </button>
          </>
        )}
      </div>
    </div>
  );
}

interface KindFilterProps extends Pick<ListTableProps<DescMessage, DescMessage>, "list"> {
  readonly tool: Pick<ListTool<DescMessage, DescMessage>, "kinds">;
  readonly kind: string;
  readonly onChange: (kind: string) => void;
}

/** How many answers there are of each kind. Pressing one shows only its rows. */
function KindFilter({ tool: { kinds }, list: { answers }, kind, onChange }: KindFilterProps) {
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const answer of answers) {
      found.set(answer?.kind ?? "", (found.get(answer?.kind ?? "") ?? 0) + 1);
    }
    return found;
  }, [answers]);
  const choices = [
    { id: "", text: `All ${answers.length.toLocaleString("en")}` },
    ...kinds.flatMap(({ id, label }) => {
      const count = counts.get(id) ?? 0;
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

interface RowsProps extends Pick<ListTableProps<DescMessage, DescMessage>, "list"> {
  readonly tool: Pick<ListTool<DescMessage, DescMessage>, "inputLabel" | "showInput" | "columns">;
  /** The indexes of the rows. */
  readonly rows: readonly number[];
  readonly order: RowOrder;
  readonly onSort: (order: RowOrder) => void;
}

function Rows({ tool, list, rows, order, onSort }: RowsProps) {
  const { header, records, answers } = list;
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
          {rows.map((row) => {
            const answer = answers[row];
            return (
              <tr key={row}>
                {header.map((_, index) => {
                  const text = records[row]?.[index] ?? "";
                  return index === list.column ? (
                    <th key={index} scope="row" class="code">
                      {answer === undefined ? text : (tool.showInput?.(text.trim(), answer) ?? text)}
                    </th>
                  ) : (
                    <td key={index}>{text}</td>
                  );
                })}
                {answer !== undefined && answer.error === "" ? (
                  shown.map(({ column, index }) => (
                    <td key={column.name}>
                      <ValueView column={column} values={answer.values} index={index} />
                    </td>
                  ))
                ) : (
                  <td class="table-error" colSpan={shown.length}>
                    {answer === undefined ? "Not looked up" : sentenceOf(answer.error)}
                  </td>
                )}
              </tr>
            );
          })}
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
  readonly values: readonly Value[];
  readonly index: number;
}

function ValueView({ column: { show }, values, index }: ValueViewProps) {
  const value = values[index] ?? "";
  if (value === "") {
    return <NoValue />;
  }
  return <>{show?.(value, values) ?? (typeof value === "boolean" ? (value ? "Yes" : "No") : value)}</>;
}
