import { useState } from "preact/hooks";
import { NoValue, TableFrame } from "../kit/answers/table.js";
import { SearchInput } from "../kit/form/fields.js";
import { useAnnouncement } from "../kit/session.js";
import { sentenceOf } from "../kit/text.js";
import { useTimer } from "../kit/timer.js";
import { kindsOf, type ListColumn, type ListTool } from "./list-tool.js";
import { shortText } from "./short-text.js";
import type { ListRun } from "./use-list.js";
import type { Answer } from "./work/answers.js";
import { PAGE_ROWS, type TablePage } from "./work/list-work.js";
import type { RowFilter, RowOrder } from "./work/select-rows.js";

/** How long typing must pause before the table is filtered, in milliseconds. */
const FILTER_DELAY = 200;

const DOWNLOADS = [
  ["csv", "Download CSV"],
  ["json", "JSON"],
  ["html", "Sheet to print"],
] as const;

interface ListTableProps {
  readonly tool: ListTool;
  readonly list: ListRun<unknown>;
  readonly page: TablePage<unknown>;
}

/** The results of a list in pages, to filter, sort and download. */
export function ListTable({ tool, list: { view, setView, download }, page }: ListTableProps) {
  const { total, found, start } = page;
  useAnnouncement(found === total ? "" : `${found} rows`);
  const change = (filter: Partial<RowFilter>) =>
    setView({ ...view, filter: { ...view.filter, ...filter }, page: 0 });
  const number = Math.floor(start / PAGE_ROWS);
  return (
    <div class="stack">
      <div class="row">
        <fieldset class="row tight list-kinds">
          <legend class="off-screen">Show</legend>
          {[["", `All ${total.toLocaleString("en")}`] as const, ...kindsOf(tool, page.counts)].map(
            ([kind, text]) => (
              <button
                key={kind}
                type="button"
                class="quiet"
                aria-pressed={kind === view.filter.kind}
                onClick={() => change({ kind })}
              >
                {text}
              </button>
            ),
          )}
        </fieldset>
        <TextFilter onChange={(text) => change({ text })} />
        <div class="row tight">
          {DOWNLOADS.filter(([format]) => format !== "html" || tool.hasSheet).map(([format, label]) => (
            <button key={format} type="button" class="quiet" onClick={() => download(format)}>
              {label}
            </button>
          ))}
        </div>
      </div>
      <Rows
        tool={tool}
        page={page}
        order={view.order}
        onSort={(order) => setView({ ...view, order, page: 0 })}
      />
      <div class="row tight meta numbers list-pages">
        <span>
          {found === 0
            ? "No rows match."
            : `${(start + 1).toLocaleString("en")}–${Math.min(start + PAGE_ROWS, found).toLocaleString("en")} of ${found.toLocaleString("en")} rows`}
        </span>
        {found > PAGE_ROWS &&
          [-1, 1].map((step) => (
            <button
              key={step}
              type="button"
              class="quiet"
              disabled={step < 0 ? start === 0 : start + PAGE_ROWS >= found}
              onClick={() => setView({ ...view, page: number + step })}
            >
              {step < 0 ? "Previous" : "Next"}
            </button>
          ))}
      </div>
    </div>
  );
}

function TextFilter({ onChange }: { readonly onChange: (text: string) => void }) {
  const [text, setText] = useState<string>();
  // Only typing starts the delay: `onChange` is another function in each rendering.
  useTimer(text === undefined ? undefined : FILTER_DELAY, () => onChange(text ?? ""), [text]);
  return (
    <div class="list-filter">
      <SearchInput label="Filter the rows" value={text ?? ""} set={setText} />
    </div>
  );
}

interface RowsProps {
  readonly tool: ListTool;
  readonly page: TablePage<unknown>;
  readonly order: RowOrder;
  readonly onSort: (order: RowOrder) => void;
}

function Rows({
  tool,
  page: { header, columns: names, column: inputColumn, rows },
  order,
  onSort,
}: RowsProps) {
  const columns = names.map((name) => tool.shown[name]);
  const heads = [
    ...header.map((name) => (header.length === 1 ? tool.inputLabel : name)),
    ...columns.map((column) => column?.label),
  ];
  return (
    <TableFrame
      class="list-frame"
      aria-label="Table of results"
      head={heads.map(
        (label, index) =>
          label !== undefined && (
            <SortHead key={index} label={label} index={index} order={order} onSort={onSort} />
          ),
      )}
    >
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
            columns.map((column, index) => column && <td key={index}>{shownValue(column, answer, index)}</td>)
          ) : (
            <td class="soft table-error" colSpan={columns.filter(Boolean).length}>
              {answer === undefined ? "Not looked up" : sentenceOf(answer.error)}
            </td>
          )}
        </tr>
      ))}
    </TableFrame>
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

function shownValue({ show }: ListColumn, answer: Answer, index: number) {
  const value = answer.values[index] ?? "";
  return value === "" ? (
    <NoValue />
  ) : (
    (show?.(value, answer) ?? (value === true ? "Yes" : value === false ? "No" : value))
  );
}
