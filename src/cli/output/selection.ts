import type { Registry } from "@bufbuild/protobuf";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import type { ToolCommand } from "../commands.js";
import { type Column, columnsOf, selectColumns } from "./columns.js";
import { responseFormats } from "./formats.js";
import type { OutputFormat } from "./results.js";
import { summaryOf } from "./summaries.js";

/** The column with the error of an input. */
const ERROR_COLUMN = "error";

/** What `--fields` selects. */
export interface FieldSelection {
  /** Undefined: the default columns. */
  readonly columns: readonly Column[] | undefined;
  readonly hasErrorColumn: boolean;
  /** Whether a selected column is in a message that only the full view of the response has. */
  readonly needsFullView: boolean;
}

/**
 * Reads the value of `--fields`: names that commas separate. `error` is the error of an input. CSV has it unless columns are
 * selected. A command whose output is one value has that field by default.
 */
export function readSelection(
  command: ToolCommand,
  fields: string | undefined,
  format: OutputFormat,
  registry: Registry,
): Result<FieldSelection, Failure> {
  const formats = responseFormats(command.method, registry);
  const desc = formats.element ?? formats.desc;
  if (fields === undefined) {
    const { value, operand } = command;
    const isValue = ({ fields: path }: Column) => path.every((field, index) => field === value?.[index]);
    return ok({
      columns: value && format !== "text" && desc ? columnsOf(desc).filter(isValue) : undefined,
      hasErrorColumn: format === "csv" && operand !== undefined,
      needsFullView: false,
    });
  }
  const names = fields
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length === 0) {
    return fail("UNKNOWN_FIELD", "--fields must name at least one field");
  }
  const all = desc === undefined ? [] : columnsOf(desc);
  const selected = selectColumns(
    all,
    names.filter((name) => name !== ERROR_COLUMN),
    summaryOf(desc)?.lines,
  );
  return selected.ok
    ? ok({
        columns: selected.value,
        hasErrorColumn: names.includes(ERROR_COLUMN),
        needsFullView: selected.value.some(({ isOptional }) => isOptional),
      })
    : selected;
}
