import type { JsonObject } from "@bufbuild/protobuf";
import type { MessageInit } from "connect-transcoding/codec";
import { formatCsvRow } from "../../text/csv.js";
import { isError } from "../input/finder.js";
import { createCellReader } from "./cells.js";
import { columnsOf, isObject, selectColumns } from "./columns.js";
import type { ResponseFormats } from "./formats.js";
import { joinLines, type Renderer, type RenderOptions } from "./results.js";
import { summaryOf } from "./summaries.js";
import { table } from "./tables.js";
import { displayText, type Style } from "./terminal.js";
import { shownResponse } from "./unknown.js";

/** The number of distinct values that are counted. Further ones are counted together. */
const MAX_VALUES = 100_000;
const OTHERS = "(others)";
const UNKNOWN = "(unknown)";

/** The number of rows of a table that people see. */
const SHOWN_ROWS = 20;

interface Counted {
  readonly label: string;
  readonly counts: readonly (readonly [value: string, count: number])[];
}

/** Creates the renderer of a summary: it counts the results by the values that the summary of their message type names. */
export function createCounts({ formats, format, width, style }: RenderOptions): Renderer {
  let [inputs, failed, without] = [0, 0, 0];
  const read = (message: MessageInit): JsonObject => {
    const response = shownResponse(formats, message);
    return isObject(response) ? response : {};
  };
  const columns = (summaryOf(formats.desc)?.counts ?? []).map(({ text, fields, ...column }) => ({
    ...column,
    textOf: remembering((message) => text(read(message)) || UNKNOWN, formats, fields),
    counts: new Map<string, number>(),
  }));
  return {
    hasFailures: format === "json" || (format === "text" && width !== undefined),
    render(_batch, results) {
      const before = failed;
      inputs += results.length;
      for (const result of results) {
        if (result.kind === "response") {
          for (const { counts, textOf } of columns) {
            increment(counts, textOf(result.message));
          }
        } else if (isError(result.failure)) {
          failed++;
        } else {
          without++;
        }
      }
      return { out: "", errors: [], failed: failed - before };
    },
    end() {
      const sorted = columns.map(({ label, name, counts }) => ({
        label,
        name,
        counts: [...counts].sort(([, a], [, b]) => b - a),
      }));
      if (format === "json") {
        const counted = sorted.map(({ name, counts }) => [
          name,
          counts.map(([value, count]) => ({ value, count })),
        ]);
        return `${JSON.stringify({ inputs, failed, ...(without > 0 && { without }), ...Object.fromEntries(counted) })}\n`;
      }
      const rows = sorted.flatMap(({ name, counts }) =>
        counts.map(([value, count]) => [name, value, String(count)]),
      );
      if (format === "csv") {
        return joinLines([["by", "value", "count"], ...rows].map((row) => formatCsvRow(row)));
      }
      return width === undefined
        ? joinLines(rows.map((row) => row.map(displayText).join("\t")))
        : joinLines([
            `${countOf(inputs, "input")}, ${numberText(failed)} failed`,
            ...sorted.flatMap((each) => ["", ...countTable(each, inputs - failed - without, width, style)]),
          ]);
    },
  };
}

/** Returns a function that computes a text once for equal values of the fields that decide it. Most of the time is that of the JSON. */
function remembering(
  textOf: (message: MessageInit) => string,
  { desc, isWhole }: ResponseFormats,
  fields: readonly string[] | undefined,
): (message: MessageInit) => string {
  const selected = desc && fields && isWhole ? selectColumns(columnsOf(desc), fields) : undefined;
  const readCells = selected?.ok ? createCellReader(selected.value) : undefined;
  if (readCells === undefined) {
    return textOf;
  }
  const known = new Map<string, string>();
  return (message) => {
    const key = readCells(message).join("\0");
    let text = known.get(key);
    if (text === undefined) {
      text = textOf(message);
      if (known.size < MAX_VALUES) {
        known.set(key, text);
      }
    }
    return text;
  };
}

function increment(counts: Map<string, number>, value: string): void {
  const known = counts.has(value) || counts.size < MAX_VALUES ? value : OTHERS;
  counts.set(known, (counts.get(known) ?? 0) + 1);
}

function countTable({ label, counts }: Counted, total: number, width: number, style: Style): string[] {
  const rows = counts.slice(0, SHOWN_ROWS).map(([value, count]) => ({
    count: numberText(count),
    share: `${((100 * count) / total).toFixed(1)} %`,
    bar: bar(count / (counts[0]?.[1] ?? 1)),
    value: displayText(value),
  }));
  const digits = Math.max("Count".length, ...rows.map(({ count }) => count.length));
  const shares = Math.max("Share".length, ...rows.map(({ share }) => share.length));
  const aligned = rows.map(({ count, share, ...row }) => [
    count.padStart(digits),
    share.padStart(shares),
    row.bar,
    row.value,
  ]);
  const more = counts.length - rows.length;
  return [
    ...table(["Count", "Share", "", label], aligned, width, style),
    ...(more > 0 ? [style.dim(`${numberText(more)} more: --csv`)] : []),
  ];
}

/** The length of the longest bar, in columns. */
const BAR_WIDTH = 20;
/** Eighths of a block, from one to seven. */
const EIGHTHS = "▏▎▍▌▋▊▉";

/** Draws a part of the longest bar, in eighths of a column; at least one, because there is a value. */
function bar(part: number): string {
  const eighths = Math.max(1, Math.round(part * BAR_WIDTH * 8));
  return "█".repeat(eighths >> 3) + EIGHTHS.charAt((eighths & 7) - 1);
}

/** Returns a number with its noun: `1 input`, `20,000 inputs`. */
export function countOf(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns a number with separators: `20,000`. */
export function numberText(count: number): string {
  return count.toLocaleString("en");
}
