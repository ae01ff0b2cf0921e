import type {
  DescField,
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import type { Answer, AnswerColumn, Value } from "./answers.js";
import type { ItemFormat } from "./read-list.js";

/** A column of answers in the table. */
export interface ListColumn extends AnswerColumn {
  /** Its heading in the table; without one, the column is only in downloads. */
  readonly label?: string;
  /** Renders a known value that is not shown as text. `values` are those of the whole answer. */
  readonly show?: (value: Value, values: readonly Value[]) => ComponentChildren;
}

/** A tool for lists: a batch method, and how its results are shown. */
export interface ListTool<Input extends DescMessage, Output extends DescMessage> extends ItemFormat {
  /** The start of the names of downloaded files. */
  readonly fileName: string;
  readonly method: DescMethodUnary<Input, Output>;
  /** The field of the request that contains the inputs. */
  readonly field: DescField;
  readonly requestOf: (inputs: readonly string[]) => MessageInitShape<Input>;
  /** Returns one answer per input, in order. */
  readonly answersOf: (message: MessageShape<Output>) => readonly Answer[];
  /** Compares the answers of a whole list with each other. `inputs` and `answers` have one element per row. */
  readonly compare?: (
    inputs: readonly string[],
    answers: readonly (Answer | undefined)[],
  ) => readonly (Answer | undefined)[];
  /** The kinds of answers, in the order of the summary: `found` with the label "found" for "97 found". */
  readonly kinds: readonly { readonly id: string; readonly label: string }[];
  /** The kind of answers to texts that are not sent. */
  readonly invalidKind: string;
  readonly columns: readonly ListColumn[];
  readonly examples: readonly string[];
  /** The label of the button that sends a list. */
  readonly action: string;
  /** The heading of the column with the inputs of a plain list. */
  readonly inputLabel: string;
  /** Renders an input. Undefined shows it as text. */
  readonly showInput?: (input: string, answer: Answer) => ComponentChildren;
}
