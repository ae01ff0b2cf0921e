import type { Answer, AnsweredList } from "./answers.js";
import type { ListEntries } from "./list-entries.js";
import type { FailedRows, TablePage } from "./list-work.js";
import type { WorkTool } from "./work-tool.js";

/** How many errors are listed. */
const MAX_FAILED = 5;

/** A list with its answers, and what is counted of them. */
export interface AnsweredRows extends Pick<TablePage<unknown>, "counts" | "failed"> {
  readonly list: AnsweredList;
}

/** Returns whether an input is sent. */
export function isSendable(
  { maxLength }: Pick<WorkTool<never, unknown>, "maxLength">,
  input: string,
): boolean {
  return input !== "" && input.length <= maxLength;
}

/** Returns the answer to an input that is not valid. */
export function invalidAnswer(error: string): Answer {
  return { kind: "invalid", values: [], error };
}

/** Combines a list with the answers to its inputs. */
export function answerRows<Output, Overview>(
  tool: WorkTool<Output, Overview>,
  { header, records, column, inputs }: ListEntries,
  known: ReadonlyMap<string, Answer>,
): AnsweredRows {
  const { columns, compare, itemName, maxLength, publicColumn } = tool;
  const empty = invalidAnswer(`this row has no ${itemName}`);
  const tooLong = invalidAnswer(`must have at most ${maxLength.toLocaleString("en")} characters`);
  const own = inputs.map(
    (input) => known.get(input) ?? (input === "" ? empty : isSendable(tool, input) ? undefined : tooLong),
  );
  const answers = compare?.(inputs, own) ?? own;
  const counts: Record<string, number> = {};
  const failed = new Map<string, FailedRows>();
  for (const [row, answer] of answers.entries()) {
    const { kind = "", error = "" } = answer ?? {};
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (error !== "") {
      const input = publicColumn === undefined ? (inputs[row] ?? "") : "";
      countError(failed, { row, input, error, count: 1 });
    }
  }
  return { list: { header, records, column, columns, answers }, counts, failed: [...failed.values()] };
}

/** Counts an error. Some begin with the input, and are the same without it. */
function countError(found: Map<string, FailedRows>, failed: FailedRows): void {
  const { error, input } = failed;
  const key = input !== "" && error.startsWith(input) ? error.slice(input.length) : error;
  const first = found.get(key);
  if (first !== undefined || found.size < MAX_FAILED) {
    found.set(key, first === undefined ? failed : { ...first, count: first.count + 1 });
  }
}
