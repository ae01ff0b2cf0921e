import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { MessageInit } from "connect-transcoding/codec";
import { formatCsvRow } from "../../text/csv.js";
import { isError } from "../input/finder.js";
import { type ItemResult, joinLines, type OutputFormat } from "./batch-format.js";
import { isObject } from "./columns.js";
import type { ResponseFormats } from "./formats.js";
import { summaryOf } from "./summaries.js";
import { table } from "./tables.js";
import { displayText, type Style } from "./terminal.js";

/** What the results of a list have in common. */
export interface Counts {
  add(results: readonly ItemResult[]): void;
  /** Returns the counts in a format, with the number of results and failures if {@link Counts.hasTotals}. */
  render(format: OutputFormat): string;
  /** Whether a format has the number of results and failures. */
  hasTotals(format: OutputFormat): boolean;
}

/** The number of distinct values that are counted. Further ones are counted together. */
const MAX_VALUES = 100_000;
const OTHERS = "(others)";
const UNKNOWN = "(unknown)";

/** The number of rows of a table that people see. */
const SHOWN_ROWS = 20;

/**
 * Counts the results of a list by the values that the summary of its message type names.
 *
 * @param width columns of the terminal; undefined: it is not a terminal
 */
export function createCounts(formats: ResponseFormats, width: number | undefined, style: Style): Counts {
  const columns = (summaryOf(formats.desc)?.counts ?? []).map((column) => ({
    ...column,
    counts: new Map<string, number>(),
  }));
  let [inputs, failed, without] = [0, 0, 0];
  const read = (message: MessageInit): JsonObject => {
    const response: JsonValue = JSON.parse(formats.json(message));
    return isObject(response) ? response : {};
  };
  return {
    add(results) {
      inputs += results.length;
      for (const result of results) {
        if (result.kind === "failure") {
          failed += isError(result.failure) ? 1 : 0;
          without += isError(result.failure) ? 0 : 1;
          continue;
        }
        const response = read(result.message);
        for (const { counts, text } of columns) {
          increment(counts, text(response) || UNKNOWN);
        }
      }
    },
    render(format) {
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
    hasTotals: (format) => format === "json" || (format === "text" && width !== undefined),
  };
}

function increment(counts: Map<string, number>, value: string): void {
  const known = counts.has(value) || counts.size < MAX_VALUES ? value : OTHERS;
  counts.set(known, (counts.get(known) ?? 0) + 1);
}

function countTable(
  { label, counts }: { readonly label: string; readonly counts: readonly (readonly [string, number])[] },
  total: number,
  width: number,
  style: Style,
): string[] {
  const rows = counts
    .slice(0, SHOWN_ROWS)
    .map(([value, count]) => [
      numberText(count),
      `${((100 * count) / total).toFixed(1)} %`,
      displayText(value),
    ]);
  const header = ["Count", "Share", label];
  const digits = header
    .slice(0, 2)
    .map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const aligned = rows.map((row) => row.map((cell, column) => cell.padStart(digits[column] ?? 0)));
  const more = counts.length - rows.length;
  return [
    ...table(header, aligned, width, style),
    ...(more > 0 ? [style.dim(`${numberText(more)} more: --csv`)] : []),
  ];
}

/** Returns a number with its noun: `1 input`, `20,000 inputs`. */
export function countOf(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns a number with separators: `20,000`. */
export function numberText(count: number): string {
  return count.toLocaleString("en");
}
