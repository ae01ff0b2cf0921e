import type { Answer, AnsweredList } from "./answers.js";
import type { ListEntries } from "./list-entries.js";
import type { TablePage } from "./list-work.js";
import type { WorkTool } from "./work-tool.js";

/** A list with its answers, and what is counted of them. */
export interface AnsweredRows extends Pick<TablePage<unknown>, "counts"> {
  readonly list: AnsweredList;
}

/** Returns the inputs that are sent, each once. */
export function distinctInputs(
  tool: Pick<WorkTool<never, unknown>, "maxLength">,
  inputs: readonly string[],
): ReadonlySet<string> {
  return new Set(inputs.filter((input) => isSendable(tool, input)));
}

function isSendable({ maxLength }: Pick<WorkTool<never, unknown>, "maxLength">, input: string): boolean {
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
  const { columns, compare, itemName, maxLength } = tool;
  const empty = invalidAnswer(`this row has no ${itemName}`);
  const tooLong = invalidAnswer(`must have at most ${maxLength.toLocaleString("en")} characters`);
  const own = inputs.map(
    (input) => known.get(input) ?? (input === "" ? empty : isSendable(tool, input) ? undefined : tooLong),
  );
  const answers = compare?.(inputs, own) ?? own;
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const { kind = "" } = answer ?? {};
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return { list: { header, records, column, columns, answers }, counts };
}
